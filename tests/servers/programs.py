"""Where the programs of the servers are."""

import os
import re
import shutil
from pathlib import Path

# Tests run with Bazel's fixed PATH, which leaves out the folders of system programs such as nginx.
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin")

SEARCH_PATH = os.pathsep.join(dict.fromkeys([*os.environ.get("PATH", "").split(os.pathsep), *_SYSTEM_FOLDERS]))


class ProgramNotFound(Exception):
    """A program that a server needs is not installed."""


def find(name: str) -> str:
    """The path of an installed program."""
    path = shutil.which(name, path=SEARCH_PATH)
    if path is None:
        raise ProgramNotFound(f"{name} is not installed (searched {SEARCH_PATH})")
    return path


def venv() -> Path:
    """The Python environment of the tests, which INGOT_TEST_VENV names."""
    return Path(os.environ.get("INGOT_TEST_VENV", "/opt/ingot-tests/venv"))


def find_in_venv(name: str) -> str:
    """The path of a program in the Python environment of the tests."""
    path = venv() / "bin" / name
    if not path.exists():
        raise ProgramNotFound(f"{name} is not installed in {venv()} (INGOT_TEST_VENV names another environment)")
    return str(path)


def find_ptxas(cpu: str) -> str:
    """The path of the newest ptxas that knows a GPU such as "sm_90a": version 13 dropped those before sm_75."""
    number = re.fullmatch(r"sm_(\d+)[af]?", cpu)
    if number is None:
        raise ValueError(f"{cpu} is no GPU: sm_90 is one")
    folder = "cu13" if int(number[1]) >= 75 else "cuda_nvcc"
    found = sorted(venv().glob(f"lib/python3*/site-packages/nvidia/{folder}/bin/ptxas"))
    if not found:
        raise ProgramNotFound(f"ptxas for {cpu} is not installed in {venv()} (INGOT_TEST_VENV names another environment)")
    return str(found[-1])


def find_cuda_toolkit() -> Path:
    """The folder of a CUDA toolkit's headers and tools, as PyPI's packages make it."""
    found = sorted(venv().glob("lib/python3*/site-packages/nvidia/cu13"))
    if not found or not (found[-1] / "include" / "cccl").is_dir():
        raise ProgramNotFound(f"the headers of a CUDA toolkit are not installed in {venv()} (INGOT_TEST_VENV names another environment)")
    return found[-1]


def find_postgresql(name: str) -> str:
    """The path of a PostgreSQL program; distributions keep those outside PATH, one folder per version."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else find(name)
