# shellcheck shell=bash
# The home directory in the root, with what makes Bazel work there, and the care
# for Bazel servers, which outlive the command that started them.

# Makes the home directory of this checkout what it should be. Cheap when it is.
prepare_home() {
  local session state
  session="$(<"$ROOT_DIR/id") $(stat -c '%d:%i' -- "$CHECKOUT")"
  state=$CHECKOUT_STATE/session
  mkdir -p -- "$CHECKOUT_STATE/home"
  # A server sees the root and the checkout of the time it started. If one of
  # them is another directory now, even at the same path, it sees a deleted one.
  if [[ ! -e $state || $(<"$state") != "$session" ]]; then
    stop_servers_of_checkout
    printf '%s\n' "$session" >"$state.new.$$"
    mv -- "$state.new.$$" "$state"
  fi
  write_if_different "$CHECKOUT_STATE/home/.bazelrc" "$(bazelrc)"
  write_if_different "$CHECKOUT_STATE/home/.gitconfig" "$(gitconfig)"
  if ((EUID != 0)); then
    write_if_different "$CHECKOUT_STATE/passwd" "$(accounts passwd "$HOST_USER:x:$EUID:$(id -g)::$CHECKOUT_STATE/home:/bin/bash")"
    write_if_different "$CHECKOUT_STATE/group" "$(accounts group "$HOST_USER:x:$(id -g):")"
  fi
}

#   write_if_different FILE TEXT
write_if_different() {
  [[ ! -e $1 || $(<"$1") != "$2" ]] || return 0
  # Written in place of the old one by a rename: another run may be reading it.
  printf '%s\n' "$2" >"$1.new.$$"
  mv -- "$1.new.$$" "$1"
}

# The root's accounts, with one more: programs ask for the name of a user id.
#   accounts passwd|group LINE
accounts() {
  printf '%s\n%s' "$(<"$ROOT_DIR/root/etc/$1")" "$2"
}

bazelrc() {
  local kind options
  printf '# Written by tools/dev before each command.\n'
  # The state depends on the root: what Bazel found out about one root's
  # compilers and libraries is not true in another.
  printf 'startup --output_user_root="%s"\n' "$(bazel_state)"
  # The checkout's own options for a machine with Debian's packages, for every
  # workspace that is built in this root, nested ones too.
  while read -r kind options; do
    printf '%s %s\n' "${kind%:distribution}" "${options//%workspace%/$CHECKOUT}"
  done < <(grep -E '^(common|build|test):distribution ' "$CHECKOUT/.bazelrc" 2>/dev/null)
}

gitconfig() {
  # The checkout may belong to another user than the one in the root.
  printf '[safe]\n\tdirectory = %s\n' "$CHECKOUT"
}

# Prints the directory that Bazel keeps everything of this root in.
bazel_state() {
  printf '%s/bazel/%s' "$DEV_CACHE" "$(<"$ROOT_DIR/id")"
}

stop_servers_of_checkout() {
  stop_bazel_servers "$DEV_CACHE"/bazel/* "--workspace_directory=$CHECKOUT"
}

# Ends the Bazel servers of some state directories, if they still run; with a
# last argument --workspace_directory=DIR only those that serve this directory.
#   stop_bazel_servers STATE_DIRECTORY... [--workspace_directory=DIR]
stop_bazel_servers() {
  local state file workspace=''
  case ${!#} in
    --workspace_directory=*)
      workspace=${!#}
      set -- "${@:1:$#-1}"
      ;;
  esac
  for state; do
    for file in "$state"/*/server/server.pid.txt; do
      [[ ! -e $file ]] || stop_bazel_server "$state" "$(<"$file")" "$workspace"
    done
  done
}

#   stop_bazel_server STATE_DIRECTORY PID WORKSPACE_ARGUMENT
stop_bazel_server() {
  local argument is_ours='' serves=''
  [[ $2 =~ ^[0-9]+$ && -r /proc/$2/cmdline ]] || return 0
  # The number may belong to another process by now.
  while IFS= read -r -d '' argument; do
    case $argument in
      --output_user_root="$1" | --output_base="$1"/*) is_ours=yes ;;
      "$3" | "$3"/*) serves=yes ;;
    esac
  done 2>/dev/null <"/proc/$2/cmdline"
  [[ $is_ours ]] || return 0
  [[ ! $3 || $serves ]] || return 0
  step "stopping a Bazel server that runs in an earlier environment"
  kill -- "$2" 2>/dev/null || return 0
  local tries
  for ((tries = 0; tries < 50; tries++)); do
    kill -0 -- "$2" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "$2" 2>/dev/null || true
}

remove_bazel_state() {
  local state
  for state; do
    [[ -d $state ]] || continue
    # Bazel makes its outputs read-only.
    chmod -R u+w -- "$state"
    rm -rf --one-file-system -- "$state"
  done
}
