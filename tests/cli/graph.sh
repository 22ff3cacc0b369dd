# The task graph: arcs by deps and by directions, as Graphviz text and as a picture.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
has() { grep -qF -- "$2" "$1" || { echo "not in $1: $2"; cat "$1"; exit 1; }; }

# Ids through loops and a barrier; nothing by directions in a manual scope.
"$PYPTOC" tests/orch/manual.pir -o "$tmp/manual.dot" || fail "no graph"
has "$tmp/manual.dot" 't1 [label="1: barrier'
has "$tmp/manual.dot" '"0: step\nphase x2, lane x2 parallel\nline '
has "$tmp/manual.dot" 't0 -> t0 [label="deps", style=bold, color=red, constraint=false]'
has "$tmp/manual.dot" 't1 -> t2 [label="deps", style=bold, color=red]'
! grep -q blue "$tmp/manual.dot" || fail "a manual scope was tracked"

# By directions, around a loop and out of it.
"$PYPTOC" --emit=graph tests/orch/chain.pir -o - >"$tmp/chain.dot" || fail "no graph"
has "$tmp/chain.dot" 'd0 [label="a", shape=ellipse, style=bold]'
has "$tmp/chain.dot" 't0 -> t1 [label="scratch", style=dashed, color=blue]'
has "$tmp/chain.dot" 't1 -> t1 [label="total", style=dashed, color=blue, constraint=false]'
has "$tmp/chain.dot" 't1 -> t3 [label="total", style=dashed, color=blue]'
[ "$(grep -c 'color=' "$tmp/chain.dot")" = 6 ] || fail "another number of arcs"

"$PYPTOC" tests/orch/chain.pir -o "$tmp/chain.svg" || fail "no picture"
has "$tmp/chain.svg" '<title>total</title>'
[ "$(grep -c '<path d="M [0-9]' "$tmp/chain.svg")" = 6 ] || fail "another number of arcs in the picture"
! command -v dot >/dev/null || dot -Tplain "$tmp/chain.dot" >/dev/null || fail "dot does not read it"

# What edges cannot say stays with the runtime: the same program as without the analysis.
"$PYPTOC" tests/orch/views.pir -o "$tmp/plain.cpp" || fail "not compiled"
"$PYPTOC" --analyze-auto-scopes tests/orch/views.pir -o "$tmp/analyzed.cpp" || fail "not analyzed"
cmp "$tmp/plain.cpp" "$tmp/analyzed.cpp" || fail "the analysis went too far"
"$PYPTOC" --analyze-auto-scopes tests/orch/chain.pir -o "$tmp/derived.dot" || fail "no graph"
has "$tmp/derived.dot" 't1 -> t2 [label="derived", style=bold, color=purple]'
! grep -q blue "$tmp/derived.dot" || fail "tracked in spite of edges"
