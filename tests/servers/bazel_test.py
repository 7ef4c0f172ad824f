"""What Bazel prints is understood."""

import unittest

from tests.servers import test_main
from tests.servers.bazel import parse_summary


class SummaryTest(unittest.TestCase):
    def test_several_kinds(self) -> None:
        text = "INFO: Found 10 targets...\nINFO: 13 processes: 2 internal, 10 remote cache hit, 1 linux-sandbox.\n"
        self.assertEqual(parse_summary(text), {"internal": 2, "remote cache hit": 10, "linux-sandbox": 1})

    def test_one_process(self) -> None:
        self.assertEqual(parse_summary("INFO: 1 process: 1 internal.\n"), {"internal": 1})

    def test_no_summary(self) -> None:
        self.assertEqual(parse_summary("ERROR: no such target\n"), {})


if __name__ == "__main__":
    test_main.main()
