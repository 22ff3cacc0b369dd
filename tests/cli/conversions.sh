# The tables of conversions in the page of LegalizeTileCast are those of the target tables.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
page=docs/passes/legalize-tile-cast.md

{ "$PYPTOC" --list-conversions=md; echo; } >"$tmp/wanted"
sed -n '/^<!-- conversions: made/,/^<!-- conversions: end/p' $page | sed '1d;$d' >"$tmp/found"
diff -u "$tmp/found" "$tmp/wanted" || fail "$page is not current: make $page"

"$PYPTOC" --list-conversions >"$tmp/list"
tab=$(printf '\t')
for target in ascend910b ascend950; do
  grep -q "^$target${tab}FP32${tab}BF16${tab}FP32 -> BF16\$" "$tmp/list" || fail "no native conversion of $target"
  grep -q "^$target${tab}.* -> .* -> " "$tmp/list" || fail "no chain of $target"
done
"$PYPTOC" --list-conversions=json 2>"$tmp/err" && fail "--list-conversions=json is taken"
grep -q "unknown list format 'json'" "$tmp/err" || fail "--list-conversions=json: $(cat "$tmp/err")"
