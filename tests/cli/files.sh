# Output files: written whole or left alone; the right exit status for each kind of failure.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ex=$PWD/examples/vector_add.pir
status() { # WANTED COMMAND...
  wanted=$1
  shift
  "$@" >"$tmp/stdout" 2>"$tmp/stderr"
  got=$?
  [ $got = "$wanted" ] || { echo "exit $got instead of $wanted: $*"; cat "$tmp/stderr"; exit 1; }
}
fail() { echo "$1"; exit 1; }

status 0 "$PYPTOC" --version
status 0 "$PYPTOC" --help
status 0 "$PYPTOC" --list-passes
[ "$(wc -l <"$tmp/stdout")" = 50 ] || fail "--list-passes does not show 50 passes"
grep -q '^08 OutlineHierarchyScopes  needs SSAForm  gives HierarchyOutlined  ends CallDirectionsResolved$' "$tmp/stdout" ||
  fail "--list-passes does not show the properties of a pass"
status 0 "$PYPTOC" --list-ops
status 2 "$PYPTOC"
status 2 "$PYPTOC" --frobnicate "$ex"
status 2 "$PYPTOC" --target=ascend1 "$ex"
status 2 "$PYPTOC" --passes=NoSuchPass "$ex"
status 2 "$PYPTOC" "$ex" "$ex"
# Work outside of every scope gives no file: said, not passed over.
cat >"$tmp/outside.pir" <<'P'
import pypto.language as pl

@pl.function
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.assemble(y, pl.mul(x, 3.0), [0, 0])
    return y
P
status 0 "$PYPTOC" "$tmp/outside.pir" --output-dir="$tmp/outside"
grep -q 'outside.pir:5:[0-9]*: warning: nothing is written' "$tmp/stderr" || fail "work outside of scopes is passed over"
status 1 "$PYPTOC" "$tmp/missing.pir"

# A failed compilation leaves the older output as it was, and no temporary file.
echo old >"$tmp/k.pto"
echo 'def (' >"$tmp/bad.pir"
status 1 "$PYPTOC" "$tmp/bad.pir" -o "$tmp/k.pto"
[ "$(cat "$tmp/k.pto")" = old ] || fail "a failed compilation touched the older output"
[ "$(ls "$tmp" | grep -c k.pto)" = 1 ] || fail "a temporary file was left"
grep -q "bad.pir:1:" "$tmp/stderr" || fail "the message has no place"

# Nor does one whose output goes to a device that is full.
if [ -c /dev/full ]; then
  echo old >"$tmp/k.d"
  status 1 "$PYPTOC" "$ex" -MD -MF "$tmp/k.d" -o /dev/full
  [ "$(cat "$tmp/k.d")" = old ] || fail "a full device was noticed too late"
  [ "$(ls "$tmp" | grep -c k.d)" = 1 ] || fail "a temporary file was left"
fi

# A good one replaces it.
status 0 "$PYPTOC" "$ex" -o "$tmp/k.pto"
grep -q pto.tadd "$tmp/k.pto" || fail "no pto.tadd in the output"
status 0 "$PYPTOC" --output-dir="$tmp/tree/a/b" "$ex"
[ -f "$tmp/tree/a/b/kernels/aiv/add_kernel.pto" ] || fail "no kernel in the tree"
[ -f "$tmp/tree/a/b/orchestration/main.cpp" ] || fail "no orchestration in the tree"

# Standard input and output.
"$PYPTOC" --passes=none --emit=pir - <"$ex" >"$tmp/in.pir" || fail "standard input"
status 0 "$PYPTOC" --passes=none --emit=pir "$tmp/in.pir" -o "$tmp/again.pir"
cmp -s "$tmp/in.pir" "$tmp/again.pir" || fail "print, parse, print is not a fixed point"

# Without locations.
status 0 "$PYPTOC" --no-loc "$ex" -o "$tmp/k.pto"
! grep -q 'loc(' "$tmp/k.pto" || fail "--no-loc left a location"

# Dumps are for finding out what went wrong: a later error leaves them.
status 1 "$PYPTOC" --dump-passes="$tmp/dump" --emit=none tests/cases/insert-mx-scale-addr/place.pir
ls "$tmp/dump" | grep -q '01_after_InlineFunctions.pir' || fail "an error took the dumps away"

# Slips in the command line: an empty name, the input as output, one file for two outputs.
status 2 "$PYPTOC" "$ex" --output-dir=
status 2 "$PYPTOC" "$ex" -o ''
cp "$ex" "$tmp/own.pir"
status 1 "$PYPTOC" --emit=pir "$tmp/own.pir" -o "$tmp/own.pir"
cmp -s "$ex" "$tmp/own.pir" || fail "the input was overwritten"
status 1 "$PYPTOC" "$ex" -o "$tmp/two.svg" --memory-map="$tmp/two.svg"
grep -q "two outputs" "$tmp/stderr" || fail "two outputs in one file"
status 1 "$PYPTOC" "$ex" -o "$tmp/z.pto" -MF "$tmp/./z.pto"
grep -q "two outputs" "$tmp/stderr" || fail "two outputs in one file that has two names"
mkdir "$tmp/dumps"
cp "$ex" "$tmp/dumps/02_after_UnrollLoops.pir"
status 1 "$PYPTOC" --dump-passes="$tmp/dumps" --emit=none "$tmp/dumps/02_after_UnrollLoops.pir"
cmp -s "$ex" "$tmp/dumps/02_after_UnrollLoops.pir" || fail "the input was overwritten by a dump"
status 2 "$PYPTOC" --emit=by-ending "$ex"
grep -q "one of pto, orch, pir, graph, none" "$tmp/stderr" || fail "the kinds of output are not named"

# A graph does not take the tree away.
status 0 "$PYPTOC" "$ex" -o "$tmp/tasks.SVG" --output-dir="$tmp/both"
grep -q '^<svg' "$tmp/tasks.SVG" || fail "no picture"
[ -f "$tmp/both/orchestration/main.cpp" ] || fail "no tree beside the picture"

# make cannot find standard input.
"$PYPTOC" -MD - -o "$tmp/piped.pto" <"$ex" || fail "-MD of standard input"
grep -q "^$tmp/piped.pto:$" "$tmp/piped.d" || fail "-MD names standard input"

if [ -c /dev/full ]; then
  "$PYPTOC" --list-ops >/dev/full 2>"$tmp/stderr" && fail "a list that was lost is no failure"
fi

# What cannot be written is an error, not a crash.
status 1 "$PYPTOC" "$ex" -o "$tmp/no/such/dir/k.pto"
status 1 "$PYPTOC" "$ex" -o "$tmp"
