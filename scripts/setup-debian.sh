#!/usr/bin/env bash
# Installs exactly the Debian 12 packages the project needs beside a Swift toolchain.
#
#   scripts/setup-debian.sh           install what is missing
#   scripts/setup-debian.sh --check   say what is missing, install nothing; exit 1 if anything is
set -euo pipefail

packages=(
  # libraries
  libcurl4-gnutls-dev libedit-dev libgnutls28-dev libjson-c-dev libmicrohttpd-dev libngtcp2-crypto-gnutls-dev
  libngtcp2-dev libpq-dev libprotobuf-c-dev libqrencode-dev libsodium-dev libsqlcipher-dev libutf8proc-dev libzstd-dev
  nettle-dev
  # building
  cmake dpkg-dev g++ gcc make pkg-config protobuf-c-compiler
  # proving; without postgresql-15 the tests of community servers use only files, without chromium those of web pages are
  # skipped, and without dbus, dunst, gnome-keyring and xvfb those of the desktop
  chromium clang-format dbus dunst gnome-keyring jq postgresql-15 python3 tmux valgrind xvfb
)

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  exit 0
fi
if [[ ${1:-} == --check ]]; then
  echo "missing: ${missing[*]}" >&2
  exit 1
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "These packages are missing and only root can install them: ${missing[*]}" >&2
    echo "Run as root: apt-get install ${missing[*]}" >&2
    exit 77
  }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
