#!/bin/sh
# npm run bench: set-up, then the benchmarks. Arguments select some by name.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --bench
exec node_modules/.bin/node test/bench/main.ts "$@"
