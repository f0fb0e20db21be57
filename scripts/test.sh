#!/bin/sh
# npm test: set-up, then types, lint and format, and every test. Arguments go on to vitest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
# A zone that is not UTC, where a local time taken for UTC shows.
TZ=America/Los_Angeles
export PATH TZ
echo "types …"
tsc --noEmit
node scripts/check-pages.ts
echo "lint and format …"
biome check .
exec vitest run "$@"
