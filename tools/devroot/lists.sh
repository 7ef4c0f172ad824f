# shellcheck shell=bash
# The package lists, and the names of everything that depends on them.

# Raise this when the way a root is created changes, not just its packages.
readonly ROOT_FORMAT=1
# The same for what tests need: Debian and Python packages, Debian packages that
# are only unpacked, and those of npm.
readonly TESTS_FORMAT=1
readonly UNPACKED_FORMAT=1
readonly NODE_FORMAT=2
readonly ROOT_SUITE=forky

# Prints the packages of one section of packages.txt, one a line.
#   packages_of build|test|unpack
packages_of() {
  local wanted="[$1]" section='' line
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%%#*}
    line=${line//[[:space:]]/}
    case $line in
      '') ;;
      '['*) section=$line ;;
      *) [[ $section != "$wanted" ]] || printf '%s\n' "$line" ;;
    esac
  done <"$DEVROOT/packages.txt"
}

# Sets ROOT_KEY: the same for two checkouts exactly if they can share a root.
# Sets TESTS_KEY_*: the same exactly if nothing of that kind needs adding.
# One sha256sum for all of them, since this runs before every command.
# shellcheck disable=SC2034 # The other parts read these.
compute_keys() {
  local build tests unpacked python node
  build="$ROOT_FORMAT $ROOT_SUITE $(uname -m) $EUID $(packages_of build)"
  tests="$TESTS_FORMAT $(packages_of test)"
  unpacked="$UNPACKED_FORMAT $(packages_of unpack)"
  python="$TESTS_FORMAT $(<"$DEVROOT/requirements.txt")"
  node="$NODE_FORMAT $(<"$DEVROOT/package.json") $(<"$DEVROOT/package-lock.json")"
  local -a sums
  mapfile -t sums < <(
    sha256sum <(printf '%s' "$build") <(printf '%s' "$tests") \
      <(printf '%s' "$unpacked") <(printf '%s' "$python") <(printf '%s' "$node")
  )
  [[ ${#sums[@]} -eq 5 ]] || die 'sha256sum failed'
  ROOT_KEY=${sums[0]:0:16}
  TESTS_KEY_PACKAGES=${sums[1]:0:16}
  TESTS_KEY_UNPACKED=${sums[2]:0:16}
  TESTS_KEY_PYTHON=${sums[3]:0:16}
  TESTS_KEY_NODE=${sums[4]:0:16}
}
