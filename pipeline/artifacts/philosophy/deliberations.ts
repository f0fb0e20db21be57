import * as z from 'zod/mini';
import { POSITIONS, VIRTUES } from '../../ledger/events/vocabulary.ts';
import type { Deliberation } from '../../model/state.ts';
import { DELIBERATION_DAYS, within } from '../../model/window.ts';
import { described, listOf } from '../../words/described.ts';
import { asOf, sentinelId, text } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

/** The value of consensus and outcome while a deliberation is open. */
const PENDING = 'pending' as const;

/** The positions of one deliberation, here and in the archive. */
export const Positions = listOf('Positions in the order in which they were taken', {
  id: sentinelId,
  position: described(z.enum(POSITIONS), 'The position that the sentinel took last'),
  reasoning: text('Its reasoning; empty where it gave none'),
  virtue_tags: described(z.array(z.enum(VIRTUES)), 'Virtues that the reasoning appeals to'),
});

function formatDeliberation({ id, topic, positions, consensus, outcome }: Deliberation) {
  return {
    id,
    topic,
    sentinels: formatPositions(positions),
    consensus: consensus ?? PENDING,
    outcome: outcome ?? PENDING,
  };
}

export function formatPositions(positions: Deliberation['positions']): z.output<typeof Positions> {
  return positions.map(({ taken_at: _, event: __, ...position }) => position);
}

export const deliberations = jsonDocument({
  path: 'philosophy/deliberations.json',
  title: 'Sentinel deliberations',
  description:
    'Current and recent deliberations, with the position and reasoning of each sentinel, and their outcomes.',
  limits: [
    'Deliberations leave the file 90 days after they were closed; the archive keeps them.',
    'Only the last position of a sentinel is shown. A position may change until the deliberation is closed.',
  ],
  followsFrom: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
  refresh: 'real-time',
  schema: z.strictObject({
    timestamp: asOf,
    deliberations: listOf('All open deliberations and those closed in the last 90 days, last opened first', {
      id: text('Deliberation, by its id in the ledger'),
      topic: text('What is deliberated'),
      sentinels: Positions,
      consensus: described(z.enum(['reached', 'not_reached', PENDING]), 'pending while it is open'),
      outcome: text('Outcome; pending while it is open'),
    }),
  }),
  tables: [
    { name: 'deliberations', from: 'deliberations[]', key: [] },
    {
      name: 'positions',
      from: 'deliberations[].sentinels[]',
      title: 'Positions taken in deliberations',
      parent: { column: 'deliberation', member: 'id' },
      key: [],
      references: { id: 'sentinel_status' },
    },
  ],
  value({ state }) {
    const kept = within(
      state.deliberations,
      state.asOf,
      (one) => one.closed_at ?? state.asOf,
      DELIBERATION_DAYS,
    );
    return { timestamp: state.asOf, deliberations: kept.map(formatDeliberation).reverse() };
  },
});
