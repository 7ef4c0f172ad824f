# shellcheck shell=bash
# What the host has to offer: programs, namespaces, apt settings, a Debian
# mirror, trusted certificate authorities. Needed to make or extend a root; of
# this only host_ca_bundle is part of entering one.

have() {
  command -v -- "$1" >/dev/null
}

# Prints the Debian or Ubuntu package names of what is missing to make a root.
missing_packages() {
  have mmdebstrap || echo mmdebstrap
  have bwrap || echo bubblewrap
  # mmdebstrap does without, but then Java's set-up fails for want of /proc.
  have mount || echo mount
  # Debian's keys verify the root's packages. Debian itself always has them.
  local keyring found=''
  for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
    [[ ! -e $keyring ]] || found=yes
  done
  [[ $found ]] || echo debian-archive-keyring
  if ((EUID != 0)); then
    have newuidmap || echo uidmap
  fi
}

is_debian_family() {
  [[ -r /etc/os-release ]] || return 1
  # shellcheck source=/dev/null
  (. /etc/os-release && [[ " ${ID:-} ${ID_LIKE:-} " == *' debian '* ]])
}

# Makes sure that a root can be made here, or says in one message what to do.
require_host_tools() {
  local -a missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} > 0)); then
    if ! is_debian_family || ! have apt-get; then
      die "missing on this machine: ${missing[*]} (these are the Debian package" \
        "names; install them as your system does it, or set INGOT_DEVROOT=none" \
        'to use the Bazel and LLVM 22 of this machine)'
    fi
    local line="apt-get install --no-install-recommends ${missing[*]}"
    ((EUID == 0)) || die "missing on this machine: ${missing[*]}; type: sudo $line"
    install_host_packages "${missing[@]}"
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || die "installed, but still not found: ${missing[*]}"
  fi
  require_namespaces
}

install_host_packages() {
  step "installing on this machine: $* (the rest goes into a private root)"
  local log=$DEV_CACHE/logs/host-packages.log
  : >"$log"
  export DEBIAN_FRONTEND=noninteractive
  # A stale package index is the one common reason for a failure, and a fresh
  # machine has none at all.
  apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null || {
    logged "$log" apt-get update &&
      logged "$log" apt-get install -y --no-install-recommends "$@"
  } || die "could not install $*; type: apt-get install --no-install-recommends $*"
}

require_namespaces() {
  bwrap --bind / / --dev-bind /dev /dev --bind /proc /proc true 2>/dev/null ||
    die 'bubblewrap cannot make a mount namespace here. In a container: start it' \
      'with --privileged. As a user: allow unprivileged user namespaces (sysctl' \
      'kernel.unprivileged_userns_clone=1, or on Ubuntu' \
      'kernel.apparmor_restrict_unprivileged_userns=0). Or set INGOT_DEVROOT=none' \
      'to use the Bazel and LLVM 22 of this machine.'
  ((EUID != 0)) || return 0
  local user
  user=$(id -un)
  "${AS_MAPPED_ROOT[@]}" true 2>/dev/null ||
    die "user $user has no range of subordinate ids, which the files of a root" \
      "need; type: sudo usermod --add-subuids 200000-265535 --add-subgids" \
      "200000-265535 $user"
}

# A prefix to commands that act as what looks like root with all of this user's
# subordinate ids: for a user who is not root, the way to write files of many
# owners. The user appears as root there, so what "root" creates belongs to the
# user. For root it is nothing. An array and not a function, so that the command
# is a child of this very process, and can be told to end with it.
AS_MAPPED_ROOT=()
if ((EUID != 0)); then
  AS_MAPPED_ROOT=(unshare --user --map-auto --map-root-user --mount --)
fi
readonly AS_MAPPED_ROOT

# Prints the file of trusted certificate authorities, if there is one.
host_ca_bundle() {
  local file
  for file in "${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt \
    /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
    if [[ $file && -r $file ]]; then
      printf '%s\n' "$file"
      return 0
    fi
  done
}

# Prints the host's own settings of how apt reaches an archive, as apt.conf.
# Not what it fetches (indexes, languages, compression): that is the root's.
host_apt_settings() {
  have apt-config || return 0
  apt-config dump --no-empty --format '%F "%v";%n' |
    grep -E '^Acquire::' |
    grep -vE '^Acquire::(IndexTargets|Changelogs|CompressionTypes|Languages|cdrom|GzipIndexes|[a-z]+::Proxy-?Auto-?Detect)\b' ||
    true
  host_detected_proxy
}

# The host may find its proxy with a program. The root does not have that
# program, so ask it here, once.
host_detected_proxy() {
  local program proxy
  program=$(apt-config dump --no-empty --format '%v' Acquire::http::Proxy-Auto-Detect 2>/dev/null)
  [[ $program && -x $program ]] || return 0
  proxy=$("$program" "$(host_mirror)" </dev/null 2>/dev/null | tail -n 1) || return 0
  case $proxy in
    http*://*) printf 'Acquire::http::Proxy "%s";\n' "$proxy" ;;
  esac
}

# Prints the mirror to use, or nothing: then mmdebstrap uses its own default.
host_mirror() {
  if [[ ${INGOT_MIRROR:-} ]]; then
    printf '%s\n' "$INGOT_MIRROR"
    return 0
  fi
  have apt-get || return 0
  # On a Debian host, where the host itself gets Debian from. (Without package
  # indexes apt does not know an origin yet; then the distribution must do.)
  local unknown='no'
  # shellcheck source=/dev/null
  (. /etc/os-release && [[ ${ID:-} == debian ]]) 2>/dev/null && unknown='yes'
  # shellcheck disable=SC2016 # The names are apt's.
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(RELEASE)|$(REPO_URI)' 2>/dev/null |
    awk -F'|' -v unknown="$unknown" '
      $3 ~ /security/ || $4 !~ /^(https?|mirror|ftp|file|copy)[:+]/ { next }
      $1 == "Debian" && $2 == "Debian" { known = known ? known : $4 }
      $1 == "" && unknown == "yes" { guess = guess ? guess : $4 }
      END { print known ? known : guess }'
}

# For INGOT_DEVROOT=none: what must be here instead of in a root.
require_host_compilers() {
  local -a lacking=()
  local config version=''
  have bazel || lacking+=('bazel (7.7 or newer)')
  have protoc || lacking+=('protoc')
  for config in llvm-config-22 llvm-config; do
    if have "$config"; then
      version=$("$config" --version)
      [[ $version != 22.* ]] || break
    fi
  done
  [[ $version == 22.* ]] ||
    lacking+=("LLVM 22 (llvm-config-22, or an llvm-config that says 22)")
  ((${#lacking[@]} == 0)) || {
    local list
    printf -v list '%s, ' "${lacking[@]}"
    die "INGOT_DEVROOT=none, but this machine lacks: ${list%, }. Install what is" \
      'missing, or unset INGOT_DEVROOT for a private root that has it all.'
  }
}
