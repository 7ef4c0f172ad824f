#!/usr/bin/env bash
# Writes a program's hot_symbols.txt: the functions that its usual short run calls and, of ingot, the data that it touches. The
# linker puts them side by side, so that the run touches fewer pages: a page fault in four less for a small compilation, two in
# five for a cache hit. Worth running
# again when the program's libraries change, or much of the program; a name that no longer exists does no harm.
#
#   ./tools/dev shell tools/make_hot_symbols.sh           # both programs
#   ./tools/dev shell tools/make_hot_symbols.sh ingot     # one
#
# Needs valgrind, which is not part of the development environment.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v valgrind >/dev/null || {
  echo "make_hot_symbols.sh: valgrind is not installed; in the development root: apt-get install valgrind" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# Of the C library's functions with several versions valgrind calls those for AVX2; newer processors get those for AVX-512.
write_symbols() {
  sed -E '
    /^__[a-z]+_avx2?(_|$)/ {
      p
      h
      s/_avx2?/_evex/p
      g
      s/_avx2?/_avx512/
    }' |
    LC_ALL=C sort -u >"$1"
  wc -l "$1"
}

trace_calls() {
  valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file="$work/calls.%p" "$@"
}

# "fn=(12) name" introduces a name; what valgrind could not name starts with a digit or a bracket.
called_symbols() {
  sed -nE "s/^c?fn=\([0-9]+\) ([A-Za-z_.][^ ']*)('[0-9]+)?$/\1/p" "$work"/calls.*
}

# Every access to memory, which is too much for more than a hit.
trace_accesses() {
  valgrind --quiet --tool=lackey --trace-mem=yes --log-file="$work/accesses.%p" "$@"
}

# Of each symbol of the program $1 that lies at or before an address of a trace, with none between them, all names.
touched_symbols() {
  {
    nm "$1" | awk '$2 ~ /^[A-Za-z]$/ && $2 !~ /[UNA]/ { print $1, "symbol", $3 }'
    sed -nE 's/^(I | [LSM]) *([0-9a-f]+),[0-9]+$/000000000000000\2/p' "$work"/accesses.* |
      sed -E 's/^0*([0-9a-f]{16})$/\1 touched/' | sort -u
  } | LC_ALL=C sort | awk '
    $2 == "touched" { printf "%s", names; names = ""; next }
    $1 != last { last = $1; names = "" }
    { names = names $3 "\n" }'
}

make_ingot_compile() {
  local tool
  tool=$(bazel info "${FLAGS[@]}" bazel-bin)/tools/compile_tool/ingot-compile
  trace_calls "$tool" -o "$work/out" --target=nvptx64 --cpu=sm_90 examples/saxpy/saxpy.ll
  trace_calls "$tool" -o "$work/out" --target=avr --cpu=atmega328p -Os examples/blink/blink.ll
  called_symbols | write_symbols tools/compile_tool/hot_symbols.txt
}

make_ingot() {
  local program hit
  program=$(bazel info "${FLAGS[@]}" bazel-bin)/tools/driver/ingot
  export INGOT_DISK_CACHE=$work/store INGOT_STATE_DIR=$work/state
  hit=(
    "$program" compile
    examples/saxpy/saxpy.ll --target=nvptx64 --cpu=sm_90 -o "$work/out"
  )
  # Twice: a compile tool that was built a moment ago is not yet remembered.
  "${hit[@]}"
  sleep 3
  "${hit[@]}"
  trace_accesses "${hit[@]}" # over an output that is there
  rm -- "$work/out"
  trace_accesses "${hit[@]}" --disk_cache="$work/store"
  touched_symbols "$program" | write_symbols tools/driver/hot_symbols.txt
}

# Optimised, so that the list has the functions that are left then, but with the symbols there.
readonly FLAGS=(--copt=-O2 --copt=-DNDEBUG --strip=never)
programs=("$@")
[[ ${#programs[@]} -gt 0 ]] || programs=(ingot ingot-compile)
bazel build "${FLAGS[@]}" //tools/driver:ingot //tools/compile_tool:ingot-compile
for program in "${programs[@]}"; do
  case $program in
    ingot) make_ingot ;;
    ingot-compile) make_ingot_compile ;;
    *)
      echo "make_hot_symbols.sh: no program '$program'; there are ingot and ingot-compile" >&2
      exit 2
      ;;
  esac
done
