#!/bin/sh
# Installs with apt-get what building and testing needs and the machine lacks.
set -eu
missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need gcc gcc
need make make
need autoconf autoconf
need flex flex
need bison bison
need pkg-config pkg-config
pkg-config --exists check 2>/dev/null || missing="$missing check"
if [ -n "${WITH_CLANG:-}" ]; then
  need clang clang
  need clang-format clang-format
fi
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
  echo "missing:$missing; install them and try again" >&2
  exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
