#!/bin/sh
# npm start: set-up, then the service on a demo ledger. Flags are passed to “cathedral start”; PORT=9000 npm start listens on 9000.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
# Replaces this shell, so that signals reach the service.
exec node src/cli.ts start --demo "$@"
