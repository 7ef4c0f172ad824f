#!/usr/bin/env bash
# Writes hot_symbols.txt: the functions that small compilations call. The linker puts them side by side, which saves a page
# fault in four and an eighth of the time of a small compilation. Worth running again after a change of LLVM's version; a
# name that no longer exists does no harm.
#
#   ./tools/dev shell tools/compile_tool/make_hot_symbols.sh
#
# Needs valgrind, which is not part of the development environment.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v valgrind >/dev/null || {
  echo "make_hot_symbols.sh: valgrind is not installed; in the development root: apt-get install valgrind" >&2
  exit 1
}

# Not optimised: LLVM's own code is the same, and the symbols are there.
bazel build //tools/compile_tool:ingot-compile
tool=$(bazel info bazel-bin)/tools/compile_tool/ingot-compile
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

trace() {
  valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file="$work/calls.%p" "$tool" -o "$work/out" "$@"
}
trace --target=nvptx64 --cpu=sm_90 examples/saxpy/saxpy.ll
trace --target=avr --cpu=atmega328p -Os examples/blink/blink.ll

# "fn=(12) name" introduces a name; what valgrind could not name starts with a digit or a bracket.
cat "$work"/calls.* | sed -nE "s/^c?fn=\([0-9]+\) ([A-Za-z_.][^ ']*)('[0-9]+)?$/\1/p" | LC_ALL=C sort -u >tools/compile_tool/hot_symbols.txt
wc -l tools/compile_tool/hot_symbols.txt
