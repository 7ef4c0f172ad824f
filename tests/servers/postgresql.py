"""PostgreSQL with one empty database, for servers that keep their state in it."""

import os
import pwd
import subprocess
from signal import SIGINT

from tests.servers import programs
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.server import Server

_DATABASE = "test"
_SUPERUSER = "postgres"


class Postgresql(Server):
    """A database server: `with Postgresql() as database: … database.uri …`."""

    def __init__(self) -> None:
        super().__init__("postgresql")
        self._port = free_port()

    @property
    def uri(self) -> str:
        """What SQLAlchemy and libpq take."""
        return f"postgresql://{_SUPERUSER}@{LOOPBACK}:{self._port}/{_DATABASE}"

    def query(self, statement: str) -> list[str]:
        """The rows of a statement's result, with `|` between columns."""
        argv = [programs.find_postgresql("psql"), "-X", "-A", "-t", "-q", "-c", statement, self.uri]
        answer = subprocess.run(argv, capture_output=True, text=True, cwd=self.directory, check=True)
        return answer.stdout.splitlines()

    def _start(self) -> None:
        # PostgreSQL refuses to run as root.
        user = _SUPERUSER if os.geteuid() == 0 else None
        home = self.directory / "home"
        home.mkdir()
        if user:
            account = pwd.getpwnam(user)
            os.chown(home, account.pw_uid, account.pw_gid)
        data = home / "data"
        self._run_step(
            "initdb",
            [
                programs.find_postgresql("initdb"),
                *("--pgdata", str(data)),
                *("--username", _SUPERUSER),
                *("--auth", "trust"),
                *("--encoding", "UTF8"),
                *("--locale", "C"),
                "--no-sync",
            ],
            user=user,
        )
        # SIGINT is its fast shutdown: it does not wait for clients to leave.
        self._spawn(
            "postgres",
            [
                programs.find_postgresql("postgres"),
                *("-D", str(data)),
                *("-h", LOOPBACK),
                *("-p", str(self._port)),
                *("-k", str(home)),
                *("-c", "fsync=off"),
            ],
            home=home,
            user=user,
            stop_signal=SIGINT,
        )
        ready = [programs.find_postgresql("pg_isready"), "-q", "-h", LOOPBACK, "-p", str(self._port)]
        self._wait_until("it accepts connections", lambda: subprocess.run(ready, check=False).returncode == 0)
        create = [programs.find_postgresql("createdb"), "-h", LOOPBACK, "-p", str(self._port)]
        self._run_step("createdb", [*create, "-U", _SUPERUSER, _DATABASE])
