"""Compiles many inputs through the cache twice: at first all miss, then all hit, with the same bytes.

    with Ingot() as ingot:
        outputs = compile_twice(ingot, ["a.c", "b.c"], "--target=avr", cwd=folder)
        outputs["a.c"].read_bytes()
"""

import pathlib
from collections.abc import Sequence

from tests.suites.ingot_command import Ingot


def compile_all(ingot: Ingot, inputs: Sequence[str], *options: str, cwd: pathlib.Path, into: pathlib.Path, word: str) -> dict[str, pathlib.Path]:
    """Compiles in one command; the cache must say `word` of each input. Returns the outputs by input."""
    run = ingot.compile(*inputs, *options, "-o", f"{into}/", cwd=cwd)
    if run.exit_code not in (0, 1):
        raise AssertionError(f"{options}: exit code {run.exit_code}\n{run.err}")
    refused = [f"{result['input']}: {result['error']}" for result in run.results if result["exit_code"] != 0]
    if refused:
        raise AssertionError(f"{len(refused)} of {len(inputs)} are refused with {options}:\n" + "\n".join(refused)[:20000])
    words = {result["input"]: result["cache"] for result in run.results}
    if words != dict.fromkeys(inputs, word):
        raise AssertionError(f"not every input is a {word} with {options}: {words}")
    return {result["input"]: into / pathlib.Path(result["output"]).name for result in run.results}


def compile_twice(ingot: Ingot, inputs: Sequence[str], *options: str, cwd: pathlib.Path, again_in: pathlib.Path | None = None) -> dict[str, pathlib.Path]:
    """Returns the outputs by input. The second time may be in another folder with the same files."""
    number = len(list(ingot.work.glob("first-*")))
    first = compile_all(ingot, inputs, *options, cwd=cwd, into=_new_folder(ingot, f"first-{number}"), word="miss")
    second = compile_all(ingot, inputs, *options, cwd=again_in or cwd, into=_new_folder(ingot, f"second-{number}"), word="hit")
    for source, output in first.items():
        made = output.read_bytes()
        if not made:
            raise AssertionError(f"{source}: an empty output")
        if made != second[source].read_bytes():
            raise AssertionError(f"{source}: the cache gave other bytes than the compiler")
    return first


def _new_folder(ingot: Ingot, name: str) -> pathlib.Path:
    folder = ingot.work / name
    folder.mkdir()
    return folder
