#!/usr/bin/env bash
# Installs a build of the C core into a fresh prefix, then builds and runs the example against it in each way a
# stranger would: with find_package (shared and static) and with pkg-config.
#
#   check-install.sh BUILD
set -euo pipefail
build=$(realpath "$1")
example=$(realpath "$(dirname "$0")/../examples/c")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

passed=0
expect_greeting() {
  local how=$1 said
  shift
  said=$("$@")
  [[ $said =~ ^'hello from C, from 05'[0-9a-f]{64}$ ]] || {
    echo "$how: the example said: $said" >&2
    exit 1
  }
  passed=$((passed + 1))
}

cmake --install "$build" --prefix "$prefix" >/dev/null
cmake -S "$example" -B "$work/example" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/example" >/dev/null
expect_greeting "find_package, shared" "$work/example/example"
expect_greeting "find_package, static" "$work/example/example-static"
[[ $("$work/example/ratchet") == *'Bob reads: how are you?' ]] || {
  echo "the example of the ratchet did not say how it ended" >&2
  exit 1
}
passed=$((passed + 1))

[[ $("$work/example/archive" "$work/example.sessionarchive") == *'table thread with 2 columns'*'1 row' ]] || {
  echo "the example of archives did not say what is in one" >&2
  exit 1
}
passed=$((passed + 1))

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name session-core.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir session-core)
# The flags are words to be split.
# shellcheck disable=SC2046
cc -std=c17 "$example/main.c" $(pkg-config --cflags --libs session-core) -o "$work/with-pkg-config"
expect_greeting "pkg-config, shared" env LD_LIBRARY_PATH="$libraries" "$work/with-pkg-config"
# shellcheck disable=SC2046
cc -std=c17 "$example/main.c" $(pkg-config --cflags session-core) "$libraries/libsession-core.a" \
  $(pkg-config --libs libsodium nettle libzstd json-c libprotobuf-c libngtcp2_crypto_gnutls libngtcp2 gnutls) -o "$work/with-archive"
expect_greeting "pkg-config, static" "$work/with-archive"
[[ ! -e $prefix/include/module.modulemap ]]
echo "installation: $passed passed, 0 failed, 0 skipped"
