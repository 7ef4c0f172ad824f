"""What buildbox offers: a remote worker with its own storage, and that storage alone as a cache."""

from collections.abc import Mapping

from tests.servers import programs
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.process import ServerProcess
from tests.servers.server import Server


class BuildboxWorker(Server):
    """Takes one job at a time from a scheduler and runs it with the tools of this machine, without a sandbox."""

    def __init__(self, bot: str, remote: str, platform: Mapping[str, str]) -> None:
        """`bot` is the worker's name, `remote` the URL of its scheduler and storage, `platform` what it offers."""
        super().__init__(bot)
        self.bot = bot
        self._remote = remote
        self._platform = platform
        self._programs: list[ServerProcess] = []

    def kill(self) -> None:
        """Kills the worker, its storage and its current job, as a power cut would."""
        for process in self._programs:
            process.kill()

    def _start(self) -> None:
        socket = self.directory / "casd.sock"
        self._programs.append(
            self._spawn(
                "casd",
                [
                    programs.find("buildbox-casd"),
                    f"--cas-remote={self._remote}",
                    f"--bind=unix:{socket}",
                    str(self.directory / "cache"),
                ],
            )
        )
        self._wait_until("the storage's socket is there", socket.is_socket)
        self._programs.append(
            self._spawn(
                "worker",
                [
                    programs.find("buildbox-worker"),
                    f"--bots-remote={self._remote}",
                    f"--cas-remote=unix:{socket}",
                    f"--buildbox-run={programs.find('buildbox-run-hosttools')}",
                    *(f"--platform={key}={value}" for key, value in self._platform.items()),
                    "--concurrent-jobs=1",
                    "--request-timeout=30",
                    self.bot,
                ],
            )
        )


class CasdCache(Server):
    """buildbox-casd alone: a cache of blobs and results over gRPC, for recc (`RECC_SERVER=cache.endpoint`)."""

    def __init__(self) -> None:
        super().__init__("casd")
        self._port = free_port()

    @property
    def endpoint(self) -> str:
        """Its URL."""
        return f"http://{LOOPBACK}:{self._port}"

    def _start(self) -> None:
        self._spawn("casd", [programs.find("buildbox-casd"), f"--bind={LOOPBACK}:{self._port}", str(self.directory / "cache")])
        self._wait_for_port(self._port)
