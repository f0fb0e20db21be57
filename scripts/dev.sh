#!/bin/sh
# npm run dev: the site in Astro's development server, over the newest release that `npm start` has made (CATHEDRAL_OUT: of another
# folder), without the texts of papers. A change of a page is seen at once. Flags are passed to “astro dev”.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --tools
: "${CATHEDRAL_OUT:=$PWD/var/data}"
if [ ! -e "$CATHEDRAL_OUT/current/manifest.json" ]; then
  echo "$CATHEDRAL_OUT: expected a release, found none: run npm start until it is ready." >&2
  exit 1
fi
PATH="$PWD/node_modules/.bin:$PATH"
ASTRO_TELEMETRY_DISABLED=1
CATHEDRAL_SITE_CACHE=$PWD/node_modules/.cache/dev
export PATH CATHEDRAL_OUT CATHEDRAL_SITE_CACHE ASTRO_TELEMETRY_DISABLED
exec node node_modules/astro/bin/astro.mjs dev "$@"
