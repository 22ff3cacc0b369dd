#!/bin/sh
# Speed and memory on generated kernels: parse and print, then the whole pipeline, at 10,000 and
# 100,000 statements, in processor time.  The ratio tells whether the work grows with the input (10) or
# faster.
set -eu
BUILD=${BUILD:-build}
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for tool in generate measure; do
  ${CC:-cc} -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o "$tmp/$tool" "$here/$tool.c"
done

# best of three: prints "ms KiB"
best() { for _ in 1 2 3; do "$tmp/measure" "$@"; done | sort -n | head -1; }

row() { # TITLE FILE ARGS...
  title=$1 file=$2
  shift 2
  if result=$(best "$BUILD/pyptoc" "$@" "$file") && [ -n "$result" ]; then
    lines=$(wc -l <"$file")
    echo "$result" | awk -v t="$title" -v l="$lines" -v b="$(wc -c <"$file")" \
      '{printf "%-34s %8d lines %9.1f ms %9.0f lines/s %7.1f MB/s %8.1f MiB\n", t, l, $1, l / $1 * 1e3, b / $1 / 1e3, $2 / 1024}'
    echo "$result" | cut -d' ' -f1 >"$tmp/last"
  else
    echo "$title: failed"
    echo 0 >"$tmp/last"
  fi
}

for shape in straight loops; do
  for kind in parse+print pipeline; do
    args="--passes=none --emit=pir -o /dev/null"
    [ $kind = parse+print ] || args="--emit=pto -o /dev/null"
    for n in 10000 100000; do
      "$tmp/generate" $n $shape >"$tmp/$shape$n.pir"
      row "$kind $shape $n" "$tmp/$shape$n.pir" $args
      [ $n = 100000 ] || cp "$tmp/last" "$tmp/small"
    done
    awk -v a="$(cat "$tmp/small")" -v b="$(cat "$tmp/last")" -v t="$kind $shape" \
      'BEGIN {if (a > 0) printf "%-34s ten times the input takes %.1f times as long\n", t, b / a}'
  done
done

# PTO text alone: the same final IR read with and without writing it.
ir=$tmp/final.pir pto=$tmp/final.pto
if "$BUILD/pyptoc" --emit=pir -o "$ir" "$tmp/straight10000.pir" &&
  whole=$(best "$BUILD/pyptoc" --passes=none --emit=pto -o "$pto" "$ir") &&
  reading=$(best "$BUILD/pyptoc" --passes=none --emit=none "$ir"); then
  echo "$whole $reading" | awk -v b="$(wc -c <"$pto")" \
    '{ms = $1 - $3; printf "%-34s %8.1f MB    %9.1f ms %34.1f MB/s\n", "PTO text straight 10000", b / 1e6, ms, ms > 0 ? b / ms / 1e3 : 0}'
else
  echo "PTO text: failed"
fi
