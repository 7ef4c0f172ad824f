#!/usr/bin/env bash
# Every check of the sources' form: layout, mistakes that tools find, and the layering of the dependencies. Runs all of
# them and then says which failed. With --fix, mends what can be mended by itself.

set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

fix=false
[[ ${1:-} == --fix ]] && fix=true
failed=()

# Tracked files and new ones that git does not ignore.
sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [[ -e $f ]] && echo "$f"; done; }

check() {
  local name=$1
  shift
  printf 'lint: %s\n' "$name"
  "$@" || failed+=("$name")
}

clang_format() {
  local mode=(--dry-run --Werror)
  $fix && mode=(-i)
  sources '*.h' '*.cc' | xargs clang-format-22 "${mode[@]}"
}

buildifier_all() {
  local mode=(-mode=check)
  $fix && mode=(-mode=fix)
  # native-*: Bazel 7 has the Python rules and cc_common built in; rules_python would be one more dependency, and rules_cc has
  # cc_common only in later versions. unnamed-macro: a list of repositories has no name.
  local off=-native-py,-native-cc-common,-native-cc-info,-unnamed-macro
  sources '*.bzl' '*.bazel' WORKSPACE | xargs buildifier -lint=warn -warnings=$off "${mode[@]}"
}

shellcheck_all() {
  { sources '*.sh'; sources tools/dev .ci/run; } | xargs shellcheck --external-sources --severity=info
}

python_syntax() { sources '*.py' | xargs python3 -m py_compile; }

clang_tidy() { bazel build --config=clang-tidy --noshow_progress -k //cache/... //compiler/... //targets/... //tools/...; }

# Names that say nothing; see the design's vocabulary.
banned_names() {
  local hits
  hits=$(sources | grep -vE '(^|/)(testdata|registry)/' | grep -iE '(^|[/_.-])(utils?|managers?|helpers?|misc|common)([/_.-]|$)')
  [[ -z $hits ]] && return 0
  printf '%s\n' "$hits"
  return 1
}

check clang-format clang_format
check buildifier buildifier_all
check shellcheck shellcheck_all
check 'python syntax' python_syntax
check 'file names' banned_names
check layering python3 tools/lint/layering.py
check clang-tidy clang_tidy

if ((${#failed[@]})); then
  printf 'lint: failed: %s\n' "${failed[*]}"
  exit 1
fi
echo 'lint: all passed'
