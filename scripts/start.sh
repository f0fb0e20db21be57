#!/bin/sh
# npm start: set-up, then the service on a demo ledger. Flags go on to “cathedral start”.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
# In the place of this shell, so that a signal reaches the service.
exec node src/cli.ts start --demo "$@"
