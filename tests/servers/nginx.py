"""nginx as the HTTP cache that Bazel and Ingot speak to."""

import contextlib
import os
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from tests.servers import programs
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.server import Server

# The store has the layout of a disk cache (ac/hh/hash, cas/hh/hash), so that one folder can serve as both.
_CONFIGURATION = """\
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log stderr;
{user}
events {{
  worker_connections 256;
}}
http {{
  log_format requests '$request_method $request_uri $status';
  access_log {directory}/access.log requests;
  client_body_temp_path {store}/tmp;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  default_type application/octet-stream;
  client_max_body_size 0;
  server {{
    listen {address}:{port};
    root {store};
    log_not_found off;
    rewrite ^/(ac|cas)/(..)(.*)$ /$1/$2/$2$3 break;
    location / {{
      dav_methods PUT;
      create_full_put_path on;
    }}
  }}
}}
"""

# Asked for by the fixture itself; no cache client uses it.
_MARKER = "/end-of-log"


class Request(NamedTuple):
    """One line of the access log."""

    method: str
    path: str
    status: int


class NginxCache(Server):
    """An HTTP cache: `with NginxCache() as cache: … --remote_cache={cache.url} …`."""

    def __init__(self, store: Path | None = None) -> None:
        """`store` is a folder that outlives the server; without it the cache starts and ends empty."""
        super().__init__("nginx")
        self._store = store
        self._port = free_port()

    @property
    def url(self) -> str:
        """What --remote_cache takes."""
        return f"http://{LOOPBACK}:{self._port}"

    @property
    def store(self) -> Path:
        """The folder that holds the blobs."""
        return self._store or self.directory / "store"

    def damage(self) -> None:
        """Changes the last byte of everything that is stored."""
        for path in sorted(self.store.rglob("*")):
            if path.is_file():
                path.write_bytes(path.read_bytes()[:-1] + b"\x01")

    def requests(self) -> list[Request]:
        """All requests answered so far, oldest first.

        nginx writes a request to its log after the client has the answer. Its one worker finishes that before it turns
        to the next request, so that an answer to a request of ours means that the log is complete up to it.
        """
        self._answer_to_marker()
        log = (self.directory / "access.log").read_text().splitlines()
        requests = [Request(method, path, int(status)) for method, path, status in map(str.split, log)]
        return [request for request in requests if request.path != _MARKER]

    def _start(self) -> None:
        self.store.mkdir(parents=True, exist_ok=True)
        configuration = self.directory / "nginx.conf"
        configuration.write_text(
            _CONFIGURATION.format(
                directory=self.directory,
                store=self.store,
                address=LOOPBACK,
                port=self._port,
                # Started by root, nginx would give its workers to a user who cannot write to the store.
                user="user root;" if os.geteuid() == 0 else "",
            )
        )
        self._log_file("access")
        self._spawn("nginx", [programs.find("nginx"), "-e", "stderr", "-c", str(configuration)])
        self._wait_until("it answers", self._answers)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self._answer_to_marker() == HTTPStatus.NOT_FOUND
        return False

    def _answer_to_marker(self) -> int:
        with contextlib.closing(HTTPConnection(LOOPBACK, self._port, timeout=30)) as connection:
            connection.request("GET", _MARKER)
            return connection.getresponse().status
