"""The entry of the tests that start servers."""

import signal
import unittest


def main() -> None:
    """Runs the tests of the main module.

    A test that takes too long is asked to end by SIGTERM. Python would die of it on the spot; as the exception of an
    interrupt from the keyboard it unwinds all `with` blocks, which stops the servers and shows their logs, and no
    further test begins.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    unittest.main(verbosity=2)
