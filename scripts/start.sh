#!/bin/sh
# npm start: set-up, then the service on a demo ledger. Flags are passed to “cathedral start”; PORT=9000 npm start listens on 9000.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --node
# Only PDFs need a Chromium: if there is none, it is installed meanwhile, and a later run prints them.
sh scripts/setup.sh >&2 &
# Replaces this shell, so that signals reach the service.
exec sh bin/cathedral start --demo "$@"
