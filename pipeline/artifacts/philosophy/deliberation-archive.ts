import { z } from 'zod';
import type { Deliberation, State } from '../../model/state.ts';
import { dayOf, timeOf } from '../../model/window.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { asOf, dateTime, text } from '../fields.ts';
import { formatJsonRow } from '../format/json.ts';
import { formatPositions, Positions } from './deliberations.ts';

const path = 'philosophy/deliberation-archive.json';

const Closed = z.strictObject({
  id: text('Deliberation, by its id in the ledger'),
  closed: dateTime('When it was closed, UTC'),
  opened: dateTime('When it was opened, UTC'),
  topic: text('What was deliberated'),
  sentinels: Positions,
  consensus: z.enum(['reached', 'not_reached']).meta({ description: 'Whether consensus was reached' }),
  outcome: text('Outcome'),
});

const schema = z.strictObject({
  timestamp: asOf,
  deliberations: z.array(Closed).meta({
    description: 'Every deliberation closed on a finished day, last closed first',
  }),
});

/** The deliberations closed on the state's day, from the state after the day's last event. */
function closedOn({ deliberations, day }: State): Deliberation[] {
  return deliberations
    .filter(({ closed_at }) => closed_at !== null && dayOf(closed_at) === day.date)
    .sort((one, other) => timeOf(one.closed_at!) - timeOf(other.closed_at!));
}

export const deliberationArchive = {
  kind: 'history',
  path,
  area: 'philosophy',
  title: 'Deliberation archive',
  description:
    'Every closed deliberation since genesis, last closed first: the positions, their reasons, and the outcome.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [
    {
      name: 'deliberation_archive',
      from: 'deliberations[]',
      key: [],
    },
  ],
  schemaHistory: [
    { version: '0.1.0', date: '2026-11-21', digest: 'ac3581b7ff3789a7', change: 'First published.' },
  ],
  separator: ',\n',
  assembled: true,
  head: ({ state }) => `{"timestamp":${JSON.stringify(state.asOf)},"deliberations":[\n`,
  tail: '\n]}\n',
  rows: () => [],
  dayRows: (state) =>
    closedOn(state).map(({ id, closed_at, opened_at, topic, positions, consensus, outcome }) => {
      const row = {
        id,
        closed: closed_at!,
        opened: opened_at,
        topic,
        sentinels: formatPositions(positions),
        consensus: consensus!,
        outcome: outcome!,
      };
      return formatJsonRow(Closed, row, `${path}, ${id}`);
    }),
} satisfies HistoryArtifact;
