"""An HTTP cache that does what nginx never does: wrong bytes, half bodies, any status, silence, redirects, endless bodies."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import NamedTuple, Self

from tests.servers.ports import LOOPBACK

WRONG_BYTES = "wrong_bytes"  # the right length, the last bit flipped
HALF_BODY = "half_body"  # the whole length announced, half of it sent, connection closed
WRONG_LENGTH = "wrong_length"  # a byte too many announced, connection closed
HANG_UP = "hang_up"  # the connection closed without an answer
STALL = "stall"  # nothing said until `release`, the end of the server, or the client's end
REDIRECT = "redirect"  # to the same place, without end
ENDLESS = "endless"  # zero bytes until the client hangs up
NO_CONTENT = "no_content"  # 204 for everything

FAULTS = frozenset({WRONG_BYTES, HALF_BODY, WRONG_LENGTH, HANG_UP, STALL, REDIRECT, ENDLESS, NO_CONTENT})


class Request(NamedTuple):
    """One request; `status` is 0 if there was no answer. Names of headers are in lower case."""

    method: str
    path: str
    status: int
    headers: Mapping[str, str]


class FaultyHttpCache:
    """A cache of Bazel's HTTP protocol in a thread of this process, which works until it is told otherwise.

        with FaultyHttpCache() as cache:
            … --remote_cache={cache.url} …
            cache.fail("GET", WRONG_BYTES, under="/cas/")
            …
            cache.fail("PUT", 507)
            cache.work()

    `contents` holds what is stored, by path, and may be changed. With `authorization` every request has to bring that
    header, or gets 401.
    """

    def __init__(self, authorization: str | None = None) -> None:
        self.contents: dict[str, bytes] = {}
        self._authorization = authorization
        self._faults: list[tuple[str, str, str | int]] = []
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """What --remote_cache takes."""
        assert self._server is not None, "the server is not started"
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def fail(self, method: str, fault: str | int, under: str = "/") -> None:
        """From now on requests of this method below a path meet a fault of the list above, or get a status.

        The fault that was asked for last counts.
        """
        if not isinstance(fault, int) and fault not in FAULTS:
            raise ValueError(f"no such fault: {fault}")
        with self._lock:
            self._faults.insert(0, (method, under, fault))

    def work(self) -> None:
        """Ends all faults, also those that hold a request now."""
        with self._lock:
            self._faults.clear()
        self.release()

    def release(self) -> None:
        """Ends the silence of requests that are stalled now; their connections close."""
        self._released.set()
        self._released = threading.Event()

    def requests(self) -> list[Request]:
        """All requests so far, in the order in which they arrived or, if they got an answer, were answered."""
        with self._lock:
            return list(self._requests)

    def forget_requests(self) -> None:
        with self._lock:
            self._requests.clear()

    def __enter__(self) -> Self:
        cache = self

        class Handler(_Handler):
            """Knows its cache."""

            owner = cache

        self._server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # What follows is for the handler.

    def fault_for(self, method: str, path: str) -> str | int | None:
        with self._lock:
            for faulty_method, under, fault in self._faults:
                if method == faulty_method and path.startswith(under):
                    return fault
        return None

    def allows(self, authorization: str | None) -> bool:
        return self._authorization is None or authorization == self._authorization

    def log(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)

    def wait_for_release(self) -> None:
        self._released.wait()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: FaultyHttpCache

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing; `requests` tells."""

    def _serve(self) -> None:
        # A client that gives up in the middle is what many tests are about.
        with suppress(ConnectionError):
            self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.owner.fault_for(self.command, self.path)
        if fault == HANG_UP:
            self._log(0)
            self.close_connection = True
        elif fault == STALL:
            self._log(0)
            self.owner.wait_for_release()
            self.close_connection = True
        elif isinstance(fault, int):
            self._send(fault, b"<html>scripted</html>")
        elif fault == NO_CONTENT:
            self._send(HTTPStatus.NO_CONTENT, b"")
        elif fault == REDIRECT:
            self._send(HTTPStatus.TEMPORARY_REDIRECT, b"", {"Location": self.path})
        elif fault == ENDLESS:
            self._send_endlessly()
        elif not self.owner.allows(self.headers.get("Authorization")):
            self._send(HTTPStatus.UNAUTHORIZED, b"", {"WWW-Authenticate": "Basic"})
        elif self.command == "PUT":
            known = self.path in self.owner.contents
            self.owner.contents[self.path] = body
            self._send(HTTPStatus.NO_CONTENT if known else HTTPStatus.CREATED, b"")
        elif self.path not in self.owner.contents:
            self._send(HTTPStatus.NOT_FOUND, b"<html>not here</html>")
        else:
            self._send_contents(self.owner.contents[self.path], fault)

    def _send_contents(self, contents: bytes, fault: str | int | None) -> None:
        length = len(contents)
        if fault == WRONG_BYTES and contents:
            contents = contents[:-1] + bytes([contents[-1] ^ 1])
        elif fault == HALF_BODY:
            contents = contents[: length // 2]
        elif fault == WRONG_LENGTH:
            length += 1
        self.close_connection = length != len(contents)
        self._send(HTTPStatus.OK, contents, length=length)

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, length: int | None = None
    ) -> None:
        # Before the answer: who has it finds the request in the log.
        self._log(status)
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD" and status != HTTPStatus.NO_CONTENT:
            self.wfile.write(body)

    def _send_endlessly(self) -> None:
        self._log(HTTPStatus.OK)
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
        while True:
            self.wfile.write(chunk)

    def _log(self, status: int) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.owner.log(Request(self.command, self.path, int(status), headers))
