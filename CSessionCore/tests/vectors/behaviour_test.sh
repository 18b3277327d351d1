#!/bin/sh
# behaviour_test.sh PROGRAM FOLDER: what sc-vectors prints and ends with for files that are not as they should be.
program=$1
folder=$2
failed=0

# claim STATUS TEXT ARGUMENT…: the program ends with STATUS and prints TEXT.
claim() {
  status=$1
  text=$2
  shift 2
  output=$("$program" "$@" 2>&1)
  ended=$?
  if [ "$ended" -ne "$status" ] || ! printf '%s\n' "$output" | grep -qF -- "$text"; then
    printf 'sc-vectors %s\n  ended with %s, not %s, or did not print: %s\n%s\n' "$*" "$ended" "$status" "$text" "$output"
    failed=1
  fi
}

claim 0 'weather: skipped, unknown topic' "$folder/unknown_topic.json"
claim 0 'total: 0 passed, 0 failed, 2 skipped' "$folder/unknown_topic.json"
claim 0 'no_topic: skipped, unknown topic' "$folder/no_topic.json"
claim 0 'bt: skipped, unknown kind transcode: 2 cases' "$folder/unknown_kind.json"
claim 0 'bt: 1 passed, 0 failed, 2 skipped' "$folder/unknown_kind.json"
claim 0 'keys: 7 passed, 0 failed, 0 skipped' "$folder/odd_cases.json"

claim 1 '(deliberately wrong): encoded differs: expected 693865 (3 bytes), got 693765 (3 bytes)' \
  "$folder/wrong_output.json"
claim 1 'bt: 0 passed, 1 failed, 0 skipped' "$folder/wrong_output.json"
claim 1 'accepted, must be rejected' "$folder/wrongly_accepted.json"
claim 1 'an input is refused with SC_ERR_KEY_SIZE' "$folder/wrongly_rejected.json"
claim 1 '1 of the recorded random bytes were not drawn' "$folder/wrong_randomness.json"
claim 1 'the case records no encoded' "$folder/missing_output.json"
claim 1 'the case has no field seed' "$folder/misspelt_field.json"
claim 1 'not hexadecimal: zz' "$folder/no_hex.json"

claim 2 'broken.json: cannot be read: not a JSON document' "$folder/broken.json"
claim 2 'no_cases.json: cannot be read' "$folder/no_cases.json"
claim 2 'missing.json: No such file' "$folder/missing.json"
claim 2 'bt: 1 passed' "$folder/broken.json" "$folder/unknown_kind.json"
claim 2 'total: ' "$folder"
claim 2 'usage: sc-vectors'
claim 2 'usage: sc-vectors' --what
claim 0 'usage: sc-vectors' --help
claim 0 'bt decode, where canonical is false' --decisions

exit $failed
