"""BuildGrid as the remote execution service that Bazel and Ingot speak to."""

from types import MappingProxyType

from tests.servers import programs
from tests.servers.buildbox import BuildboxWorker
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.postgresql import Postgresql
from tests.servers.server import Server

# What the workers offer, and what a client has to ask for: the scheduler refuses platform keys that it does not know.
PLATFORM = MappingProxyType({"OSFamily": "linux", "ISA": "x86-64"})

# The same for Bazel, which must get each of them once: it crashes when one is repeated.
PLATFORM_FLAGS = tuple(f"--remote_default_exec_properties={key}={value}" for key, value in PLATFORM.items())

# How long a worker may be silent before its job goes to another one.
_KEEPALIVE_SECONDS = 30

# The value of google.longrunning's ExecutionStage.EXECUTING in the scheduler's tables.
_EXECUTING = 3

# All intervals are far shorter than the defaults, which suit big farms and make small actions wait for seconds.
_CONFIGURATION = """\
server:
  - !channel
    address: "{address}:{port}"
    insecure-mode: true
authorization:
  method: none
connections:
  - !sql-connection &database
    connection-string: {database}
    pool-size: 10
    max-overflow: 20
storages:
  - !disk-storage &storage
    path: {directory}/cas
caches:
  - !lru-action-cache &actions
    storage: *storage
    max-cached-refs: 4096
    allow-updates: true
    cache-failed-actions: false
schedulers:
  - !sql-scheduler &scheduler
    sql: *database
    storage: *storage
    action-cache: *actions
    poll-interval: 0.2
    bot-poll-interval: 0.1
    bot-session-keepalive-timeout: {keepalive}
    session-expiry-timer-interval: 1
    property-set: !dynamic-property-set
      match-property-keys: [OSFamily, ISA]
    assigners:
      - !priority-age-assigner
        count: 1
        interval: 0.05
instances:
  - name: ""
    services:
      - !action-cache
        cache: *actions
      - !execution
        scheduler: *scheduler
      - !cas
        storage: *storage
      - !bytestream
        storage: *storage
thread-pool-size: 60
"""


class BuildGrid(Server):
    """A scheduler, its storage and its workers: `with BuildGrid(workers=2) as grid: … {grid.endpoint} …`."""

    def __init__(self, workers: int) -> None:
        super().__init__("buildgrid")
        self._port = free_port()
        self._worker_count = workers
        self._workers: list[BuildboxWorker] = []
        self._database = Postgresql()

    @property
    def endpoint(self) -> str:
        """What --remote_executor and --remote_cache take."""
        return f"grpc://{LOOPBACK}:{self._port}"

    def kill_worker(self, index: int) -> None:
        """Kills a worker and its job at once; the scheduler learns of it only by the worker's silence."""
        self._workers[index].kill()

    def wait_until_busy(self, index: int) -> None:
        """Returns when the worker executes a job."""
        bot = self._workers[index].bot
        condition = f"stage = {_EXECUTING} and assigned and worker_name = '{bot}'"
        self._wait_until(f"{bot} executes a job", lambda: self._count(f"jobs where {condition}"))

    def jobs_by_worker(self) -> list[int]:
        """How many jobs each worker has finished."""
        return [
            self._count(f"jobs where worker_completed_timestamp is not null and worker_name = '{worker.bot}'")
            for worker in self._workers
        ]

    def _count(self, rows: str) -> int:
        return int(self._database.query(f"select count(*) from {rows}")[0])

    def _start(self) -> None:
        self._enter(self._database)
        bgd = programs.find_in_venv("bgd")
        # Without its tables the server starts all the same, and then every call fails.
        self._run_step("migrate", [bgd, "migrate", "apply", self._database.uri])
        configuration = self.directory / "buildgrid.yml"
        configuration.write_text(
            _CONFIGURATION.format(
                address=LOOPBACK,
                port=self._port,
                database=self._database.uri,
                directory=self.directory,
                keepalive=_KEEPALIVE_SECONDS,
            )
        )
        self._spawn("bgd", [bgd, "server", "start", str(configuration)])
        self._wait_for_port(self._port)
        for index in range(self._worker_count):
            worker = BuildboxWorker(f"worker{index}", f"http://{LOOPBACK}:{self._port}", PLATFORM)
            self._workers.append(self._enter(worker))
        self._wait_until("all workers are registered", lambda: self._count("bots") == self._worker_count)
