#!/bin/sh
# npm test: set-up, then types, lint and format, and every test. Arguments go on to vitest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
# A zone that is not UTC, where a local time taken for UTC shows.
TZ=America/Los_Angeles
# In a file, colours are noise; vitest has them wherever CI is set.
if [ ! -t 1 ]; then export NO_COLOR=1; fi
export PATH TZ
echo "types, lint and format …"
tsc --noEmit &
types=$!
node scripts/check-pages.ts &
pages=$!
biome check .
wait "$types"
wait "$pages"
exec vitest run "$@"
