#!/bin/sh
# npm run faults: fails every system call of every run, cuts the power at every moment, checks that every planted mistake is found,
# kills runs, and the machines of a cluster, at more moments, and publishes ledgers with everything that the event schemas allow. Takes
# hours; npm test runs a selection. Arguments are passed to vitest (-t 'next run'). With --planted it plants faults in the program
# instead, see CONTRIBUTING.md.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --test
PATH="$PWD/node_modules/.bin:$PATH"
SWEEP=hours
TZ=America/Los_Angeles
# Vitest prints colours where CI is set, even into a file.
if [ ! -t 1 ]; then export NO_COLOR=1; fi
export PATH
case " $* " in *" --planted "*) exec node scripts/planted-faults.ts "$@" ;; esac
export SWEEP TZ
# Parts of the names of files.
exec vitest run test/faults test/nasty build/cluster interrupted- many-machines "$@"
