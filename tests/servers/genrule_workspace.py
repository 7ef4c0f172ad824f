"""A small workspace for trying servers out, with actions that need nothing but a shell."""

from pathlib import Path

ACTIONS = 10

_RULE = """\
genrule(
    name = "part{index}",
    outs = ["part{index}.txt"],
    cmd = {command!r},
)
"""


def write(folder: Path, command: str = "echo {index} > $@") -> None:
    """Writes a workspace of independent genrules; `command` is their shell command, with the rule's {index}."""
    folder.mkdir(parents=True)
    (folder / "MODULE.bazel").touch()
    rules = (_RULE.format(index=index, command=command.format(index=index)) for index in range(ACTIONS))
    (folder / "BUILD.bazel").write_text("".join(rules))
