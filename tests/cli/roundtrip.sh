#!/bin/sh
# Every text case and example that compiles prints, before and after each pass, a program that reads back as the same
# one and prints the same text.  Some cases break a rule that their own options do not check, but --verify does: those
# end there.
set -u
root=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
check() { # FILE OPTIONS...
  file=$1
  shift
  "$PYPTOC" "$@" --verify=roundtrip "$file" >"$tmp/out" 2>"$tmp/err"
  [ $? -gt 1 ] || grep -q 'read.* back' "$tmp/err" || return 0
  echo "$PWD/$file: $*"
  head -5 "$tmp/err"
  failed=1
}
for f in examples/*.pir; do check "$f" --emit=none; done
for group in tests/cases/*; do
  cd "$root/$group" || exit 2
  for out in *.out; do
    [ -f "$out" ] || continue
    name=${out%.out} args="--passes=none --emit=pir -o -"
    [ ! -f ARGS ] || args=$(cat ARGS)
    [ ! -f "$name.args" ] || args=$(cat "$name.args")
    # shellcheck disable=SC2086  # options are words
    check "$name.pir" $args
  done
done
exit $failed
