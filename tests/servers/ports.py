"""Loopback ports."""

import contextlib
import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on now.

    Somebody else could take it before the server does; the server then ends at once with a message in its log, and the
    fixture fails with that log instead of talking to a stranger.
    """
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def accepts_connections(port: int) -> bool:
    """Whether a server listens on the port."""
    with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=5):
        return True
    return False
