"""Where the programs of the servers are."""

import os
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


def find_in_venv(name: str) -> str:
    """The path of a program in the Python environment of the tests, which INGOT_TEST_VENV names."""
    venv = Path(os.environ.get("INGOT_TEST_VENV", "/opt/ingot-tests/venv"))
    path = venv / "bin" / name
    if not path.exists():
        raise ProgramNotFound(f"{name} is not installed in {venv} (INGOT_TEST_VENV names another environment)")
    return str(path)


def find_postgresql(name: str) -> str:
    """The path of a PostgreSQL program; distributions keep those outside PATH, one folder per version."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else find(name)
