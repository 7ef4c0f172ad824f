"""A hit that comes from a server on the loopback: Ingot from nginx, recc from buildbox-casd."""

import os
import subprocess
from collections.abc import Sequence

from tests.perf.processes import Contender, measure, show
from tests.perf.workload import Workload, program
from tests.servers.buildbox import CasdCache
from tests.servers.nginx import NginxCache


def recc(name: str, compiler: Sequence[str], workload: Workload, cache: CasdCache) -> Contender:
    """recc in front of a compiler's command, with a result in the cache. It is to run in the workload's folder."""
    environment = {
        **workload.environment,
        "RECC_SERVER": cache.endpoint,
        "RECC_CACHE_ONLY": "1",
        "RECC_CACHE_UPLOAD_LOCAL_BUILD": "1",
        "RECC_PROJECT_ROOT": str(workload.folder),
    }
    contender = Contender(name, [program("recc"), *compiler], environment)
    # A C compiler's output has no counters to ask, but recc says what it did.
    for _ in range(2):
        run = subprocess.run(contender.command, env={**environment, "RECC_LOG_LEVEL": "info"}, capture_output=True, text=True, check=True)
    if "Action Cache hit" not in run.stderr:
        raise RuntimeError(f"recc does not hit: {run.stderr}")
    return contender


def run(workload: Workload) -> dict[str, float]:
    """Times both, shows them and returns the ratio; nothing while Ingot has no remote cache."""
    with CasdCache() as casd, NginxCache() as nginx:
        os.chdir(workload.folder)  # recc names files from its working directory
        contenders = [Contender("true", [program("true")], workload.environment), recc("recc hit", workload.clang(), workload, casd)]
        with_remote = workload.driver_knows("--remote_cache")
        if with_remote:
            # No local store: each of its hits is the server's.
            contenders.append(workload.require_hit(workload.ingot("ingot remote hit", workload.kernel, f"--remote_cache={nginx.url}", store=None)))
        timings = measure(contenders, workload.rounds)
    show(timings, reference="true")
    if not with_remote:
        print("this ingot has no --remote_cache: not compared")
        return {}
    return {"remote hit / recc": timings["ingot remote hit"].median_ms / timings["recc hit"].median_ms}
