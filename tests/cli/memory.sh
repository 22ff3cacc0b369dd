# The memory map and the memory report.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1"; exit 1; }
has() { grep -qF -- "$2" "$1" || { echo "not in $1: $2"; cat "$1"; exit 1; }; }

# Names and text that XML has other uses for.
mkdir "$tmp/a<b>&'\"c"
kernel="$tmp/a<b>&'\"c/k.pir"
cat >"$kernel" <<'END'
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 128])  # < & "
        upper = pl.tile.slice(a, [8, 128], [8, 0])
        b = pl.mul(a, 2.0)
        c = pl.exp(upper)
        d = pl.add(b, b)
        y = pl.store(d, [0, 0], y)
        y = pl.store(c, [16, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def other(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:
        total = pl.load(x, [0, 0], [16, 128])
        for i in pl.range(4):
            part = pl.load(x, [i * 16, 0], [16, 128])
            total = pl.add(total, part)
        y = pl.store(total, [0, 0], y)
        return y
END

"$PYPTOC" --emit=none --memory-report="$tmp/report" --memory-map="$tmp/map.svg" "$kernel" || fail "no map"
cat >"$tmp/wanted" <<'END'
function kernel, on ascend910b by the planner pypto

  Vec: high-water mark 20480 of 188416 bytes (10.9 %)
    address  bytes  tile   type            lines
          0   8192  a      [16, 128] FP32  8-11
          0   8192  d      [16, 128] FP32  12-13
       4096   4096  upper  [8, 128] FP32   9-11   view of a
       8192   8192  b      [16, 128] FP32  10-12
      16384   4096  c      [8, 128] FP32   11-14

function other, on ascend910b by the planner pypto

  Vec: high-water mark 16384 of 188416 bytes (8.7 %)
    address  bytes  tile   type            lines
          0   8192  total  [16, 128] FP32  19-23
          0   8192  total  [16, 128] FP32  21-23  another name for total
          0   8192  total  [16, 128] FP32  22
          0   8192  total  [16, 128] FP32  23     another name for total
       8192   8192  part   [16, 128] FP32  21-22
END
diff "$tmp/wanted" "$tmp/report" || fail "another report"
"$PYPTOC" --emit=none --memory-report "$kernel" 2>"$tmp/error" || fail "no report"
cmp "$tmp/wanted" "$tmp/error" || fail "another report on standard error"
"$PYPTOC" --emit=none --memory-report=- "$kernel" >"$tmp/out" || fail "no report"
cmp "$tmp/wanted" "$tmp/out" || fail "another report on standard output"

# The picture: two functions, one panel each, five tiles each; two names for another tile besides.
well_formed() { command -v xmllint >/dev/null || return 0; xmllint --noout "$1" || fail "$1 is not well formed"; }
well_formed "$tmp/map.svg"
has "$tmp/map.svg" 'Vec: 20 K of 184 K (10.9 %)'
has "$tmp/map.svg" 'high water 16 K'
has "$tmp/map.svg" 'view of a</title>'
has "$tmp/map.svg" '# &lt; &amp; &quot;'
[ "$(grep -c '^<g class="t c[0-7]"><title' "$tmp/map.svg")" = 7 ] || fail "another number of tiles"
[ "$(grep -c '^<g class="v c[0-7]"><title' "$tmp/map.svg")" = 3 ] || fail "another number of views"
! grep -q '^<g class="[tv] o c[0-7]"><title' "$tmp/map.svg" || fail "overlaps"

"$PYPTOC" --emit=none --memory-planner=dsa-rp --memory-map="$tmp/map.html" "$kernel" || fail "no page"
has "$tmp/map.html" "a&lt;b&gt;&amp;'&quot;c/k.pir</h1>"
has "$tmp/map.html" 'function other, on ascend910b by the planner dsa-rp'

# Wrong usage, and files that are not touched.
"$PYPTOC" --memory-map="$tmp/map.png" --emit=none "$kernel" 2>/dev/null
[ $? = 2 ] || fail "a map that is no picture"
"$PYPTOC" --memory-map="$tmp/map.svg" --memory-planner=ptoas --emit=none "$kernel" 2>/dev/null
[ $? = 2 ] || fail "a map without addresses"
cp "$tmp/map.svg" "$tmp/before.svg"
sed 's/16, 128/64, 4096/' "$kernel" >"$tmp/wrong.pir"
"$PYPTOC" --memory-map="$tmp/map.svg" --emit=none "$tmp/wrong.pir" 2>/dev/null
[ $? = 1 ] || fail "too much memory"
cmp "$tmp/before.svg" "$tmp/map.svg" || fail "the map of before is gone"
"$PYPTOC" --memory-map="$tmp/nowhere/map.svg" --emit=none "$kernel" 2>"$tmp/error"
[ $? = 1 ] || fail "a map in no folder"
has "$tmp/error" 'cannot write'
