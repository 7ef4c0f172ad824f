"""A short run of the fuzzer, always of the same cases. The long one: see tests/README.md."""

import unittest

from tests.fuzz.cases import make_case
from tests.fuzz.fuzz import Fuzzer, Outcome, fuzz


class FuzzTest(unittest.TestCase):
    def test_ingot_survives(self) -> None:
        self.assertEqual(fuzz(first_seed=1, cases=300, seconds=None, jobs=2), 0)

    def test_a_case_is_known_by_its_number(self) -> None:
        for seed in range(50):
            self.assertEqual(make_case(seed), make_case(seed))

    def test_no_argument_names_a_file_elsewhere(self) -> None:
        for seed in range(3000):
            case = make_case(seed)
            for word in [*case.arguments, *(data.decode(errors="replace") for name, data in case.files.items() if name.endswith(".rsp"))]:
                self.assertNotIn("/", word)
                self.assertNotIn("\0", word)

    def test_it_can_tell(self) -> None:
        for outcome, problem in (
            (Outcome(0, 0), ""),
            (Outcome(0, 2, err=b"ingot: error: no"), ""),
            (Outcome(0, 3, err=b"ingot: error: k.c: the compile tool crashed with SIGSEGV"), ""),
            (Outcome(0, -6, err=b"x"), "ingot died of signal 6"),
            (Outcome(0, 134, err=b"x"), "exit code 134"),
            (Outcome(0, 1), "it fails without a word"),
            (Outcome(0, 3, err=b"ingot: error: std::bad_alloc"), "it says 'std::bad_alloc'"),
            (Outcome(0, 3, err=b"ingot: error: the store"), "its own failure, and no crash of the compiler"),
        ):
            self.assertEqual(Fuzzer.problem(outcome), problem)


if __name__ == "__main__":
    unittest.main()
