#!/usr/bin/env bash
# Two accounts, a sealed message and what happens when somebody tampers with it, and a message as it is stored, taken
# apart. Shows each command it runs and what the command printed.
#
#   demo.sh PATH-TO-SESSION
set -euo pipefail
if (($# != 1)) || [[ ! -x $1 ]]; then
  echo "usage: demo.sh PATH-TO-SESSION (an executable)" >&2
  exit 64
fi
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

session() { "$program" "$@"; }
run() {
  printf '$ %s\n' "$1"
  eval "$1" 2>&1
  printf '\n'
}
refused() {
  printf '$ %s\n' "$1"
  if eval "$1" 2>&1; then
    echo "demo.sh: this should have been refused" >&2
    exit 1
  fi
  printf '\n'
}

run 'session account new --out alice.phrase'
run 'session account show alice.phrase --phrase'
run 'session account new --out bob.phrase'
run 'session account show bob.phrase --phrase'

bob=$(session account show bob.phrase)
run "echo 'See you at eight.' | session seal --from alice.phrase --to $bob > message"
run 'cat message'
run 'session open --as bob.phrase message'
[[ $(session open --as bob.phrase message 2>sender) == 'See you at eight.' ]]
[[ $(cat sender) == "from $(session account show alice.phrase)" ]]

run "tr 'A-Za-z' 'B-ZAb-za' < message > tampered"
refused 'session open --as bob.phrase tampered'
refused 'session open --as alice.phrase message'

run "echo 'See you at nine.' | session message write --from alice.phrase --to $bob > stored"
run 'cat stored'
run 'session inspect message --key bob.phrase stored'
run 'session inspect message stored'
[[ $(session inspect message --key bob.phrase stored) == *'received: good'* ]]
[[ $(session inspect message stored) != *'See you'* ]]
