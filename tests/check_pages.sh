#!/bin/sh
# The pages of docs/passes against the compiler.
#   sh tests/check_pages.sh            every pass has a page, every page belongs to a pass
#   sh tests/check_pages.sh PAGE...    the examples of these pages do what they say; a page has at least one
# An example is two fenced blocks, one after the other. The first line of the first may have options for the run, which are
# "--passes=PASS", the pass of the page's heading, where they name no passes:
#   ```pir before [OPTION...]   a whole program      ```pir after   what --emit=pir prints of it
#   ```pir error  [OPTION...]   a whole program      ```text        the messages, the file being called "example.pir"
# In what is expected a line of just "..." stands for any lines, or none; all else is compared as it is.
set -u
cd "$(dirname "$0")/.." || exit 2
: "${PYPTOC:=$PWD/build/pyptoc}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0
fail() {
  echo "$*"
  status=1
}

if [ $# = 0 ]; then
  for page in docs/passes/*.md; do sed -n '1s/^# //p' "$page"; done | sort >"$tmp/pages"
  "$PYPTOC" --list-passes | awk '{print $2}' | sort -u >"$tmp/passes"
  diff -u "$tmp/passes" "$tmp/pages" || fail "docs/passes and --list-passes name different passes"
fi

# Writes $tmp/N.in, N.options, N.kind and N.wanted for the Nth example.
extract() {
  awk -v dir="$tmp" '
    function start(name) { out = dir "/" n "." name; printf "" >out; inside = 1 }
    /^```/ && inside { close(out); inside = 0; out = ""; next }
    /^```/ && other { other = 0; next }
    /^```pir (before|error)/ {
      if (open) { print FILENAME ":" FNR ": the example before this has no result"; exit 1 }
      n++; open = 1; kind = $2; options = ""
      for (i = 3; i <= NF; i++) options = options " " $i
      print kind >(dir "/" n ".kind"); print options >(dir "/" n ".options"); start("in"); next
    }
    /^```pir after$/ || (/^```text$/ && open && kind == "error") {
      if (!open || (kind == "before") != ($2 == "after")) { print FILENAME ":" FNR ": a result without an example"; exit 1 }
      open = 0; start("wanted"); next
    }
    /^```/ { other = 1; next }
    inside { print >out }
    END { if (open) { print FILENAME ": the last example has no result"; exit 1 } }
  ' "$1"
}

# WANTED GOT: equal but for lines "...".
same() {
  awk '
    function fits(w, g,   k) { for (k = 0; k < len[w]; k++) if (want[w, k] != got[g + k]) return 0; return 1 }
    FNR == NR {
      if ($0 ~ /^ *\.\.\.$/) parts++; else want[parts + 0, len[parts + 0]++] = $0
      next
    }
    { got[lines++] = $0 }
    END {
      parts += 0; lines += 0
      if (!fits(0, 0) || len[0] > lines) exit 1
      if (parts == 0) exit len[0] != lines
      at = len[0] + 0
      for (p = 1; p < parts; p++) {
        while (at + len[p] <= lines && !fits(p, at)) at++
        if (at + len[p] > lines) exit 1
        at += len[p]
      }
      exit lines - len[parts] < at || !fits(parts, lines - len[parts])
    }' "$1" "$2"
}

for page in "$@"; do
  rm -f "$tmp"/*
  extract "$page" || { status=1; continue; }
  pass=$(sed -n '1s/^# //p' "$page")
  [ -f "$tmp/1.in" ] || fail "$page: no example"
  for kind in "$tmp"/*.kind; do
    [ -f "$kind" ] || continue
    n=${kind%.kind} wanted=0 options=$(cat "${kind%.kind}.options") got=$tmp/out
    case $options in *--passes=*) ;; *) options="$options --passes=$pass" ;; esac
    [ "$(cat "$kind")" = before ] || { wanted=1; got=$tmp/err; }
    cp "$n.in" "$tmp/example.pir"
    # shellcheck disable=SC2086  # options are words
    (cd "$tmp" && exec "$PYPTOC" $options --emit=pir -o - example.pir) >"$tmp/out" 2>"$tmp/err"
    [ $? = $wanted ] || fail "$page: example $(basename "$n"): exit status is not $wanted: $(head -5 "$tmp/err")"
    same "$n.wanted" "$got" || fail "$page: example $(basename "$n"): wanted
$(cat "$n.wanted")
got
$(cat "$got")"
  done
done
exit $status
