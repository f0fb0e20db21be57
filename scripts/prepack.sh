#!/bin/sh
# npm pack: compiles the program for installed packages into dist/, where Node does not run TypeScript, and records the commit. The
# site is built from the sources, which the package contains as well.
set -eu
cd "$(dirname "$0")/.."
rm -rf dist
node_modules/.bin/tsc -p tsconfig.dist.json
node_modules/.bin/node scripts/write-commit.ts dist/COMMIT
