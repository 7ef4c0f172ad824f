# shellcheck shell=bash
# Adds to a root, in place, what only tests need: the [test] packages, the
# [unpack] packages, the Python packages and the npm packages. Each has a stamp,
# written last, with the hash of its list; what was interrupted is taken up again
# by the next run.

# Makes sure that the root has what tests need.
ensure_tests() {
  ! tests_are_ready || return 0
  local lock
  begin_interruptible
  mkdir -p -- "$ROOT_DIR/stamps" "$DEV_CACHE/logs"
  exec {lock}>"$ROOT_DIR/extend.lock"
  lock_or_wait "$lock" 'another tools/dev is adding the test packages; waiting for it'
  if ! tests_are_ready; then
    require_host_tools
    local log=$DEV_CACHE/logs/extend-root.log
    : >"$log"
    step "adding what only tests need; all output goes to $log"
    add_once packages "$TESTS_KEY_PACKAGES" "$log"
    add_once unpacked "$TESTS_KEY_UNPACKED" "$log"
    add_once python "$TESTS_KEY_PYTHON" "$log"
    add_once node "$TESTS_KEY_NODE" "$log"
    step 'the root is ready for tests'
  fi
  exec {lock}>&-
  end_interruptible
}

tests_are_ready() {
  stamp_is packages "$TESTS_KEY_PACKAGES" &&
    stamp_is unpacked "$TESTS_KEY_UNPACKED" &&
    stamp_is python "$TESTS_KEY_PYTHON" &&
    stamp_is node "$TESTS_KEY_NODE"
}

stamp_is() {
  local stamp=$ROOT_DIR/stamps/$1
  [[ -e $stamp && $(<"$stamp") == "$2" ]]
}

#   add_once WHAT KEY LOG
add_once() {
  local stamp=$ROOT_DIR/stamps/$1
  ! stamp_is "$1" "$2" || return 0
  rm -f -- "$stamp"
  "add_$1" "$3" ||
    die "the root could not be extended ($1); all output is in $3. The next run" \
      'tries again.'
  printf '%s\n' "$2" >"$stamp.new"
  mv -- "$stamp.new" "$stamp"
}

add_packages() {
  local log=$1
  local -a packages
  mapfile -t packages < <(packages_of test)
  # An earlier run may have been killed between unpacking and configuring.
  step '  finishing what dpkg had begun, if anything'
  logged "$log" install_in_root dpkg --configure -a || return 1
  step '  fetching the package index'
  logged "$log" install_in_root apt-get update || return 1
  step "  installing ${packages[*]}"
  logged "$log" install_in_root apt-get install -y --fix-broken \
    --no-install-recommends "${packages[@]}" || return 1
  logged "$log" install_in_root bash -c 'apt-get clean; rm -rf /var/lib/apt/lists/*'
}

# Packages of which only some files are of use: neither their dependencies nor
# their scripts are.
add_unpacked() {
  local log=$1
  local -a packages
  mapfile -t packages < <(packages_of unpack)
  step "  unpacking ${packages[*]}"
  logged "$log" install_in_root apt-get update || return 1
  # shellcheck disable=SC2016 # The variables are the inner shell's.
  logged "$log" install_in_root bash -euc '
    rm -rf /opt/ingot-tests/packages
    mkdir -p /opt/ingot-tests/packages
    cd /opt/ingot-tests/packages
    for package; do
      apt-get download "$package"
      dpkg-deb --extract "$package"_*.deb "$package"
      rm -- "$package"_*.deb
    done
  ' unpack "${packages[@]}" || return 1
  logged "$log" install_in_root bash -c 'rm -rf /var/lib/apt/lists/*'
}

add_python() {
  step '  installing Python packages'
  # shellcheck disable=SC2016 # $1 is the inner shell's.
  logged "$1" install_in_root bash -euc '
    rm -rf /opt/ingot-tests/venv
    python3 -m venv /opt/ingot-tests/venv
    /opt/ingot-tests/venv/bin/pip install --disable-pip-version-check \
      --no-cache-dir --no-input --requirement "$1"
  ' pip "$DEVROOT/requirements.txt"
}

add_node() {
  step '  installing npm packages'
  # shellcheck disable=SC2016 # $1 is the inner shell's.
  logged "$1" install_in_root bash -euc '
    rm -rf /opt/ingot-tests/node
    mkdir /opt/ingot-tests/node
    cp "$1/package.json" "$1/package-lock.json" /opt/ingot-tests/node
    cd /opt/ingot-tests/node
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    # Only what is asked for by name goes on the PATH.
    mkdir -p /opt/ingot-tests/bin
    ln -sfn ../node/node_modules/.bin/buildifier /opt/ingot-tests/bin/buildifier
  ' npm "$DEVROOT"
}
