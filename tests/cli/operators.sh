# The operator table: its page is current, its JSON is JSON, and nobody asks for an operator by its name.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }

"$PYPTOC" --list-ops=md >"$tmp/operators.md"
cmp -s "$tmp/operators.md" docs/operators.md || fail "docs/operators.md is not current: make docs/operators.md"
"$PYPTOC" --list-ops=json >"$tmp/operators.json"
if command -v python3 >/dev/null; then
  python3 -m json.tool "$tmp/operators.json" >/dev/null || fail "--list-ops=json is not JSON"
fi
[ "$("$PYPTOC" --list-ops | wc -l)" = "$(grep -c '"name": "[a-z]*\.' "$tmp/operators.json")" ] ||
  fail "--list-ops and --list-ops=json do not show the same operators"

names='"(tensor|tile|array|system|prefetch|pld|builtin|buffer|reg)\.[a-z_]+"'
found=$(grep -rnE "(strcmp|strncmp|ir_name|name_of|op_by_name)\([^;]*$names" src --include='*.c' |
  grep -v '^src/ir/op')
[ -z "$found" ] || fail "operators compared by name:
$found"
