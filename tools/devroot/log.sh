# shellcheck shell=bash
# What tools/dev says, and how. Everything goes to standard error, so that
# standard output belongs to the command that runs in the root.

# Ends with one message. Status 1: the environment is at fault.
die() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 1
}

# Ends with one message. Status 2: the command line is at fault.
die_usage() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 2
}

# One line of progress, with the seconds since tools/dev started.
step() {
  printf '[%4d s] %s\n' "$SECONDS" "$*" >&2
}

# Runs a command with its output in a log file. Shows the end of it on failure.
#   logged LOG COMMAND...
logged() {
  local log=$1
  shift
  if "$@" >>"$log" 2>&1 </dev/null; then
    return 0
  fi
  printf 'tools/dev: this failed: %s\n' "$*" >&2
  show_log_end "$log"
  return 1
}

show_log_end() {
  printf -- '--- the end of %s\n' "$1" >&2
  tail -n 25 -- "$1" >&2
  printf -- '---\n' >&2
}

# While an environment is made: Ctrl-C is one line, not the failure of whatever
# command it happened to stop. (Not for other signals: bash would wait for the
# command to end first, and without a trap it ends at once and takes it along.)
begin_interruptible() {
  trap 'printf "\ntools/dev: interrupted; the next run takes it up again\n" >&2; exit 130' INT
}

end_interruptible() {
  trap - INT
}
