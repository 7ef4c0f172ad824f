"""Waiting for a condition, never for a length of time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_INTERVAL_SECONDS = 0.05


class DeadlineExceeded(Exception):
    """The condition did not become true in time."""


def wait_until(what: str, condition: Callable[[], T], seconds: float = 60) -> T:
    """Asks `condition` again and again and returns its first true value.

    The deadline is only there to turn a hang into a message, so it is generous; a test that passes never waits for it.
    """
    end = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() >= end:
            raise DeadlineExceeded(f"waited {seconds:g} s in vain until {what}")
        time.sleep(_INTERVAL_SECONDS)
