import { setTimeout as sleep } from 'node:timers/promises';
import { integer, numbers } from '../../pipeline/config/setting.ts';
import { parseSpan } from '../../pipeline/sample/span.ts';
import { counted } from '../../pipeline/words/number.ts';
import { defineCommand, errorsOf, json } from './command.ts';

const sample = defineCommand({
  summary: 'Writes a demo ledger, signed with a published key.',
  details:
    'The same arguments write the same bytes. Anybody can sign with the published key, so a demo ledger proves nothing. With --follow the command continues an existing demo ledger, catches up with the time that has passed, and appends events until it is stopped.',
  examples: [
    'cathedral sample --ledger /tmp/ledger --to 2025-09-01',
    'cathedral sample --ledger /tmp/ledger --seed 7 --events 100000 --json',
  ],
  flags: {
    ledger: {
      default: 'var/ledger',
      unit: 'a folder that does not exist, is empty, or holds an older demo ledger',
      description:
        'Where to write the ledger. The default is where `start` and `build` look for one. CATHEDRAL_LEDGER is not read, because this command replaces the ledger in that folder.',
      path: true,
    },
    from: {
      default: '2025-07-03',
      unit: 'a date, 2025-07-03 or later',
      description: 'The day of genesis. The default is the day of C-0, from which cycles are counted.',
    },
    to: {
      unit: 'a date or a UTC date-time, later than --from',
      description: 'The end of the ledger; events are before it. Without it, the current time.',
    },
    seed: {
      default: '1',
      unit: 'a whole number, 0 to 9007199254740991',
      description: 'The seed of all random choices: a different seed gives a different ledger.',
      schema: integer(0, Number.MAX_SAFE_INTEGER),
    },
    events: {
      ...numbers('a whole number', 1, 1_000_000_000),
      description: 'The exact number of events. Without it, about 190 per day.',
    },
    follow: {
      description:
        'Continues an existing demo ledger, and appends events at a human pace until it is stopped.',
      switch: true,
    },
    json,
  },
  contradictions: [
    ['to', 'follow'],
    ['events', 'follow'],
    ['json', 'follow'],
  ],
  check: ({ from, to }) => errorsOf(() => parseSpan({ from, to: to ?? Number.MAX_SAFE_INTEGER })),
  async run({ ledger, from, to, seed, events, follow }, { now, progress, untilStopped }) {
    if (follow) {
      const { runFeeder } = await import('../../pipeline/sample/feeder/run-feeder.ts');
      const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });
      await runFeeder({ ledger, seed, now, sleep: pause, signal: untilStopped() });
      return 0;
    }
    const { writeSample } = await import('../../pipeline/sample/write-sample.ts');
    progress.stage(`writing a demo ledger to ${ledger}`);
    const volume = events === null ? {} : { events };
    const written = await writeSample({ out: ledger, from, to: to ?? now(), seed, ...volume });
    const { events: count, snapshots, timestamp } = written;
    return {
      facts: { ledger, seed, events: count, snapshots, as_of: timestamp },
      lines: `${counted(count, 'event')} in ${snapshots} snapshots, as of ${timestamp}`,
    };
  },
});

export const COMMANDS = { sample };
