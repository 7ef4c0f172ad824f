# shellcheck shell=bash
# Runs commands in the root. The checkout, the cache directory and /tmp are the
# host's, at their own paths; the rest of the file system is the root's.

# Replaces this process with a command in the root, with this user's identity.
#   exec_in_root COMMAND...
exec_in_root() {
  prepare_home
  local -a mounts=()
  common_mounts mounts
  if ((EUID != 0)); then
    mounts+=(
      --ro-bind "$CHECKOUT_STATE/passwd" /etc/passwd
      --ro-bind "$CHECKOUT_STATE/group" /etc/group
    )
  fi
  if [[ $CA_BUNDLE ]]; then
    mounts+=(--ro-bind "$CA_BUNDLE" /etc/ssl/certs/ca-certificates.crt)
  fi
  mounts+=(--chdir "$(directory_in_root)")
  # Held as long as anything runs in the root, by every process there: prune
  # asks for it. The kernel releases it.
  local in_use
  exec {in_use}>"$ROOT_DIR/in-use"
  flock --shared "$in_use"
  set_environment
  # Ctrl-C reaches the command through the terminal. bubblewrap, which waits for
  # it, must not die of that and leave a command without a parent; so the signal
  # is ignored there and given back to the command. Any other end of bubblewrap
  # (a kill of what the caller sees as tools/dev) is an order to the command to
  # end, too.
  trap '' INT QUIT
  exec bwrap "${mounts[@]}" -- \
    setpriv --pdeathsig TERM -- env --default-signal=INT,QUIT -- "$@"
}

# Runs a set-up command in the root, as its owner.
#   install_in_root COMMAND...
install_in_root() {
  # The environment changes for this command only.
  (
    prepare_home
    declare -a mounts=()
    common_mounts mounts
    mounts+=(--chdir /)
    installer_mounts mounts
    HOST_USER=root set_environment
    set_installer_environment
    "${AS_MAPPED_ROOT[@]}" bwrap "${mounts[@]}" -- "$@"
  )
}

#   common_mounts ARRAY_NAME
common_mounts() {
  local -n result=$1
  local path git_directory
  CA_BUNDLE=$(host_ca_bundle)
  result=(
    --bind "$ROOT_DIR/root" /
    --dev-bind /dev /dev
    # The host's own /proc: Bazel's linux-sandbox can mount another one inside
    # only if the one it sees is whole, which bubblewrap's own is not.
    --bind /proc /proc
    --bind /sys /sys
    --bind /tmp /tmp
    --bind "$DEV_CACHE" "$DEV_CACHE"
    --bind "$CHECKOUT" "$CHECKOUT"
  )
  # A linked worktree keeps its history elsewhere.
  if [[ -f $CHECKOUT/.git ]]; then
    git_directory=$(git -C "$CHECKOUT" rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || true
    [[ ! $git_directory ]] || result+=(--bind "$git_directory" "$git_directory")
  fi
  for path in /etc/resolv.conf /etc/hosts; do
    [[ ! -r $path ]] || result+=(--ro-bind "$path" "$path")
  done
  if [[ $CA_BUNDLE ]]; then
    result+=(--ro-bind "$CA_BUNDLE" /opt/ingot-host/ca-bundle.crt)
  fi
}

# What pip and npm of the host are configured with: an index, a proxy.
#   installer_mounts ARRAY_NAME
installer_mounts() {
  local -n more=$1
  local file
  for file in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-$HOST_HOME/.config}/pip/pip.conf" \
    "$HOST_HOME/.pip/pip.conf"; do
    if [[ $file && -r $file ]]; then
      more+=(--ro-bind "$file" /opt/ingot-host/pip.conf)
      INSTALLER_PIP_CONFIG=/opt/ingot-host/pip.conf
      break
    fi
  done
  [[ ! -r /etc/pip.conf ]] || more+=(--ro-bind /etc/pip.conf /etc/pip.conf)
  file=${NPM_CONFIG_USERCONFIG:-${npm_config_userconfig:-$HOST_HOME/.npmrc}}
  if [[ -r $file ]]; then
    more+=(--ro-bind "$file" /opt/ingot-host/user.npmrc)
    INSTALLER_NPM_USER=/opt/ingot-host/user.npmrc
  fi
  file=${NPM_CONFIG_GLOBALCONFIG:-${npm_config_globalconfig:-/etc/npmrc}}
  if [[ -r $file ]]; then
    more+=(--ro-bind "$file" /opt/ingot-host/global.npmrc)
    INSTALLER_NPM_GLOBAL=/opt/ingot-host/global.npmrc
  fi
  # A local folder of packages, at its own path.
  for file in ${PIP_FIND_LINKS:-}; do
    [[ $file != /* || ! -d $file ]] || more+=(--ro-bind "$file" "$file")
  done
}

set_installer_environment() {
  export DEBIAN_FRONTEND=noninteractive
  [[ ! ${INSTALLER_PIP_CONFIG:-} ]] || export PIP_CONFIG_FILE=$INSTALLER_PIP_CONFIG
  [[ ! ${INSTALLER_NPM_USER:-} ]] || export NPM_CONFIG_USERCONFIG=$INSTALLER_NPM_USER
  [[ ! ${INSTALLER_NPM_GLOBAL:-} ]] || export NPM_CONFIG_GLOBALCONFIG=$INSTALLER_NPM_GLOBAL
  [[ ! $CA_BUNDLE ]] || export NPM_CONFIG_CAFILE=/opt/ingot-host/ca-bundle.crt
}

# The current directory if it exists in the root, else the checkout.
directory_in_root() {
  local here
  here=$(pwd -P)
  case $here/ in
    "$CHECKOUT"/* | "$DEV_CACHE"/* | /tmp/*) printf '%s\n' "$here" ;;
    *) printf '%s\n' "$CHECKOUT" ;;
  esac
}

# Reduces the environment to what a command in the root may depend on. By
# unsetting, not with bubblewrap's --clearenv and --setenv: a proxy's password
# must not appear on a command line.
set_environment() {
  local name
  while IFS= read -r name; do
    case ${name,,} in
      term | ci | colorterm | no_color | columns | lines) ;;
      http_proxy | https_proxy | ftp_proxy | all_proxy | no_proxy) ;;
      pip_* | npm_config_*) ;;
      *) unset -v "$name" ;;
    esac
  done < <(compgen -e)
  export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/ingot-tests/bin
  export HOME=$CHECKOUT_STATE/home
  export USER=$HOST_USER LOGNAME=$HOST_USER
  export LANG=C.UTF-8
  export SHELL=/bin/bash
  # For programs that ask whether they run in the root, and where its parts are.
  export INGOT_DEVROOT=$ROOT_KEY
  if [[ $CA_BUNDLE ]]; then
    export_ca_bundle /opt/ingot-host/ca-bundle.crt
  fi
}

# Each program has a name of its own for the same file.
export_ca_bundle() {
  local name
  for name in SSL_CERT_FILE CURL_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS \
    PIP_CERT REQUESTS_CA_BUNDLE GRPC_DEFAULT_SSL_ROOTS_FILE_PATH; do
    export "$name=$1"
  done
}
