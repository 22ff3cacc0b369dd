# The memory planners: the passes from InitMemRef to AllocateMemoryAddr together. straight and loops have few tiles
# alive at once, wide has 1,000; chains load and store all the time, so that dsa-rp has waits to avoid.
planner_limit=1000 # ms, for 20,000 tiles
planner_passes=InitMemRef,MaterializeSemanticAliases,MemoryReuse,AllocateMemoryAddr

# planner_kernel SHAPE TILES: the program on standard output.
planner_kernel() {
  case $1 in
    straight) "$tmp/tiles" "$2" 8 ;;
    loops) "$tmp/tiles" "$2" 8 loops ;;
    wide) "$tmp/tiles" "$2" 1000 ;;
    chains) cat "$(shape straight $(($2 * 8 / 7)))" ;;
  esac
}

# planner PLANNER SHAPE TILES: a row.
planner() {
  title="$1 $2 $3" ir=$tmp/planner.pir
  planner_kernel "$2" "$3" >"$tmp/kernel.pir"
  "$pyptoc" --memory-planner="$1" --verify=none --stop-after=MaterializeTensorStrides --emit=pir -o "$ir" \
    "$tmp/kernel.pir" || { failed "$title"; return 0; }
  options="--memory-planner=$1 --verify=none --passes=$planner_passes"
  # shellcheck disable=SC2086  # options are words
  ms=$(pass_times 2 "$ir" $options | awk '{s += $2} END {print s + 0}')
  [ "$ms" != 0 ] || { failed "$title"; return 0; }
  # shellcheck disable=SC2086
  peak=$(best 1 "$pyptoc" $options --emit=none "$ir") || { failed "$title"; return 0; }
  judge "$ms" $planner_limit
  awk -v t="$title" -v ms="$ms" -v m="$mark" -v peak="${peak#* }" \
    'BEGIN {printf "%-34s %7.1f ms %1s %9.0f MiB\n", t, ms, m, peak / 1024}'
}

printf '\n%s\n%-34s %10s %15s\n' "Memory planners, by tiles (at most $planner_limit ms)" '' 'planning' 'peak'
for planned in straight loops wide chains; do
  for tiles in 1000 5000 20000; do
    for by in pypto dsa-rp ptoas; do planner $by $planned $tiles; done
  done
done
