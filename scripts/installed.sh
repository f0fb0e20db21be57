#!/bin/sh
# npm run installed: packs the program, installs it like a user, with the machine's own Node and npm, and runs it there. It needs the
# registry, or npm's cache, and about a minute. Arguments are passed to vitest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
INSTALLED=true
TZ=America/Los_Angeles
if [ ! -t 1 ]; then export NO_COLOR=1; fi
export PATH INSTALLED TZ
exec vitest run test/package "$@"
