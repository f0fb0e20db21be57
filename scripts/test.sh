#!/bin/sh
# npm test: set-up, then every test, and beside them types, lint, format and unused code. With arguments, which are passed to vitest
# (FILE …, -t NAME), only the tests that they name. npm run test:all: also the *.sweep.test.ts, which try every case of a kind.
set -eu
cd "$(dirname "$0")/.."
case "$*" in
  '') sh scripts/setup.sh --test ;;
  # Tests that need an engine are skipped without it; the summary says so.
  *) sh scripts/setup.sh --tools ;;
esac
PATH="$PWD/node_modules/.bin:$PATH"
# A zone other than UTC, so that tests notice a local time used as UTC.
TZ=America/Los_Angeles
# Vitest prints colours where CI is set, even into a file.
if [ ! -t 1 ]; then export NO_COLOR=1; fi
if [ $# = 0 ]; then export CHECKS=all; fi
export PATH TZ
exec vitest run "$@"
