#!/bin/sh
# npm run cluster: set-up, then a whole service of several machines on this one, on a demo ledger. --break attacks it.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --cluster
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
# Replaces this shell, so that signals reach the cluster.
exec node scripts/cluster.ts "$@"
