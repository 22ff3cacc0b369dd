#!/bin/sh
# Runs the fuzzer FUZZ_SECONDS long, from the examples and the text cases (and FUZZ_SEEDS, more folders).
set -eu
fuzzer=$1
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
i=0
for f in examples/*.pir tests/cases/*/*.pir; do
  [ -f "$f" ] || continue
  i=$((i + 1))
  cp "$f" "$corpus/seed$i"
done
for d in ${FUZZ_SEEDS:-}; do
  find "$d" -type f -size -64k | while read -r f; do cp "$f" "$corpus/$(echo "$f" | cksum | tr -d ' ')"; done
done
"$fuzzer" -detect_leaks=0 -max_total_time="${FUZZ_SECONDS:-600}" -timeout=10 -rss_limit_mb=4096 -max_len=32768 \
  -dict=tests/fuzz/pir.dict -print_final_stats=1 "$corpus"
