#!/bin/sh
# npm run test:changed: types, lint and the tests that the changes since a commit touch (default: since main, those that are not committed
# included); npm run test:changed -- COMMIT.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --tools
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
files=$(node scripts/tests-of-changes.ts "$@")
if [ -z "$files" ]; then
  echo 'no test depends on what changed'
  exit
fi
TZ=America/Los_Angeles
if [ ! -t 1 ]; then export NO_COLOR=1; fi
CHECKS=all
export TZ CHECKS
# Names of tests have no spaces.
exec vitest run $files
