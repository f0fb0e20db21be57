#!/bin/sh
# Installs what is missing, and only that: the dependencies, and a Chromium to print PDFs with.
# With --test also nginx, for the tests of the shipped nginx configurations, and a browser that starts faster; with --bench
# nginx and wrk, which makes load.
set -eu
cd "$(dirname "$0")/.."

node=node_modules/.bin/node

say() { echo "set-up: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

install_dependencies() {
  if [ -d node_modules ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then
    return
  fi
  command -v npm >/dev/null || fail "npm is missing: install Node 20 or later, which brings it, and start again."
  say "installing the dependencies (npm ci) …"
  npm ci --loglevel=error || fail "npm ci failed: see above for what it says, mend that, and start again."
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
  log=$1
  shift
  mkdir -p var
  "$@" >"$log" 2>&1 && return
  say "that failed; $log says why."
  return 1
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing $1 (apt-get install $1) …"
  quietly "var/install-$1.log" sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y "$0"' "$1"
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
  say "downloading a Chromium (puppeteer browsers install chrome) …"
  quietly var/download-chromium.log "$node" node_modules/.bin/puppeteer browsers install chrome && return
  fail "no Chromium could be installed: install one and start again, or set CATHEDRAL_WITHOUT_PDF=true to do without PDFs."
}

install_nginx() {
  if [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null; then return; fi
  apt_install nginx || fail "nginx is missing, which a test needs: install it and start again."
}

# The same browser without its own windows, which cost a test more than the page: it does without where there is none.
install_headless_shell() {
  if command -v chromium-headless-shell >/dev/null || [ -n "${CHROMIUM_PATH:-}" ]; then return; fi
  apt_install chromium-headless-shell || say "without chromium-headless-shell the tests take longer."
}

install_wrk() {
  if command -v wrk >/dev/null; then return; fi
  apt_install wrk || fail "wrk is missing, which a benchmark needs: install it and start again."
}

install_dependencies
check_node
install_chromium
case "${1:-}" in --test | --bench) install_nginx ;; esac
case "${1:-}" in
  --test) install_headless_shell ;;
  --bench) install_wrk ;;
esac
