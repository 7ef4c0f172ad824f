#!/usr/bin/env bash
# Shows Ingot's main job on real input: a GPU kernel module for two GPU generations and a firmware source for two AVR
# chips, each compiled twice. INGOT names the driver; `./tools/dev demo` sets it.

set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${INGOT:?names the ingot program; run ./tools/dev demo}"

# A folder that stays, so that the results can be looked at; each demo starts with an empty store.
results=${INGOT_DEMO_DIR:-$PWD/demo-results}
rm -rf "$results"
mkdir -p "$results"
export INGOT_DISK_CACHE=$results/store INGOT_STATE_DIR=$results/state INGOT_IGNORE_RC=1

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }

compile_all() {
  local cpu
  for cpu in sm_80 sm_90; do
    "$INGOT" compile examples/saxpy/saxpy.cu --target=nvptx64 --cpu=$cpu -o "$results/saxpy.$cpu.ptx" -v
  done
  for cpu in atmega328p attiny85; do
    "$INGOT" compile examples/blink/firmware.c --target=avr --cpu=$cpu -Os -o "$results/firmware.$cpu.o" -v
  done
}

say "1. The first time: nothing is in the store, so everything is compiled."
compile_all

say "2. The second time: everything comes from the store."
compile_all

say "3. What the store has seen."
"$INGOT" cache stats

say "4. What came out: $results"
(cd "$results" && ls -l -- *.ptx *.o)

say "   The kernel for sm_90:"
sed -n '/^\.version/,/^{/p' "$results/saxpy.sm_90.ptx" | head -n 16

for cpu in atmega328p attiny85; do
  say "   The function scale for the $cpu:"
  llvm-objdump-22 -dr --disassemble-symbols=scale --no-show-raw-insn --mcpu=$cpu "$results/firmware.$cpu.o" | sed -n '/<scale>/,$p'
done

say "5. Next:"
cat <<END
  ./tools/dev install ~/.local                 # puts ingot where it runs without this environment
  ~/.local/bin/ingot compile examples/saxpy/saxpy.cu --target=nvptx64 --cpu=sm_90 -o saxpy.ptx -v
  ./tools/dev bazel build //examples/...       # the same under Bazel
END
