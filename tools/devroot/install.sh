# shellcheck shell=bash
# Puts what was built into a folder that runs anywhere on this machine: both
# programs are static.

#   install_tree BAZEL_BIN PREFIX
install_tree() {
  local built=$1 prefix=$2 stage part
  mkdir -p -- "$prefix"
  prefix=$(cd -- "$prefix" && pwd -P)
  # Beside the places that the parts go to, so that each can be renamed there.
  stage=$(mktemp -d -- "$prefix/.ingot-install-XXXXXXXX")
  # shellcheck disable=SC2064 # The directory of now.
  trap "rm -rf -- '$stage'" EXIT
  install -D -m 755 -- "$built/tools/driver/ingot" "$stage/bin/ingot"
  install -D -m 755 -- "$built/tools/compile_tool/ingot-compile" \
    "$stage/lib/ingot/toolchain/ingot-compile"
  for part in README.md LICENSE; do
    [[ ! -e $CHECKOUT/$part ]] || install -D -m 644 -- "$CHECKOUT/$part" "$stage/share/doc/ingot/$part"
  done
  for part in "$CHECKOUT"/tools/cmake/*.cmake; do
    install -D -m 644 -- "$part" "$stage/share/ingot/cmake/${part##*/}"
  done
  # The driver last: it is never newer than what it runs.
  for part in share/doc/ingot share/ingot/cmake lib/ingot bin/ingot; do
    replace_part "$stage" "$prefix" "$part"
  done
  # The names by which it is a compiler.
  for part in {,avr-,nvptx64-}ingot-{cc,gcc,g++,clang,clang++}; do
    ln -s -- ingot "$stage/bin/$part"
    replace_part "$stage" "$prefix" "bin/$part"
  done
  step "installed: $prefix/bin/ingot"
}

# A file replaces a file in one step. A directory has to move out of the way
# first.
#   replace_part STAGE PREFIX PART
replace_part() {
  local new=$1/$3 place=$2/$3
  [[ -e $new || -L $new ]] || return 0
  mkdir -p -- "${place%/*}"
  if [[ -d $place && ! -L $place ]]; then
    mkdir -p -- "$1/old/${3%/*}"
    mv -T -- "$place" "$1/old/$3"
  fi
  mv -T -- "$new" "$place"
}
