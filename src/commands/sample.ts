import { setTimeout as sleep } from 'node:timers/promises';
import { integer, text } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { runFeeder } from '../../pipeline/sample/feeder/run-feeder.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { defineCommand, formatJson, json, SWITCH } from './command.ts';

export const sample = defineCommand({
  summary: 'Writes a demo ledger, signed with a published key.',
  details:
    'The same arguments write the same bytes. Anybody can sign with the published key, so a demo ledger proves nothing. With --follow the command continues the ledger that is there, catches up with the time that passed, and appends events until it is stopped.',
  examples: [
    'cathedral sample --ledger /tmp/ledger --to 2025-09-01',
    'cathedral sample --ledger /tmp/ledger --seed 7 --events 100000 --json',
  ],
  flags: {
    ledger: {
      flag: 'ledger',
      default: 'var/ledger',
      unit: 'a folder that does not exist, is empty, or holds an older demo ledger',
      description:
        'Where to write the ledger. The default is where `start` and `build` look for one. CATHEDRAL_LEDGER is not read, because this command replaces what is there.',
      path: true,
      schema: text,
    },
    from: {
      flag: 'from',
      default: '2025-07-03',
      unit: 'a date, 2025-07-03 or later',
      description: 'The day of genesis. The default is the day of C-0, from which cycles are counted.',
      schema: text,
    },
    to: {
      flag: 'to',
      default: null,
      unit: 'a date or a UTC date-time, later than --from',
      description: 'The end of the ledger; events are before it. Without it, the current time.',
      schema: text,
    },
    seed: {
      flag: 'seed',
      default: '1',
      unit: 'a whole number, 0 to 9007199254740991',
      description: 'The seed of all random choices: a different seed gives a different ledger.',
      schema: integer(0, Number.MAX_SAFE_INTEGER),
    },
    events: {
      flag: 'events',
      default: null,
      unit: 'a whole number, 1 to 1000000000',
      description: 'The exact number of events. Without it, about 190 per day.',
      schema: integer(1, 1_000_000_000),
    },
    follow: {
      flag: 'follow',
      description:
        'Continues the ledger that is there, and appends events at a human pace until it is stopped.',
      ...SWITCH,
    },
    json,
  },
  check: ({ follow, to, events, json }) =>
    [
      ...(follow && to !== null ? ['--to'] : []),
      ...(follow && events !== null ? ['--events'] : []),
      ...(follow && json ? ['--json'] : []),
    ].map(
      (place) =>
        new CathedralError('config_invalid', {
          place,
          expected: 'not to be used with --follow',
          found: 'both',
        }),
    ),
  async run(values, { now, progress, print, untilStopped }) {
    const { ledger, from, to, seed, events } = values;
    if (values.follow) {
      await followLedger(ledger, seed, now, untilStopped());
      return 0;
    }
    progress.stage(`writing a demo ledger to ${ledger}`);
    const volume = events === null ? {} : { events };
    const written = await writeSample({ out: ledger, from, to: to ?? now(), seed, ...volume });
    progress.end();
    const { snapshots, timestamp } = written;
    if (values.json) print(formatJson({ ledger, seed, events: written.events, snapshots, as_of: timestamp }));
    else print(`${written.events} events in ${snapshots} snapshots, as of ${timestamp}`);
    return 0;
  },
});

async function followLedger(ledger: string, seed: number, now: () => number, signal: AbortSignal) {
  const pause = (ms: number, ending: AbortSignal) => sleep(ms, undefined, { signal: ending });
  await runFeeder({ ledger, seed, now, sleep: pause, signal });
}
