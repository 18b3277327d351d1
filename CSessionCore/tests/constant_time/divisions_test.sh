#!/bin/sh
# divisions_test.sh COMPILER INCLUDE SOURCE…: the machine code of these files has no division, however it is optimised.
# Processors divide in a time that depends on the operands, which here are secret.
compiler=$1
include=$2
shift 2
object=$(mktemp) || exit 2
trap 'rm -f "$object"' EXIT
passed=0
failed=0
for source in "$@"; do
  for level in -Os -O3; do
    "$compiler" -std=c17 "$level" -I"$include" -c "$source" -o "$object" || exit 2
    if objdump -d --no-show-raw-insn "$object" | grep -E '^ .*[[:space:]](i?div|[us]div)[bwlq]?[[:space:]]'; then
      echo "FAILED $source: divides at $level"
      failed=$((failed + 1))
    else
      passed=$((passed + 1))
    fi
  done
done
echo "divisions: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
