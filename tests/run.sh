#!/bin/sh
# Runs every test: unit tests, the text cases below tests/cases, the command-line tests, and the examples of docs/passes.
#   sh tests/run.sh [GROUP...]     only these groups of text cases
#   UPDATE=1 sh tests/run.sh ...   writes the expected files instead of comparing
#
# GROUP is a pass by the name of its page (memory-reuse) for what one pass does, else a part of the compiler.
# A text case is GROUP/NAME.pir with NAME.out (standard output wanted, exit 0), NAME.err (standard
# error wanted, exit 1) or NAME.log (standard error wanted, exit 0; UPDATE writes it where it exists).
# Options: NAME.args, else GROUP/ARGS, else "--passes=none --emit=pir -o -".
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
PYPTOC=$BUILD/pyptoc
export PYPTOC
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() {
  failed=$((failed + 1))
  echo "FAIL $1"
  [ $# -lt 2 ] || echo "$2" | head -40
}

text_case() { # GROUP/NAME, from the folder of the group
  name=$(basename "$1" .pir)
  args="--passes=none --emit=pir -o -"
  [ ! -f ARGS ] || args=$(cat ARGS)
  [ ! -f "$name.args" ] || args=$(cat "$name.args")
  # shellcheck disable=SC2086  # options are words
  timeout 120 "$PYPTOC" $args "$name.pir" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ "${UPDATE:-}" ]; then
    if [ $status != 0 ]; then cp "$tmp/err" "$name.err"
    elif [ -f "$name.log" ]; then cp "$tmp/err" "$name.log"
    else cp "$tmp/out" "$name.out"; fi
  fi
  wanted=0 file=$name.out got=$tmp/out
  [ ! -f "$name.log" ] || { file=$name.log; got=$tmp/err; }
  [ -f "$file" ] || { wanted=1; file=$name.err; got=$tmp/err; }
  if [ ! -f "$file" ]; then bad "$1" "no expected file"; return; fi
  if difference=$(diff -u "$file" "$got") && [ $status = $wanted ]; then ok; else
    bad "$1 (exit $status)" "$difference
$(head -5 "$tmp/err")"
  fi
}

if [ $# = 0 ]; then
  # A hang is caught, a slow machine or a sanitizer is not.
  CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-300} "$BUILD/tests" >"$tmp/unit" 2>&1
  status=$?
  tail -n +2 "$tmp/unit"
  n=$(sed -n 's/.*Checks: \([0-9]*\),.*/\1/p' "$tmp/unit" | awk '{s += $1} END {print s + 0}')
  bad_n=$(sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2/p' "$tmp/unit" | awk '{s += $1 + $2} END {print s + 0}')
  passed=$((passed + n - bad_n)) failed=$((failed + bad_n))
  [ $status = 0 ] || [ "$bad_n" != 0 ] || bad "unit tests (exit $status)"
  set -- $(ls tests/cases)
  for t in tests/cli/*.sh tests/check_*.sh; do
    [ -f "$t" ] || continue
    if message=$(sh "$t" 2>&1); then ok; else bad "$t" "$message"; fi
  done
  for page in docs/passes/*.md; do
    if message=$(sh tests/check_pages.sh "$page" 2>&1); then ok; else bad "$page" "$message"; fi
  done
fi
for group in "$@"; do
  cd "tests/cases/$group" || exit 2
  for f in *.pir; do [ ! -f "$f" ] || text_case "$group/$f"; done
  cd - >/dev/null || exit 2
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
