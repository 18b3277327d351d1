#!/usr/bin/env bash
# Conversations that cross a private network, on this machine alone: Alice, who has two devices, Bob, and a group of the
# two with Carol. Shows each command it runs; whatever else it shows comes from those commands.
#
#   demo.sh PATH-TO-SESSION
set -euo pipefail
if (($# != 1)) || [[ ! -x $1 ]]; then
  echo "usage: demo.sh PATH-TO-SESSION (an executable)" >&2
  exit 64
fi
program=$(realpath "$1")
folder=$(mktemp -d)
network=
finish() {
  if [[ $network ]]; then
    kill "$network" 2>/dev/null || true
    wait "$network" || true
  fi
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
# A home of its own: nothing of the person who runs it is read or changed.
export HOME=$folder XDG_RUNTIME_DIR=$folder
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME SESSION_ACCOUNT SESSION_PASSPHRASE_FILE

session() { "$program" "$@"; }

# Shows a command, runs it, and shows what it prints.
run() {
  printf '$ %s\n' "$1"
  output=$(eval "$1" 2>&1) || {
    printf '%s\n' "$output"
    echo "demo.sh: this should have succeeded" >&2
    exit 1
  }
  [[ -z $output ]] || printf '%s\n' "$output"
  printf '\n'
}

# Shows a command and runs it with the terminal, where it draws how far it is.
watch() {
  printf '$ %s\n' "$1"
  eval "$1"
  printf '\n'
}

# Ends the demonstration where the last command did not print a text.
has() {
  [[ $output == *"$1"* ]] || {
    echo "demo.sh: '$1' is missing in this" >&2
    exit 1
  }
}
has_not() {
  [[ $output != *"$1"* ]] || {
    echo "demo.sh: '$1' should not be in this" >&2
    exit 1
  }
}

begin_network() {
  printf '$ session devnet up --nodes 6 --swarms 2 &\n'
  mkfifo began
  "$program" devnet up --nodes 6 --swarms 2 >network.txt 2>began &
  network=$!
  head -n 1 <began
  printf '\n'
}

strangers_become_contacts() {
  run 'session account new alice --network devnet --key-store open'
  run 'session account new bob --network devnet --key-store open'
  bob=$(session account show bob)
  run "session send $bob --account alice 'Hello Bob, shall we meet tomorrow?'"
  run 'session receive --account bob --ack'
  run 'session requests list --account bob'
  run 'session requests accept alice --account bob'
}

they_talk() {
  run "session send alice --account bob --reply-to 1 'Gladly. Where?'"
  run 'session receive --account alice --ack'
  has 'Gladly'
  run 'session react 4 👍 --account alice'
  run "session send bob --account alice --reply-to 4 --wait sent 'At the harbour, at eight.'"
  run 'session receive --account bob --ack'
  run 'session show alice --account bob'
  has '👍'
}

# A picture of a million points, each of some colour.
draw() {
  python3 - "$1" <<'END'
import os, struct, sys, zlib

def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

side = 1000
rows = b"".join(b"\0" + os.urandom(3 * side) for _ in range(side))
with open(sys.argv[1], "wb") as picture:
    picture.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)))
    picture.write(chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
END
}

a_picture_goes_along() {
  draw harbour.png
  watch "session send bob --account alice --attach harbour.png --wait sent 'This is the harbour.'"
  run 'session receive --account bob --ack'
  has 'harbour.png'
  watch 'session attachment save 5 --account bob --to saved.png'
  run 'cmp harbour.png saved.png && ls -s --block-size=KiB saved.png'
}

# The id of the device that an account is on.
device() { session device list --json --account "$1" | sed -n 's/.*"id":"\([0-9a-f]*\)","status":"own".*/\1/p'; }

# Messages are sealed for devices: what was sent before stays on the first one, and what comes later is on both.
another_device_takes_part() {
  run 'session account export-phrase alice --out words'
  run 'session account restore phone --phrase words --network devnet --key-store open'
  run 'session security enable --yes --account phone'
  run 'session receive --account phone --ack'
  has_not 'This is the harbour.'
  run 'session chats --account phone'
  has 'bob'
  run "session device link $(device phone) --account alice"
  run "session device link $(device alice) --account phone"
  for device in alice phone; do run "session receive --account $device --ack"; done
  run 'session device list --account alice'
  run 'session verify show alice --account bob'
  has '2 devices of theirs'
  run "session send alice --account bob --wait sent 'See you there.'"
  run 'session receive --account phone --ack'
  has 'See you there.'
  run 'session receive --account alice --ack'
}

a_message_is_for_a_moment() {
  run 'session timer alice after-send 12s --account bob'
  run "session send alice --account bob 'The door opens with 4711.'"
  run 'session receive --account alice --ack'
  has '4711'
  run 'session timer alice off --account bob'
}

# Bob is a contact of Alice and joins at once; Carol, who is not, gets a request.
a_group_meets() {
  run 'session account new carol --network devnet --key-store open'
  carol=$(session account show carol)
  run "session group create Harbour bob $carol --account alice"
  group=${output##*$'\n'}
  run 'session receive --account bob --ack'
  run 'session receive --account carol --ack'
  has 'invited you to Harbour'
  run "session group accept $group --account carol"
  run "session send Harbour --account alice 'The boat leaves at nine.'"
  run "session send Harbour --account bob 'I bring coffee.'"
  run "session send Harbour --account carol 'And I bring cake.'"
  for member in alice bob carol; do
    run "session receive --account $member --ack"
  done
  for member in alice bob carol; do
    run "session show Harbour --account $member"
    has 'at nine' && has 'coffee' && has 'cake'
  done
}

a_member_is_removed() {
  run "session group remove Harbour $carol --account alice"
  run "session send Harbour --account alice 'The boat leaves at ten.'"
  run 'session receive --account bob --ack'
  has 'at ten'
  run 'session receive --account carol --ack'
  has 'You were removed from this group.'
  has_not 'at ten'
  run "session show $group --account carol"
  has 'You were removed from this group.'
  has_not 'at ten'
  run 'session group members Harbour --account bob'
  has_not "$carol"
}

# The link of the room that a devnet has is in its status.
people_meet_in_a_room() {
  link=$(session devnet status | grep -o 'http://[^ ]*public_key=[0-9a-f]*')
  room=${link%%\?*}
  for member in alice bob; do run "session community join '$link' --account $member"; done
  run "session send $room --account alice --wait sent 'Who is in this room?'"
  run "for n in 1 2 3 4 5 6 7 8; do
    session receive --account bob --ack
    if session show $room --account bob | grep -q 'Who is'; then break; fi
  done"
  run "session show $room --account bob"
  has 'Who is in this room?'
}

a_node_dies() {
  run 'session devnet status'
  run "for n in 1 2 3 4 5 6; do
    session send alice --account bob \"Message \$n of 6.\"
    if [ \$n = 3 ]; then session devnet kill-node 2; fi
  done"
  # The nodes that are left may need a moment to give each other what one of them was given.
  for device in alice phone; do
    run "for n in 1 2 3 4 5 6 7 8; do
    session receive --account $device --ack
    if session show bob --account $device --limit 1 | grep -q '6 of 6'; then break; fi
  done"
    for n in 1 2 3 4 5 6; do has "Message $n of 6"; done
  done
}

the_moment_is_over() {
  run "for n in 1 2 3 4 5 6 7 8 9 10; do
    if ! session show bob --account alice | grep 4711; then break; fi
    sleep 2; session receive --account alice
  done"
  run 'session show bob --account alice --limit 9'
  has_not '4711'
}

begin_network
strangers_become_contacts
they_talk
a_picture_goes_along
another_device_takes_part
a_message_is_for_a_moment
a_group_meets
a_member_is_removed
people_meet_in_a_room
a_node_dies
the_moment_is_over
run 'session net path --account alice'
run 'session devnet down'
