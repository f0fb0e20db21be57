import { z } from 'zod';
import { type Setting, truth } from './setting.ts';

/** A UTC date or date-time, ms since 1970. */
const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/)
  .transform((given) => [given, Date.parse(given)] as const)
  // Date.parse takes 2025-02-30 for the 2nd of March.
  .refine(([given, ms]) => !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(given.slice(0, 10)))
  .transform(([, ms]) => ms);

const DAY_MS = 86_400_000;
/** The first ms after it: of a date the end of that day, as in the export of the audit trail. */
const end = z
  .string()
  .refine((given) => moment.safeParse(given).success)
  .transform((given) => moment.parse(given) + (given.length === '2025-12-01'.length ? DAY_MS : 1));

/** What is asked of the access log, and in which form. */
export const RECORD_SETTINGS = {
  logFrom: {
    flag: 'from',
    env: null,
    default: null,
    unit: 'a UTC date or date-time: 2025-12-01 or 2025-12-01T06:00:00Z',
    description:
      'For `access-log export`: the first moment that is exported. Without it: from the beginning.',
    schema: moment,
  },
  logTo: {
    flag: 'to',
    env: null,
    default: null,
    unit: 'a UTC date or date-time: 2025-12-01 or 2025-12-01T06:00:00Z',
    description:
      'For `access-log export`: the last moment that is exported; of a date, all of that day. Without it: now.',
    schema: end,
  },
  logFormat: {
    flag: 'format',
    env: null,
    default: 'csv',
    unit: 'csv, json or ndjson',
    description: 'For `access-log export`: the form.',
    schema: z.enum(['csv', 'json', 'ndjson']),
  },
  logHead: {
    flag: 'head',
    env: null,
    default: null,
    unit: '64 hex digits, as verify printed them',
    description:
      'For `access-log verify`: the hash of an entry that was kept elsewhere, which has to be in the log.',
    schema: z.string().regex(/^[0-9a-f]{64}$/),
  },
  logBefore: {
    flag: 'before',
    env: null,
    default: null,
    unit: 'a UTC date or date-time: 2025-12-01',
    description: 'For `access-log expire`: older entries are removed.',
    schema: moment,
  },
  json: {
    flag: 'json',
    env: null,
    default: 'false',
    unit: 'true or false',
    description: 'Prints JSON, for programs.',
    switch: true,
    schema: truth,
  },
} as const satisfies Record<string, Setting>;
