# .pto text alone: the same final IR, read with writing it and without.
printf '\n%s\n%-34s %10s %10s %9s\n' 'Writing .pto' '' 'MB written' 'ms' MB/s
for s in straight loops; do
  ir=$tmp/final.pir pto=$tmp/final.pto
  if "$pyptoc" --emit=pir -o "$ir" "$(shape $s $SMALL)" &&
    whole=$(best 3 "$pyptoc" --passes=none --emit=pto -o "$pto" "$ir") &&
    reading=$(best 3 "$pyptoc" --passes=none --emit=none "$ir"); then
    echo "${whole% *} ${reading% *}" | awk -v b="$(wc -c <"$pto")" -v t="$s" \
      '{ms = $1 - $2; printf "%-34s %10.1f %10.1f %9.1f\n", t, b / 1e6, ms, (ms > 0 ? b / ms / 1e3 : 0)}'
  else
    failed "$s"
  fi
done
