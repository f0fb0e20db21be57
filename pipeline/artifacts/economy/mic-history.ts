import * as z from 'zod/mini';
import type { EventOf } from '../../ledger/events/event.ts';
import { parseAmount } from '../../model/amount.ts';
import { cathedral, coordination, cycle, dateTime, mic, sentinelId } from '../fields.ts';
import { INERT_TEXT } from '../format/csv.ts';
import { eventHistory } from '../histories.ts';

export const micHistory = eventHistory({
  path: 'economy/mic-history.csv',
  title: 'MIC minting history',
  description: 'Every mint since genesis, newest first, with its sentinel, amount and coordination score.',
  limits: [
    'The amount is the ledger’s. A mint that contradicts the reward formula counts and raises an alert; it is not corrected.',
    'The cathedral is the one that the mint names, so a sentinel that moved has rows of both.',
    'The genesis allocation is not a mint and has no row.',
  ],
  followsFrom: ['mic_mint'],
  tables: [{ name: 'mic_history', key: [], references: { sentinel: 'sentinel_status' } }],
  schema: z.strictObject({
    timestamp: dateTime('Time of the mint, UTC'),
    cycle,
    sentinel: sentinelId.check(z.regex(INERT_TEXT)),
    amount: mic('MIC minted', 'R = L ÷ (1 + e^(−k·(s − x0))) × M_c, L = 1000, k = 0.05, x0 = 50'),
    cathedral: cathedral.check(z.regex(INERT_TEXT)),
    coordination_score: coordination,
  }),
  rows(event) {
    if (event.type !== 'mic_mint') return [];
    const { sentinel, amount, cathedral, coordination_score } = (event as EventOf<'mic_mint'>).data;
    return [{ sentinel, amount: parseAmount(amount), cathedral, coordination_score }];
  },
});
