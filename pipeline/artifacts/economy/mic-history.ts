import { z } from 'zod';
import type { EventOf } from '../../ledger/events/event.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { cathedral, coordination, cycle, dateTime, mic, ONE_EVENT, sentinelId } from '../fields.ts';
import { csvHeader, formatRow, INERT_TEXT, invalidRow } from '../format/csv.ts';

const path = 'economy/mic-history.csv';

const schema = z.strictObject({
  timestamp: dateTime('Time of the mint, UTC'),
  cycle,
  sentinel: sentinelId.regex(INERT_TEXT),
  amount: mic('MIC minted', 'R = L ÷ (1 + e^(−k·(s − x0))) × M_c, L = 1000, k = 0.05, x0 = 50'),
  cathedral: cathedral.regex(INERT_TEXT),
  coordination_score: coordination,
});

/** Compiled with the first of them: pages that import this module may not compile. */
let compiled: z.ZodType | null = null;

export const micHistory = {
  kind: 'history',
  path,
  area: 'economy',
  title: 'MIC minting history',
  description: 'Every mint since genesis, newest first, with its sentinel, amount and coordination score.',
  limits: [
    'The amount is the ledger’s. A mint that contradicts the reward formula counts and raises an alert; it is not corrected.',
    'The cathedral is the one that the mint names, so a sentinel that moved has rows of both.',
    'The genesis allocation is not a mint and has no row.',
  ],
  mediaType: 'text/csv; charset=utf-8; header=present',
  restricted: false,
  refresh: 'release',
  schema,
  line: schema.extend(ONE_EVENT),
  tables: [{ name: 'mic_history', key: [], references: { sentinel: 'sentinel_status' } }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: '5ffafae6ab2692ee', change: 'First published.' },
  ],
  separator: '',
  assembled: true,
  head: () => csvHeader(schema),
  tail: '',
  rows({ event }) {
    if (event.type !== 'mic_mint') return [];
    const { timestamp, cycle, data } = event as EventOf<'mic_mint'>;
    const { sentinel, cathedral, coordination_score } = data;
    const row = { timestamp, cycle, sentinel, amount: Number(data.amount), cathedral, coordination_score };
    compiled ??= z.compile(schema);
    if (!z.validate(compiled, row))
      throw invalidRow(`${path}, event ${event.seq}`, schema.safeParse(row).error!, row);
    return [formatRow(schema, { ...row, amount: data.amount })];
  },
} satisfies HistoryArtifact;
