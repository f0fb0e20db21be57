#!/bin/sh
# Installs what is missing: the dependencies of the service, a Node 26 if the machine's is older, and a Chromium to print PDFs with.
# It works the same in a checkout and in an unpacked package. With --node no Chromium. With --tools only the dependencies, the development ones included, and Node. With --test or --bench also the development dependencies, nginx, PostgreSQL and Ceph; with --test a browser that starts faster, and Firefox; with --bench wrk, the load generator,
# and rclone. As root it installs programs with apt; otherwise it says what to install.
set -eu
cd "$(dirname "$0")/.."

node=node_modules/.bin/node
omit=--omit=dev
# Requires Node 22 or later, which is installed by then.
DOWNLOADER=@puppeteer/browsers@3.2.6
for_npm="Node 20.19, or 22.12 or later"
benches=
case "${1:-}" in --bench) benches=true ;; esac
case "${1:-}" in --tools | --test | --bench | --cluster) omit= ;; esac

say() { echo "set-up: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

install_dependencies() {
  command -v npm >/dev/null || fail "npm is missing: install $for_npm, which brings it, and start again."
  if node scripts/missing-dependencies.mjs $omit >/dev/null; then return; fi
  [ -w . ] || fail "node_modules lacks packages of npm-shrinkwrap.json, and this user may not write to $PWD:" \
    "run “sh scripts/setup.sh${1:+ $1}” as $(stat -c %U . 2>/dev/null || echo 'its owner')."
  # npm leaves out, without a word, the packages for this kind of machine that state a later Node than its own.
  case $(node --version) in
    v20.19.* | v20.[2-9][0-9].* | v22.1[2-9].* | v22.[2-9][0-9].* | v2[3-9].* | v[3-9][0-9].*) ;;
    *) fail "expected $for_npm to run npm, found $(node --version): install one with its npm, and start again." ;;
  esac
  say "installing the dependencies (npm ci${omit:+ $omit}) …"
  # No package needs its install script.
  npm ci $omit --ignore-scripts --loglevel=error || fail "npm ci failed: fix the cause above, and start again."
}

is_new_enough() {
  lacks=
  case $("$1" --version 2>&1) in
    v2[6-9].* | v[3-9][0-9].*) return 0 ;;
    *libatomic*) lacks=libatomic1 ;;
  esac
  return 1
}

# Makes node_modules/.bin/node, with which everything runs: a link to the machine's Node, or to the locked one of scripts/node.
provide_node() {
  if is_new_enough "$node"; then return; fi
  mkdir -p "${node%/*}"
  if own=$(command -v node) && is_new_enough "$own"; then
    ln -sfn "$own" "$node"
    return
  fi
  say "installing Node 26, because the machine's is older (npm ci --prefix scripts/node) …"
  npm ci --prefix scripts/node --include=optional --ignore-scripts --loglevel=error ||
    fail "npm ci failed: fix the cause above, and start again."
  # Not the link in .bin: npm 9, which Debian has, makes none with --ignore-scripts.
  for found in scripts/node/node_modules/*/bin/node; do ln -sfn "../../$found" "$node"; done
  if is_new_enough "$node"; then return; fi
  if [ -n "$lacks" ]; then
    apt_install "$lacks" && is_new_enough "$node" && return
    fail "Node 26 needs the library $lacks: install it (apt-get install $lacks) and start again."
  fi
  fail "Node 26 was not installed: npm has it for Linux and macOS on x64 and arm64. Install Node 26 or later and start again."
}

# Runs a command without its output; if it fails, says which file contains that.
quietly() {
  log=$(mktemp "${TMPDIR:-/tmp}/cathedral-set-up.XXXXXX")
  if "$@" >"$log" 2>&1; then
    rm "$log"
    return
  fi
  say "that failed; the output is in $log."
  return 1
}

apt_get() {
  tries=0
  # apt waits for the lock on packages, but not for the lock on package lists.
  until [ -n "${updated:-}" ] || LC_ALL=C apt-get update; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] && grep -q 'Could not get lock' "$log" || return 1
    : >"$log"
    sleep "${APT_PAUSE:-5}"
  done
  updated=true
  # Recommended packages are for desktops and for whole clusters.
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing $* (apt-get install $*) …"
  quietly apt_get "$@"
}

has_chromium() {
  if [ "${CATHEDRAL_WITHOUT_PDF:-}" = true ] || [ "${CATHEDRAL_WITHOUT_SITE:-}" = true ]; then return; fi
  status=0
  problem=$("$node" scripts/find-chromium.ts 2>&1 >/dev/null) || status=$?
  [ "$status" != 2 ] || fail "$problem"
  [ "$status" = 0 ] || [ -z "${CHROMIUM_PATH:-}" ] || fail "CHROMIUM_PATH names $CHROMIUM_PATH, which does not exist."
  return "$status"
}

has() {
  case $1 in
    chromium) has_chromium ;;
    # The same browser without windows, which take longer than the page. The tests also run without it.
    chromium-headless-shell) [ -n "${CHROMIUM_PATH:-}" ] || command -v "$1" >/dev/null ;;
    nginx | haproxy) [ -x "/usr/sbin/$1" ] || command -v "$1" >/dev/null ;;
    postgresql)
      for initdb in /usr/lib/postgresql/*/bin/initdb; do if [ -x "$initdb" ]; then return; fi; done
      command -v initdb >/dev/null
      ;;
    # An S3-compatible object store.
    ceph)
      for program in ceph ceph-mon ceph-osd radosgw radosgw-admin; do
        command -v "$program" >/dev/null || return 1
      done
      ;;
    # What the tutorials use, and the clock in a year.
    tutorials) command -v faketime >/dev/null && command -v sqlite3 >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

packages_of() {
  for one; do
    case $one in
      chromium) echo chromium chromium-sandbox fonts-liberation ;;
      ceph) echo ceph-mon ceph-osd radosgw ceph-common ;;
      rsvg-convert) echo librsvg2-bin ;;
      tutorials) echo faketime python3-pandas sqlite3 ;;
      *) echo "$one" ;;
    esac
  done
}

# The tests start servers of their own.
without_server() {
  settings=/etc/postgresql-common/createcluster.conf
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ ! -e "$settings" ] || return 0
  mkdir -p "${settings%/*}" && echo 'create_main_cluster = false' >"$settings" || :
}

download_chromium() {
  # One of the places where the service looks.
  downloads=${HOME:-/}/.cache/puppeteer
  if mkdir -p "$downloads" 2>/dev/null; then
    say "downloading a Chromium (npx @puppeteer/browsers install chrome) …"
    PATH="$PWD/node_modules/.bin:$PATH" quietly npx --yes "$DOWNLOADER" install chrome --path "$downloads" && has chromium && return
  else
    say "no Chromium can be downloaded: HOME is ${HOME:-not set}, where this user may not write."
  fi
  fail "no Chromium could be installed: install one (apt-get install chromium) and start again," \
    "or set CATHEDRAL_WITHOUT_PDF=true to publish no PDFs."
}

# Where tests are skipped, their summary says so as well.
go_without() {
  how="(apt-get install --no-install-recommends $(echo $(packages_of "$1")))"
  if [ -n "$benches" ]; then say "$1 is missing: benchmarks that need it fail, and the others run $how."; fi
  case $1 in
    chromium) download_chromium ;;
    chromium-headless-shell) say "using the installed Chromium: the tests are slower without the package $1." ;;
    nginx) [ -n "$benches" ] || fail "the tests need nginx: install it $how and start again." ;;
    wrk | rclone | curl) ;;
    postgresql) say "PostgreSQL is missing: importing from it is not tested $how." ;;
    ceph) say "Ceph is missing: object storage is not tested with a real store $how." ;;
    haproxy) say "HAProxy is missing: several servers behind it are not tested $how." ;;
    cairosvg) say "CairoSVG is missing: opening a chart in it is not tested $how." ;;
    tutorials) say "faketime, pandas or sqlite3 is missing: the tutorials are not tested $how." ;;
    firefox-esr) say "Firefox is missing: the pages are not tested in it $how." ;;
    rsvg-convert) say "rsvg-convert is missing: converting a chart's SVG to PDF is not tested $how." ;;
  esac
}

# Programs that are missing, in one call of apt, since each call takes seconds; one by one if apt does not have all of them.
install() {
  missing=
  for name; do has "$name" || missing="$missing $name"; done
  case $missing in *postgresql*) without_server ;; esac
  case $missing in *' '*' '*) apt_install $(packages_of $missing) || : ;; esac
  for name in $missing; do
    has "$name" || { apt_install $(packages_of "$name") && has "$name"; } || go_without "$name"
  done
}

install_dependencies "${1:-}"
provide_node
case "${1:-}" in
  --node | --tools) ;;
  --test) install chromium chromium-headless-shell nginx postgresql ceph haproxy rsvg-convert cairosvg tutorials firefox-esr ;;
  --cluster) install chromium postgresql ceph haproxy ;;
  --bench) install chromium nginx wrk rclone curl ceph postgresql haproxy ;;
  *) install chromium ;;
esac
