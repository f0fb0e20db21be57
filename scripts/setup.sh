#!/bin/sh
# Installs what is missing, and only that: the dependencies that the service runs with, and a Chromium to print PDFs with.
# With --test or --bench all dependencies, and nginx; with --test also a browser that starts faster, with --bench wrk, which
# makes load. Programs are installed by apt where this runs as root; else it says what to install.
set -eu
cd "$(dirname "$0")/.."

node=node_modules/.bin/node
omit=--omit=dev
case "${1:-}" in --test | --bench) omit= ;; esac

say() { echo "set-up: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

install_dependencies() {
  command -v npm >/dev/null || fail "npm is missing: install Node 20 or later, which brings it, and start again."
  if node scripts/missing-dependencies.mjs $omit >/dev/null; then return; fi
  [ -w . ] || fail "node_modules lacks what package-lock.json names, and this user may not write to $PWD:" \
    "run “sh scripts/setup.sh${1:+ $1}” as $(stat -c %U . 2>/dev/null || echo 'its owner')."
  say "installing the dependencies (npm ci${omit:+ $omit}) …"
  npm ci $omit --loglevel=error || fail "npm ci failed: see above for what it says, mend that, and start again."
}

# The package node brings its binary by an install script, which npm can be told not to run.
check_node() {
  case $("$node" --version 2>/dev/null) in
    v26.*) ;;
    *) fail "Node 26 did not come with the dependencies because npm was told not to run install scripts:" \
      "run “npm ci --ignore-scripts=false” and start again." ;;
  esac
}

# Runs a command that prints much; where it fails, says which file has what it printed.
quietly() {
  log=$(mktemp "${TMPDIR:-/tmp}/cathedral-set-up.XXXXXX")
  if "$@" >"$log" 2>&1; then
    rm "$log"
    return
  fi
  say "that failed; $log says why."
  return 1
}

apt_get() {
  tries=0
  # apt waits for the lock of its packages, but not for that of the lists of them.
  until LC_ALL=C apt-get update; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] && grep -q 'Could not get lock' "$log" || return 1
    : >"$log"
    sleep "${APT_PAUSE:-5}"
  done
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y "$1"
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing the package $1 (apt-get install $1) …"
  quietly apt_get "$1"
}

find_chromium() {
  status=0
  problem=$("$node" scripts/find-chromium.ts 2>&1 >/dev/null) || status=$?
  [ "$status" != 2 ] || fail "$problem"
  return "$status"
}

install_chromium() {
  if [ "${CATHEDRAL_WITHOUT_PDF:-}" = true ] || [ "${CATHEDRAL_WITHOUT_SITE:-}" = true ]; then return; fi
  if find_chromium; then return; fi
  [ -z "${CHROMIUM_PATH:-}" ] || fail "CHROMIUM_PATH names $CHROMIUM_PATH, which is not there."
  apt_install chromium && find_chromium && return
  # Where puppeteer puts it.
  if mkdir -p "${PUPPETEER_CACHE_DIR:-${HOME:-/}/.cache/puppeteer}" 2>/dev/null; then
    say "downloading a Chromium (puppeteer browsers install chrome) …"
    quietly "$node" node_modules/.bin/puppeteer browsers install chrome && find_chromium && return
  else
    say "no Chromium can be downloaded: HOME is ${HOME:-not set}, where this user may not write."
  fi
  fail "no Chromium could be installed: install one (apt-get install chromium) and start again," \
    "or set CATHEDRAL_WITHOUT_PDF=true to do without PDFs."
}

install_nginx() {
  if [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null; then return; fi
  apt_install nginx || fail "nginx is missing, which tests need: install it (apt-get install nginx) and start again."
}

# The same browser without its own windows, which cost a test more than the page: tests do without where there is none.
install_headless_shell() {
  if command -v chromium-headless-shell >/dev/null || [ -n "${CHROMIUM_PATH:-}" ]; then return; fi
  apt_install chromium-headless-shell ||
    say "going on with the Chromium that there is: tests take longer without the package chromium-headless-shell."
}

install_wrk() {
  if command -v wrk >/dev/null; then return; fi
  apt_install wrk || fail "wrk is missing, which benchmarks need: install it (apt-get install wrk) and start again."
}

install_dependencies "${1:-}"
check_node
install_chromium
case "${1:-}" in --test | --bench) install_nginx ;; esac
case "${1:-}" in
  --test) install_headless_shell ;;
  --bench) install_wrk ;;
esac
