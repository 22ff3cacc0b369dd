#!/bin/sh
# Runs every test: unit tests, then the text cases, then the command line.
set -u
BUILD=${BUILD:-build}
"$BUILD/tests" || exit 1
