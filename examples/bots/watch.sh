#!/usr/bin/env bash
# Warns when a disk of this server fills up, and answers a few words, for an account that `session daemon` serves.
#   examples/bots/watch.sh ACCOUNT FRIENDS FOLDER...   FRIENDS is a file with the id of a person on each line
# Friends can write: status, mute 2h, help. Other people get no answer. It needs bash and jq. The key of a message makes
# it one message, however often the bot is killed. Texts of others are compared and never become a part of a command.
set -uo pipefail
(($# >= 3)) || { sed -n '2,5s/^# //p' "$0" >&2; exit 64; }
account=$1 friends=$2 folders=("${@:3}") limit=${WATCH_LIMIT:-90} muted_until=0 number=0 cursor=0

# call METHOD PARAMS: leaves the result in $result. 1 means that the daemon refused, 2 that the connection is lost.
call() {
  local line
  jq -cn --argjson id $((++number)) --arg method "$1" --argjson params "$2" \
    '{jsonrpc: "2.0", $id, $method, $params}' >&"$out" || return 2
  while IFS= read -r line <&"$in"; do
    jq -e --argjson id "$number" '.id == $id' <<<"$line" >/dev/null || continue
    result=$(jq -ce '.result // empty' <<<"$line") && return 0
    jq -r '.error.message' <<<"$line" >&2
    return 1
  done
  return 2
}
# say TO TEXT KEY
say() { call send "$(jq -cn --arg to "$1" --arg text "$2" --arg key "$3" '{$to, $text, $key}')" || (($? == 1)); }
used() { df --output=pcent -- "$1" | tail -n 1 | tr -dc 0-9; }
status() { for folder; do printf '%s: %s %% used\n' "$folder" "$(used "$folder")"; done; }
warn() { # FOLDER
  local friend n=0 key
  ((EPOCHSECONDS >= muted_until && $(used "$1") >= limit)) || return 0
  key=disk:$(cksum <<<"$1" | cut -d ' ' -f 1):$((EPOCHSECONDS / 3600))
  while IFS= read -r friend; do say "$friend" "$(status "$1")" "$key:$((++n))" || return; done <"$friends"
}
answer() { # EVENT
  local body person text='status: how full the disks are; mute 2h: no warnings for two hours; help: this text'
  person=$(jq -r '.person // ""' <<<"$1") body=$(jq -r '.message.body // ""' <<<"$1")
  grep -qxF -- "$person" "$friends" || return 0
  if [[ $body == status ]]; then
    text=$(status "${folders[@]}")
  elif [[ $body =~ ^mute\ ([1-9][0-9]?)h$ ]]; then
    muted_until=$((EPOCHSECONDS + BASH_REMATCH[1] * 3600)) text="no warnings for ${BASH_REMATCH[1]} hours"
  fi
  say "$person" "$text" "watch:$(jq .cursor <<<"$1")"
}
serve() {
  local event folder
  while :; do
    for folder in "${folders[@]}"; do warn "$folder" || return; done
    call events.next "$(jq -cn --argjson ack "$cursor" '{reader: "watch", kinds: ["messageReceived"], incoming: true,
      wait_ms: 30000} + if $ack > 0 then {$ack} else {} end')" || return
    while IFS= read -r event; do answer "$event" || return; done < <(jq -c '.items[]' <<<"$result")
    cursor=$(jq .cursor <<<"$result")
  done
}
while coproc rpc { exec "${SESSION:-session}" rpc --account "$account"; }; do
  exec {in}<&"${rpc[0]}" {out}>&"${rpc[1]}"
  serve
  exec {in}<&- {out}>&-
  wait; sleep 1
done
