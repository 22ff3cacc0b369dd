# Who includes whom in src: a layer only what stands below it, and the rooms (folders) of a layer not one another
# in a circle.  The layers are those of docs/architecture.md; .def files are rows of data and belong to no room.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }

# Reads lines "FILE:#include "HEADER""; prints what is wrong, and the number of lines that it saw.
check() {
  sed -n 's/^src\/\([^:]*\)\/[^/:]*: *# *include *"\([^"]*\)\/[^/"]*\.h".*/\1 \2/p' | awk '
    BEGIN {
      below["base"] = ""
      below["ir"] = "base"
      below["lexer"] = "base ir"
      below["parser"] = "base ir lexer"
      below["arith"] = "base ir"
      below["target"] = "base ir"
      below["passes"] = "base ir arith target"
      below["run"] = "base ir target"
      below["codegen"] = "base ir target"
      below["driver"] = "base ir lexer parser arith target passes run codegen"
      for (l in below) {
        n = split(below[l], names, " ")
        for (i = 1; i <= n; i++) may[l, names[i]] = 1
      }
    }
    {
      seen++
      split($1, a, "/"); split($2, b, "/")
      if (!(a[1] in below)) print "no layer: " a[1]
      if (a[1] != b[1] && !((a[1], b[1]) in may)) print "upwards: " $1 " includes " $2
      if (a[1] == b[1] && $1 != $2) { reach[$1, $2] = 1; room[$1]; room[$2] }
    }
    END {
      for (k in room) for (i in room) if ((i, k) in reach) for (j in room)
        if ((k, j) in reach) reach[i, j] = 1
      for (i in room) if ((i, i) in reach) print "circle: " i
      print seen + 0 " seen"
    }' | sort
}

grep -rE '^ *# *include *"' src --include='*.[chly]' >"$tmp/includes"
check <"$tmp/includes" >"$tmp/found"
[ "$(grep -vc 'seen$' "$tmp/found")" = 0 ] || fail "$(grep -v 'seen$' "$tmp/found")"
[ "$(sed -n 's/ seen$//p' "$tmp/found")" -gt 1000 ] || fail "includes were not found: $(cat "$tmp/found")"

# What must be caught.
must_fail() { # LINE WANTED
  { cat "$tmp/includes"; echo "$1"; } | check | grep -qx "$2" || fail "not caught: $1"
}
must_fail 'src/lexer/string.c:#include "parser/syntax.h"' 'upwards: lexer includes parser'
must_fail 'src/ir/op.h:#include "target/target.h"' 'upwards: ir includes target'
must_fail 'src/codegen/pto/tile.c:#include "passes/memory/lives.h"' 'upwards: codegen/pto includes passes/memory'
must_fail 'src/codegen/base/builds.c:#include "codegen/orch/orch.h"' 'circle: codegen/base'
must_fail 'src/passes/util/clone.c:#include "passes/memory/lives.h"' 'circle: passes/util'
must_fail 'src/passes/memory/pack.c:#include "passes/pass.h"' 'circle: passes/memory'
must_fail 'src/new/a.c:#include "base/vec.h"' 'no layer: new'
