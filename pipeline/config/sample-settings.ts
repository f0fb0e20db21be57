import { integer, type Setting, text, truth } from './setting.ts';

/** Of the sample ledger. */
export const SAMPLE_SETTINGS = {
  sampleOut: {
    flag: 'out',
    env: null,
    default: 'var/ledger',
    unit: 'a folder that is not there, empty, or an older sample',
    description:
      'For `sample`: where the ledger is written, by default where `start` and `build` look for one.',
    path: true,
    schema: text,
  },
  from: {
    flag: 'from',
    env: null,
    default: '2025-07-03',
    unit: 'a date, 2025-07-03 or later',
    description:
      'For `sample`: the day of genesis. The default is that of C-0, from which cycles are counted.',
    schema: text,
  },
  to: {
    flag: 'to',
    env: null,
    default: null,
    unit: 'a date or a UTC date-time, later than --from',
    description: 'For `sample`: where the ledger ends, itself not in it. Without it: now.',
    schema: text,
  },
  seed: {
    flag: 'seed',
    env: null,
    default: '1',
    unit: 'a whole number, 0 to 9007199254740991',
    description: 'For `sample`: another one gives another ledger, the same one the same bytes.',
    schema: integer(0, Number.MAX_SAFE_INTEGER),
  },
  events: {
    flag: 'events',
    env: null,
    default: null,
    unit: 'a whole number, 1 to 1000000000',
    description:
      'For `sample`: the exact number of events. Without it, what the dates give by themselves: about 190 a day.',
    schema: integer(1, 1_000_000_000),
  },
  follow: {
    flag: 'follow',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `sample`: goes on from the ledger that is there, catches up with what passed, and appends events at a human pace until it is stopped.',
    switch: true,
    schema: truth,
  },
  demo: {
    flag: 'demo',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `start`: writes a sample ledger where there is none, and keeps it alive. What `npm start` does.',
    switch: true,
    schema: truth,
  },
} as const satisfies Record<string, Setting>;
