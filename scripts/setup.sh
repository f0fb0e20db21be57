#!/bin/sh
# Installs what is missing: the dependencies of the service, and a Chromium to print PDFs with. With --test or --bench also the
# development dependencies, nginx, PostgreSQL and Ceph; with --test a browser that starts faster, and the shells whose completion is tested;
# with --bench wrk, the load generator, and rclone. As root it installs programs with apt; otherwise it says what to install.
set -eu
cd "$(dirname "$0")/.."

node=node_modules/.bin/node
omit=--omit=dev
# Requires Node 22 or later, which is installed by then.
DOWNLOADER=@puppeteer/browsers@3.2.6
case "${1:-}" in --test | --bench | --cluster) omit= ;; esac

say() { echo "set-up: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

install_dependencies() {
  command -v npm >/dev/null || fail "npm is missing: install Node 20 or later, which brings it, and start again."
  if node scripts/missing-dependencies.mjs $omit >/dev/null; then return; fi
  [ -w . ] || fail "node_modules lacks packages of npm-shrinkwrap.json, and this user may not write to $PWD:" \
    "run “sh scripts/setup.sh${1:+ $1}” as $(stat -c %U . 2>/dev/null || echo 'its owner')."
  say "installing the dependencies (npm ci${omit:+ $omit}) …"
  npm ci $omit --loglevel=error || fail "npm ci failed: fix the cause above, and start again."
}

node_runs() {
  case $("$node" --version 2>&1) in
    v26.*) return 0 ;;
    *libatomic*) lacks=libatomic1 ;;
    *) lacks= ;;
  esac
  return 1
}

# The packages with a Node binary are optional, since there is one for each kind of machine; npm may be configured to omit them.
check_node() {
  if node_runs; then return; fi
  if [ -n "$lacks" ]; then
    apt_install "$lacks" && node_runs && return
    fail "Node 26 needs the library $lacks: install it (apt-get install $lacks) and start again."
  fi
  fail "Node 26 was not installed: either npm is configured to omit optional packages (run “npm ci --include=optional” and" \
    "start again), or there is none for this kind of machine, only for Linux and macOS on x64 and arm64."
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
  until LC_ALL=C apt-get update; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] && grep -q 'Could not get lock' "$log" || return 1
    : >"$log"
    sleep "${APT_PAUSE:-5}"
  done
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y ${APT_OPTIONS:-} "$@"
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing $* (apt-get install $*) …"
  quietly apt_get "$@"
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
  [ -z "${CHROMIUM_PATH:-}" ] || fail "CHROMIUM_PATH names $CHROMIUM_PATH, which does not exist."
  apt_install chromium && find_chromium && return
  # One of the places where the service looks.
  downloads=${HOME:-/}/.cache/puppeteer
  if mkdir -p "$downloads" 2>/dev/null; then
    say "downloading a Chromium (npx @puppeteer/browsers install chrome) …"
    PATH="$PWD/node_modules/.bin:$PATH" quietly npx --yes "$DOWNLOADER" install chrome --path "$downloads" && find_chromium && return
  else
    say "no Chromium can be downloaded: HOME is ${HOME:-not set}, where this user may not write."
  fi
  fail "no Chromium could be installed: install one (apt-get install chromium) and start again," \
    "or set CATHEDRAL_WITHOUT_PDF=true to publish no PDFs."
}

install_nginx() {
  if [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null; then return; fi
  apt_install nginx || fail "the tests need nginx: install it (apt-get install nginx) and start again."
}

# The same browser without windows, which take longer than the page. The tests also run without it.
install_headless_shell() {
  if command -v chromium-headless-shell >/dev/null || [ -n "${CHROMIUM_PATH:-}" ]; then return; fi
  apt_install chromium-headless-shell ||
    say "using the installed Chromium: the tests are slower without the package chromium-headless-shell."
}

# Their tests are skipped where they are missing.
install_shells() {
  for shell in zsh fish; do
    command -v "$shell" >/dev/null || apt_install "$shell" ||
      say "$shell is missing: its completion is not tested (apt-get install $shell)."
  done
}

# Without a server of this machine: the tests start their own. Where it is missing, its tests are skipped, and the summary says so.
install_postgresql() {
  for initdb in /usr/lib/postgresql/*/bin/initdb; do if [ -x "$initdb" ]; then return; fi; done
  if command -v initdb >/dev/null; then return; fi
  settings=/etc/postgresql-common/createcluster.conf
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ ! -e "$settings" ]; then
    mkdir -p "${settings%/*}" && echo 'create_main_cluster = false' >"$settings" || :
  fi
  apt_install postgresql ||
    say "PostgreSQL is missing: importing from it is not tested (apt-get install postgresql)."
}

# An S3-compatible object store, without the recommended packages, which serve whole clusters.
install_ceph() {
  for program in ceph ceph-mon ceph-osd radosgw radosgw-admin; do
    command -v "$program" >/dev/null && continue
    APT_OPTIONS=--no-install-recommends apt_install ceph-mon ceph-osd radosgw ceph-common ||
      say "Ceph is missing: object storage is not tested with a real store" \
        "(apt-get install --no-install-recommends ceph-mon ceph-osd radosgw ceph-common)."
    return
  done
}

install_haproxy() {
  if [ -x /usr/sbin/haproxy ] || command -v haproxy >/dev/null; then return; fi
  apt_install haproxy || say "HAProxy is missing: several servers behind it are not tested (apt-get install haproxy)."
}

install_wrk() {
  if command -v wrk >/dev/null; then return; fi
  apt_install wrk || fail "the benchmarks need wrk: install it (apt-get install wrk) and start again."
}

install_rclone() {
  if command -v rclone >/dev/null; then return; fi
  apt_install rclone || fail "the benchmarks need rclone: install it (apt-get install rclone) and start again."
}

install_dependencies "${1:-}"
check_node
install_chromium
case "${1:-}" in --test | --bench) install_nginx ;; esac
case "${1:-}" in
  --test)
    install_headless_shell
    install_shells
    install_postgresql
    install_ceph
    install_haproxy
    ;;
  --cluster)
    install_postgresql
    install_ceph
    install_haproxy
    ;;
  --bench)
    install_wrk
    install_rclone
    install_ceph
    install_postgresql
    install_haproxy
    ;;
esac
