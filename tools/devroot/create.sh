# shellcheck shell=bash
# Makes the root from the [build] section.
#
# A root is built in a directory of another name and renamed when it is
# complete, so an interrupted creation leaves nothing that could be entered. A
# lock that the kernel releases keeps two runs from doing the same work.

# Makes sure that the root of this checkout exists.
ensure_root() {
  [[ ! -e $ROOT_DIR/id ]] || return 0
  mkdir -p -- "$DEV_CACHE/roots" "$DEV_CACHE/logs"
  local lock
  begin_interruptible
  exec {lock}>"$DEV_CACHE/roots/.lock"
  lock_or_wait "$lock" 'another tools/dev is making a root; waiting for it'
  if [[ ! -e $ROOT_DIR/id ]]; then
    require_host_tools
    remove_partial_roots
    create_root
  fi
  exec {lock}>&-
  end_interruptible
}

#   lock_or_wait FD MESSAGE
lock_or_wait() {
  flock --nonblock "$1" || {
    step "$2"
    flock "$1"
  }
}

# The lock is held, so whoever made these is gone.
remove_partial_roots() {
  local partial
  for partial in "$DEV_CACHE"/roots/.partial-*; do
    [[ -d $partial ]] || continue
    step "removing what an interrupted run left: ${partial##*/}"
    remove_root_directory "$partial"
  done
}

# Removes a directory with a root in it, but never what is mounted inside.
remove_root_directory() {
  if grep -qF -- " $1/" /proc/self/mountinfo; then
    die "$1 still has something mounted in it; unmount that first (see" \
      "/proc/self/mountinfo)"
  fi
  "${AS_MAPPED_ROOT[@]}" rm -rf --one-file-system -- "$1"
}

create_root() {
  local partial log=$DEV_CACHE/logs/create-root.log
  partial=$(mktemp -d -- "$DEV_CACHE/roots/.partial-XXXXXXXX")
  # mktemp allows nobody else in, and the root's own users are somebody else.
  chmod 755 -- "$partial"
  : >"$log"
  host_apt_settings >"$partial/apt.conf"
  step "making a private Debian root ($ROOT_SUITE) in $ROOT_DIR"
  step 'this takes a few minutes, once; all output goes to' "$log"
  run_mmdebstrap "$partial" "$log" || {
    show_log_end "$log"
    remove_root_directory "$partial"
    die "mmdebstrap failed; all of its output is in $log"
  }
  step 'settling the root'
  settle_root "$partial/root" "$partial/apt.conf"
  # Names this very root: a Bazel server that still runs in an earlier one must
  # not be taken for one that runs in this one.
  printf '%s-%s\n' "$ROOT_KEY" "${partial##*-}" >"$partial/id"
  sync -f -- "$partial/id"
  [[ ! -e $ROOT_DIR ]] || remove_root_directory "$ROOT_DIR"
  mv -T -- "$partial" "$ROOT_DIR"
  step 'the root is ready'
}

#   run_mmdebstrap PARTIAL LOG
run_mmdebstrap() {
  local partial=$1 log=$2 mirror packages
  mirror=$(host_mirror)
  packages=$(packages_of build | paste -sd,)
  local -a command=(
    mmdebstrap --verbose --variant=apt --mode=root
    --aptopt='APT::Install-Recommends "false"'
    --aptopt="$partial/apt.conf"
    --dpkgopt='force-unsafe-io'
    --dpkgopt='path-exclude=/usr/share/locale/*'
    --dpkgopt='path-exclude=/usr/share/doc/*'
    --dpkgopt='path-include=/usr/share/doc/*/copyright'
    --include="$packages"
  )
  command+=("$ROOT_SUITE" "$partial/root")
  [[ ! $mirror ]] || command+=("$mirror")
  # In namespaces of its own, so that all of its processes and mounts are gone
  # with it, and that is gone when this script is, even by a SIGKILL. (The signal
  # has to be set inside the mapping, which would take it back.)
  "${AS_MAPPED_ROOT[@]}" setpriv --pdeathsig KILL -- \
    unshare --mount --pid --fork --kill-child --mount-proc -- \
    "${command[@]}" 2>&1 </dev/null | follow_mmdebstrap "$log"
}

# Copies mmdebstrap's output to the log, and its milestones to the user.
follow_mmdebstrap() {
  local line unpacked=0 configured=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    case $line in
      'I: '*' done' | 'I: done') ;;
      'I: automatically'* | 'I: chroot arch'* | 'I: cleaning'*) ;;
      'I: '*) step "${line#I: }" ;;
      'Unpacking '*)
        ((++unpacked % 100)) || step "  $unpacked packages unpacked"
        ;;
      'Setting up '*)
        ((++configured % 100)) || step "  $configured packages configured"
        ;;
    esac
  done
}

# Sets up what the packages do not. What belongs to the root's "root" belongs to
# this user, so this needs no mapping.
#   settle_root ROOT APT_CONF
settle_root() {
  local root=$1
  # The host's resolver and hosts file are bound over these.
  rm -f -- "$root/etc/resolv.conf" "$root/etc/hosts"
  : >"$root/etc/resolv.conf"
  : >"$root/etc/hosts"
  mkdir -p -- "$root/opt/ingot-tests" "$root/opt/ingot-host"
  : >"$root/opt/ingot-host/ca-bundle.crt"
  cp -- "$2" "$root/etc/apt/apt.conf.d/90host"
  # The authorities that the host trusts, wherever the host keeps them.
  printf 'Acquire::https::CAInfo "/opt/ingot-host/ca-bundle.crt";\n' \
    >"$root/etc/apt/apt.conf.d/91host-authorities"
  # No package may start a service, or make a database for one.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 -- "$root/usr/sbin/policy-rc.d"
  mkdir -p -- "$root/etc/postgresql-common"
  printf 'create_main_cluster = false\n' >"$root/etc/postgresql-common/createcluster.conf"
}

# Removes every root but this checkout's, with the Bazel state made in it.
prune_roots() {
  local lock root name in_use
  mkdir -p -- "$DEV_CACHE/roots"
  exec {lock}>"$DEV_CACHE/roots/.lock"
  lock_or_wait "$lock" 'another tools/dev is making a root; waiting for it'
  remove_partial_roots
  for root in "$DEV_CACHE"/roots/*/; do
    root=${root%/}
    name=${root##*/}
    [[ -d $root && $name != "$ROOT_KEY" ]] || continue
    stop_bazel_servers "$DEV_CACHE/bazel/$name-"*
    exec {in_use}>"$root/in-use"
    if flock --nonblock "$in_use"; then
      step "removing the root $name"
      remove_root_directory "$root"
      remove_bazel_state "$DEV_CACHE/bazel/$name-"*
    else
      step "keeping the root $name: a command still runs in it"
    fi
    exec {in_use}>&-
  done
  exec {lock}>&-
}
