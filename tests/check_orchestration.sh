#!/bin/sh
# Every orchestration of tests/orch compiles with g++ against the stand-in runtime, and submits the tasks
# that NAME.tasks states when it is run with the arguments in NAME.args.  NAME.passes: other options than
# the whole pipeline.  The orchestrations of examples/ must compile too.
# UPDATE=1 writes the .tasks files.
set -u
cd "$(dirname "$0")/orch" || exit 2
command -v g++ >/dev/null || { echo "g++ is missing: not run"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0
for f in *.pir; do
  [ -f "$f" ] || continue
  name=${f%.pir}
  options=
  [ ! -f "$name.passes" ] || options=$(cat "$name.passes")
  # shellcheck disable=SC2086  # options are words
  "$PYPTOC" $options "$f" -o "$tmp/$name.cpp" || { echo "$f: not compiled"; status=1; continue; }
  g++ -std=c++17 -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable -I. -DORCHESTRATION="\"$tmp/$name.cpp\"" record.cpp -o "$tmp/run" ||
    { echo "$f: the C++ does not compile"; status=1; continue; }
  # shellcheck disable=SC2046  # arguments are words
  "$tmp/run" $(cat "$name.args") >"$tmp/tasks" || status=1
  [ -z "${UPDATE:-}" ] || cp "$tmp/tasks" "$name.tasks"
  diff -u "$name.tasks" "$tmp/tasks" || status=1
done
for f in ../../examples/*.pir; do
  "$PYPTOC" "$f" -o "$tmp/example.cpp" && g++ -std=c++17 -I. -fsyntax-only "$tmp/example.cpp" ||
    { echo "$f: the orchestration does not compile"; status=1; }
done
exit $status
