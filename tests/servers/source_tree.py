"""The repository that the tests belong to."""

import os
import shutil
from pathlib import Path


def root() -> Path:
    """The top of the source tree: INGOT_SRC, or the folder with MODULE.bazel above this file.

    Under Bazel this file is a link from the test's runfiles into the source tree.
    """
    if override := os.environ.get("INGOT_SRC"):
        return Path(override).resolve()
    here = Path(__file__).resolve()
    for folder in here.parents:
        if (folder / "MODULE.bazel").is_file():
            return folder
    raise FileNotFoundError(f"no MODULE.bazel above {here}; set INGOT_SRC to the source tree")


def registry() -> Path:
    """The offline module registry: INGOT_REGISTRY, or the repository's own."""
    if override := os.environ.get("INGOT_REGISTRY"):
        return Path(override).resolve()
    return root() / "tools" / "deps" / "registry"


def copy_to(destination: Path) -> Path:
    """Copies the source tree as it is now, without version control, Bazel's output links and personal settings."""
    top = root()

    def left_out(folder: str, names: list[str]) -> set[str]:
        if Path(folder) != top:
            return set()
        return {name for name in names if name in (".git", "user.bazelrc") or name.startswith("bazel-")}

    return Path(shutil.copytree(top, destination, symlinks=True, ignore=left_out))
