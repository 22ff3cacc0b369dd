#!/bin/sh
# Speed and memory of the memory planners: the passes from InitMemRef to AllocateMemoryAddr on kernels of 1,000,
# 5,000 and 20,000 tiles, in processor time beyond that of reading the program.  straight and loops have few tiles
# alive at once, wide has 1,000; chains load and store all the time, so that dsa-rp has waits to avoid.
set -eu
BUILD=${BUILD:-build}
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for tool in tiles generate measure; do
  ${CC:-cc} -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o "$tmp/$tool" "$here/$tool.c"
done

# best of some runs: prints "ms KiB"
best() { for _ in $RUNS; do "$tmp/measure" "$@"; done | sort -n | head -1; }

kernel() { # SHAPE TILES
  case $1 in
    straight) "$tmp/tiles" "$2" 8 ;;
    wide) "$tmp/tiles" "$2" 1000 ;;
    loops) "$tmp/tiles" "$2" 8 loops ;;
    chains) "$tmp/generate" $(($2 * 8 / 7)) ;;
  esac
}

RUNS=${RUNS:-1 2 3}
passes=InitMemRef,MaterializeSemanticAliases,MemoryReuse,AllocateMemoryAddr
for shape in straight loops wide chains; do
  for n in ${TILES:-1000 5000 20000}; do
    for planner in pypto dsa-rp ptoas; do
      options="--memory-planner=$planner --verify=none --emit=none"
      kernel $shape $n >"$tmp/kernel.pir"
      # what the passes before the memory passes make of it
      "$BUILD/pyptoc" $options --stop-after=MaterializeTensorStrides --emit=pir -o "$tmp/ir.pir" "$tmp/kernel.pir"
      reading=$(best "$BUILD/pyptoc" --passes=none $options "$tmp/ir.pir")
      whole=$(best "$BUILD/pyptoc" --passes=$passes $options "$tmp/ir.pir") || whole=
      echo "$whole $reading" | awk -v t="plan $planner $shape $n" \
        '{if (NF < 4) print t ": failed"; else printf "%-34s %9.1f ms %8.1f MiB\n", t, $1 - $3, $2 / 1024}'
    done
  done
done
