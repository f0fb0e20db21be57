import * as z from 'zod/mini';
import { CycleLabel } from '../ledger/events/vocabulary.ts';
import { SCORE_FORMULA } from '../model/formulas.ts';
import { described } from '../words/described.ts';
import { AMOUNT_UNIT } from './format/csv.ts';

/**
 * Members that several files share, each with its entry in the data dictionary. `unit`, `range` and `formula` are metadata
 * for the data dictionary, the JSON Schemas and the dataset pages.
 */
export const asOf = described(z.string(), 'Time of the last ledger event counted in this file, UTC', {
  unit: 'ISO 8601 date-time',
});
export const dateTime = (description: string) =>
  described(z.string(), description, { unit: 'ISO 8601 date-time' });
export const calendarDate = (description: string) =>
  described(z.iso.date(), description, { unit: 'YYYY-MM-DD' });
export const mic = (description: string, formula?: string) =>
  described(z.number(), description, { unit: AMOUNT_UNIT, range: '≥ 0', ...(formula && { formula }) });
export const share = (description: string, formula?: string) =>
  described(z.number().check(z.gte(0), z.lte(1)), description, {
    unit: 'share',
    range: '0–1',
    ...(formula && { formula }),
  });
export const count = (description: string) =>
  described(z.int().check(z.gte(0)), description, { unit: 'count', range: '≥ 0' });
export const text = (description: string) => described(z.string(), description);
export const mintingActive = z.nullable(
  described(z.boolean(), 'Whether MIC may be minted', {
    formula: 'mii ≥ threshold; null where either is null',
  }),
);

/** The unit of members that name events. The log is the ledger’s Merkle tree, and an event’s index in it is its seq. */
export const EVENT_INDEX = 'index in the log';
export const eventIndex = (description: string) =>
  described(z.int().check(z.gte(0)), description, { unit: EVENT_INDEX, range: '≥ 0' });

/** For histories whose rows each state one event. */
export const ONE_EVENT = {
  event: eventIndex(
    'Event that the row states, by its index in the log; /verification/?event=<index> proves it',
  ),
};
/** For histories by day. */
export const EVENTS_OF_DAY = {
  first_event: eventIndex(
    'First event of the day, by its index in the log; the row follows from the events up to its last',
  ),
  last_event: eventIndex('Last event of the day, by its index in the log'),
};

/** For files by day. */
export const day = calendarDate('Day, UTC; only finished days with an event');

export const sentinelId = text('Sentinel, by its id in the ledger');
export const cathedral = text('Cathedral that the sentinel belongs to');
export const cycle = described(CycleLabel, 'Cycle, one UTC day; C-151 is 2025-12-01', { unit: 'C-<number>' });
export const multiplier = described(
  z.number().check(z.gte(1), z.lte(2)),
  'Cathedral multiplier M_c of the reward formula',
  { unit: 'factor', range: '1.0–2.0' },
);
export const coordination = described(
  z.number().check(z.gte(0)),
  'Coordination score s of the sentinel’s last attestation; not clamped, the logarithm is natural, uptime in days and at least 1',
  { unit: 'points', range: '≥ 0, 50 earns half of the highest reward', formula: `score = ${SCORE_FORMULA}` },
);
export const giScore = described(
  z.number().check(z.gte(0), z.lte(1)),
  'General integrity score of the sentinel’s last attestation',
  { unit: 'share', range: '0–1' },
);
export const uptimeDays = z.nullable(
  described(
    z.int().check(z.gte(0)),
    'Whole days since registration, or since a heartbeat that came more than 24 h after that or after the heartbeat before it; null before the first heartbeat, 0 while offline',
    { unit: 'days', range: '≥ 0' },
  ),
);
export const roi = z.nullable(
  described(
    z.number().check(z.gte(0)),
    'What a mint returned per unit of the highest base reward; null without a mint',
    { unit: 'ratio', range: '0–2', formula: 'roi = (Σ minted ÷ number of mints) ÷ L, L = 1000' },
  ),
);
export const averageCoordination = z.nullable(
  described(
    z.number().check(z.gte(0)),
    'Mean coordination score of the active sentinels that have attested; null if none has',
    { unit: 'points', range: '≥ 0', formula: 'average = Σ s ÷ n' },
  ),
);
