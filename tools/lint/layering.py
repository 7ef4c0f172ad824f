#!/usr/bin/env python3
"""Checks that dependencies go downwards only, by asking `bazel query`.

    tools -> runtime -> compiler -> {targets, cache}

and that what the driver links has no LLVM in it, and what the compile tool links has no cache in it. Prints one line for
each rule, and for a broken one a path that breaks it. Exit status 1 if any is broken.
"""

import subprocess
import sys

# (what must not depend, on what, the reason)
RULES = [
    ("//cache/...", "//compiler/... + //runtime/... + //targets/... + //tools/...", "cache is a leaf"),
    ("//cache/...", "@llvm//...", "cache knows no LLVM"),
    ("//targets/...", "//compiler/... + //runtime/... + //cache/...", "targets know no cache and no compiler"),
    ("//compiler/...", "//runtime/... + //tools/driver/... + //tools/compile_tool/...", "the compiler is below the tools"),
    ("//runtime/...", "//tools/driver/...", "the runtime builder is below the driver"),
    ("//tools/driver:ingot", "@llvm//...", "the driver links no LLVM"),
    ("//tools/compile_tool:ingot-compile", "//cache/...", "the compile tool has no cache"),
    ("//tools/compile_tool:ingot-compile", "//tools/driver/...", "the compile tool does not know the driver"),
    ("//compiler/invocation/...", "@llvm//... + //cache/...", "the driver and the tool share it"),
]

# Test-only tools that a layer's data may name; they are no part of what it links.
IGNORED = "//tools/lint/... + //tools/deps/..."


def query(expression: str) -> list[str]:
    """Returns the labels that `expression` gives."""
    result = subprocess.run(
        ["bazel", "query", "--noshow_progress", "--ui_event_filters=-info,-debug,-warning", "--noimplicit_deps", "--notool_deps", expression],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return result.stdout.split()


def exists(pattern: str) -> bool:
    """Whether a pattern of this workspace has any target; a layer may not have been built yet."""
    result = subprocess.run(
        ["bazel", "query", "--noshow_progress", "--notool_deps", pattern],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return result.returncode == 0 and bool(result.stdout.strip())


def main() -> int:
    broken = 0
    known = {pattern: True for pattern in ("@llvm//...",)}

    def present(patterns: str) -> list[str]:
        parts = [part.strip() for part in patterns.split("+")]
        for part in parts:
            if part not in known:
                known[part] = exists(part)
        return [part for part in parts if known[part]]

    for source, target, reason in RULES:
        sources, targets = present(source), present(target)
        if not sources or not targets:
            print(f"layering: nothing to check: {source} has no path to {target}")
            continue
        # What is linked, that is: a test's own rule depends on Bazel's coverage tools, which no offline machine has.
        linked = f"kind('cc_(library|binary) rule', {' + '.join(sources)})"
        path = query(f"somepath({linked}, ({' + '.join(targets)}) except ({IGNORED}))")
        if path:
            broken += 1
            print(f"layering: BROKEN: {reason}, but {source} reaches {target}:\n    " + "\n    ".join(path))
        else:
            print(f"layering: {source} has no path to {target}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
