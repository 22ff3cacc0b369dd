#!/bin/sh
# Speed and memory on generated programs, in processor time; sections/*.sh hold the tables, one after the
# other, shapes/*.pir the programs (see expand.c).
#
#   BUILD=build      where pyptoc is
#   SECTIONS='...'   only these, for example SECTIONS=20-front
#   BENCH_STRICT=1   exit 1 if a time, or its growth, is beyond what it may be
set -eu
BUILD=${BUILD:-build}
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for tool in "$here"/*.c; do
  ${CC:-cc} -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o "$tmp/$(basename "$tool" .c)" "$tool"
done
pyptoc=$BUILD/pyptoc
broken=0
. "$here/functions.sh"
for section in "$here"/sections/*.sh; do
  name=$(basename "$section" .sh)
  case " ${SECTIONS:-$name} " in
    *" $name "*) . "$section" ;;
  esac
done
[ $broken = 0 ] || printf '\n%d beyond what is demanded, marked with !\n' $broken
[ $broken = 0 ] || [ "${BENCH_STRICT:-0}" != 1 ]
