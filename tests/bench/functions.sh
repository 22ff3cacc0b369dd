# functions.sh -- what the sections use. Sizes are numbers of statements, times are in ms.

SMALL=10000   # the caches hold it
LARGE=100000  # they don't
HUGE=400000
# How many times longer the larger may take, for linear and what caches and a busy machine add:
MAX_GROWTH=13 # ten times as much, from what the caches hold to what they don't; for whole programs
MAX_RATIO=5.2 # four times as much, both beyond the caches

# shape NAME N: path of the program of a shape, made once.
shape() {
  [ -e "$tmp/$1.$2.pir" ] || "$tmp/expand" "$here/shapes/$1.pir" "$2" >"$tmp/$1.$2.pir"
  echo "$tmp/$1.$2.pir"
}

# measured N COMMAND...: N runs, fastest first, a line "ms KiB" each, in $tmp/runs; fails if one fails.
measured() {
  runs=$1
  shift
  for _ in $(seq "$runs"); do "$tmp/measure" "$@" || return 1; done >"$tmp/unsorted"
  sort -n "$tmp/unsorted" >"$tmp/runs"
}

# best N COMMAND...: the fastest of N runs.
best() { measured "$@" && head -1 "$tmp/runs"; }

# usual N COMMAND...: the one in the middle, for N odd.
usual() { measured "$@" && sed -n "$((($1 + 1) / 2))p" "$tmp/runs"; }

# middle FILE COLUMN: the value in the middle, of an odd number of lines.
middle() { awk -v c="$2" '{print $c}' "$1" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# rounds N SMALL LARGE HUGE COMMAND...: "small ms, large ms, huge ms, KiB of large, large / small, huge / large", each
# the one in the middle of N rounds, into $tmp/row.  A round runs all sizes one after the other, so that a machine
# which is slower for a while is so for all of them; the fastest of many short runs would be from a moment in which
# it was faster than it is for as long as a long run takes.
rounds() {
  n=$1 small=$2 large=$3 huge=$4
  shift 4
  : >"$tmp/rounds"
  for _ in $(seq "$n"); do
    a=$(usual 5 "$@" "$small") && b=$("$tmp/measure" "$@" "$large") && c=$("$tmp/measure" "$@" "$huge") || return 1
    echo "${a% *} ${b% *} ${c% *} ${b#* } $(divide "${b% *}" "${a% *}") $(divide "${c% *}" "${b% *}")" >>"$tmp/rounds"
  done
  for column in 1 2 3 4 5 6; do middle "$tmp/rounds" $column; done | paste -s -d ' ' - >"$tmp/row"
}

# judge VALUE LIMIT: "!" and counts if VALUE is beyond LIMIT, "" otherwise; the answer is in $mark.
judge() {
  mark=
  if awk -v v="$1" -v l="$2" 'BEGIN {exit !(v > l)}'; then
    mark='!'
    broken=$((broken + 1))
  fi
}

failed() {
  printf '%-34s failed\n' "$1"
  broken=$((broken + 1))
}

# divide A B: A / B with two digits, 0 without B.
divide() { awk -v a="$1" -v b="$2" 'BEGIN {print (b > 0 ? sprintf("%.2f", a / b) : 0)}'; }

speed_head() {
  printf '\n%s\n%-34s %10s %10s %10s %6s %6s %9s %7s %9s\n' "$1" '' "$SMALL" "$LARGE" "$HUGE" x10 x4 lines/s MB/s 'peak MiB'
}

# speed TITLE SHAPE ARGS...: pyptoc with ARGS at all sizes; the rates and the memory are those of LARGE.
speed() {
  title=$1 small=$(shape "$2" $SMALL) large=$(shape "$2" $LARGE) huge=$(shape "$2" $HUGE)
  lines=$(wc -l <"$large") chars=$(wc -c <"$large")
  shift 2
  rounds 3 "$small" "$large" "$huge" "$pyptoc" "$@" || { failed "$title"; return 0; }
  read -r a b c memory growth ratio <"$tmp/row"
  judge "$growth" $MAX_GROWTH
  growth_mark=$mark
  judge "$ratio" $MAX_RATIO
  echo "$a $b $memory $c $growth $ratio" | awk -v t="$title" -v l="$lines" -v c="$chars" -v g="$growth_mark" -v m="$mark" \
    '{printf "%-34s %7.0f ms %7.0f ms %7.0f ms %5.1f%1s %5.1f%1s %9.0f %7.2f %9.0f\n", t, $1, $2, $4, $5, g, $6, m, l / $2 * 1e3, c / $2 / 1e3, $3 / 1024}'
}

# pass_times N FILE ARGS...: "PASS ms" a line for each pass that ran, the fastest of N runs; a pass that
# the pipeline has twice counts with its first time.
pass_times() {
  runs=$1 file=$2
  shift 2
  for _ in $(seq "$runs"); do
    "$pyptoc" --emit=none --time-passes "$@" "$file" 2>&1 || return 1
  done | awk '!/^[0-9][0-9] / {next}
              $1 == "01" {split("", seen)}
              seen[$2]++ {next}
              !($2 in best) || $3 < best[$2] {best[$2] = $3}
              END {for (p in best) print p, best[p]}'
}

passes_head() {
  printf '\n%s\n%-34s %10s %10s %10s %6s   %s\n' "$1" '' "$SMALL" "$LARGE" "$HUGE" x4 program
}

# pass_time PASS SIZE: in ms, of what pass_times has found for that size.
pass_time() { awk -v p="$1" '$1 == p {print $2}' "$tmp/times.$2"; }

# passes SHAPE LAST PASS...: a row for each PASS, alone, in the default pipeline that ends with LAST.
passes() {
  shape=$1 last=$2
  shift 2
  for size in $SMALL $LARGE $HUGE; do
    pass_times 3 "$(shape "$shape" "$size")" --stop-after="$last" >"$tmp/times.$size" || { failed "$shape"; return 0; }
  done
  for pass; do
    a=$(pass_time "$pass" $SMALL) b=$(pass_time "$pass" $LARGE) c=$(pass_time "$pass" $HUGE)
    ratio=$(divide "$c" "$b")
    # What takes less than this is too short to be measured.
    awk -v c="$c" 'BEGIN {exit !(c < 1)}' && ratio=0
    judge "$ratio" $MAX_RATIO
    printf '%-34s %7.1f ms %7.1f ms %7.1f ms %5.1f%1s   %s\n' "$pass" "$a" "$b" "$c" "$ratio" "$mark" "$shape"
  done
}
