#!/bin/sh
# npm run faults: every call of every run fails, power is lost at every moment, and every mistake that is planted has to be
# found; and ledgers with everything that the event schemas allow are published. Hours; npm test has a choice of it. Arguments go on to vitest (-t 'next run').
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
SWEEP=all
TZ=America/Los_Angeles
# In a file, colours are noise; vitest has them wherever CI is set.
if [ ! -t 1 ]; then export NO_COLOR=1; fi
export PATH SWEEP TZ
exec vitest run test/faults test/nasty "$@"
