#!/bin/sh
# npm test: set-up, then types, lint, format and unused code, and every test. Arguments are passed to vitest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
# A zone other than UTC, so that tests notice a local time used as UTC.
TZ=America/Los_Angeles
# Vitest prints colours where CI is set, even into a file.
if [ ! -t 1 ]; then export NO_COLOR=1; fi
export PATH TZ
echo "types, lint, format and unused code …"
tsc --noEmit &
types=$!
node scripts/check-pages.ts &
pages=$!
biome check .
knip
wait "$types"
wait "$pages"
exec vitest run "$@"
