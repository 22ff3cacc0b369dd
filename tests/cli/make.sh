# Dependencies for make, and examples/Makefile compiling only what changed.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # the make that runs the tests may be silent
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
cp examples/*.pir examples/Makefile "$tmp"/
mkdir -p "$tmp/deep/er"
sed 's/vector_add/deeper/' examples/vector_add.pir >"$tmp/deep/er/sum.pir"
make -s -C "$tmp" PYPTOC="$PYPTOC" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
grep -q 'out/axpy.pto.*: axpy.pir$' "$tmp/out/axpy.d" || fail "no dependency of axpy.pto"
[ -f "$tmp/out/deep/er/sum.pto" ] && [ -f "$tmp/out/deep/er/sum.cpp" ] || fail "nothing below a folder was compiled"
make -C "$tmp" PYPTOC="$PYPTOC" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
! grep -q '\.pir' "$tmp/log" || fail "something was compiled again without a change"
PATH=$(dirname "$PYPTOC"):$PATH make -C "$tmp" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
! grep -q '\.pir' "$tmp/log" || fail "the compiler found by name is another one"
sleep 1.1
touch "$tmp/axpy.pir"
make -C "$tmp" PYPTOC="$PYPTOC" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
grep -q axpy "$tmp/log" || fail "a changed kernel was not compiled again"
! grep -q vector_add "$tmp/log" || fail "an unchanged kernel was compiled again"
"$PYPTOC" -MF "$tmp/own.d" "$tmp/axpy.pir" -o "$tmp/x.pto" || fail "-MF"
grep -q "^$tmp/x.pto: $tmp/axpy.pir$" "$tmp/own.d" || fail "-MF wrote something else"
for cpp in "$tmp"/out/*.cpp; do
  "${CXX:-g++}" -std=c++17 -fsyntax-only -Itests/orch "$cpp" || fail "the C++ of $cpp does not compile"
done
