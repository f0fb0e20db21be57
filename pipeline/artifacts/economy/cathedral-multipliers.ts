import { z } from 'zod';
import type { EventOf, LedgerEvent } from '../../ledger/events/event.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { cathedral, cycle, dateTime, multiplier, ONE_EVENT } from '../fields.ts';
import { csvHeader, formatRow, INERT_TEXT, invalidRow } from '../format/csv.ts';

const path = 'economy/cathedral-multipliers.csv';

const schema = z.strictObject({
  timestamp: dateTime('Time from which the multiplier holds, UTC'),
  cycle,
  cathedral: cathedral.regex(INERT_TEXT).meta({ description: 'Cathedral whose multiplier was set' }),
  multiplier,
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    .meta({ description: 'Why it was set; genesis for the first', unit: 'snake_case token' }),
});

type Setting = [cathedral: string, multiplier: number, reason: string];

function settings(event: LedgerEvent): Setting[] {
  if (event.type === 'genesis') {
    const { multipliers } = (event as EventOf<'genesis'>).data;
    return Object.entries(multipliers).map(([cathedral, multiplier]) => [cathedral, multiplier, 'genesis']);
  }
  if (event.type !== 'multiplier_set') return [];
  const { cathedral, multiplier, reason } = (event as EventOf<'multiplier_set'>).data;
  return [[cathedral, multiplier, reason]];
}

export const cathedralMultipliers = {
  kind: 'history',
  path,
  area: 'economy',
  title: 'Cathedral multiplier timeline',
  description: 'Every setting of a cathedral multiplier since genesis, newest first, with its reason.',
  limits: [
    'A row holds until the next one of the same cathedral: fill it forward before joining it with other days.',
  ],
  mediaType: 'text/csv; charset=utf-8; header=present',
  restricted: false,
  refresh: 'release',
  schema,
  line: schema.extend(ONE_EVENT),
  tables: [{ name: 'cathedral_multipliers', key: [] }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'd1057d69c7cf02bc', change: 'First published.' },
  ],
  separator: '',
  assembled: true,
  head: () => csvHeader(schema),
  tail: '',
  rows({ event }) {
    const { timestamp, cycle } = event;
    return settings(event).map(([cathedral, multiplier, reason]) => {
      const row = { timestamp, cycle, cathedral, multiplier, reason };
      const { error } = schema.safeParse(row);
      if (error) throw invalidRow(`${path}, event ${event.seq}`, error, row);
      return formatRow(schema, row);
    });
  },
} satisfies HistoryArtifact;
