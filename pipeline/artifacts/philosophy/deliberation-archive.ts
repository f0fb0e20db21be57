import * as z from 'zod/mini';
import type { Deliberation, State } from '../../model/state.ts';
import { dayOf, timeOf } from '../../model/window.ts';
import { described } from '../../words/described.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { asOf, dateTime, EVENT_INDEX, eventIndex, ONE_EVENT, text } from '../fields.ts';
import { formatJsonRow } from '../format/json.ts';
import { jsonHistory } from '../histories.ts';
import { formatPositions, Positions } from './deliberations.ts';

const path = 'philosophy/deliberation-archive.json';

const Closed = z.strictObject({
  id: text('Deliberation, by its id in the ledger'),
  closed: dateTime('When it was closed, UTC'),
  opened: dateTime('When it was opened, UTC'),
  topic: text('What was deliberated'),
  sentinels: Positions,
  consensus: described(z.enum(['reached', 'not_reached']), 'Whether consensus was reached'),
  outcome: text('Outcome'),
});

const schema = z.strictObject({
  timestamp: asOf,
  deliberations: described(z.array(Closed), 'Every deliberation closed on a finished day, last closed first'),
});

/** The deliberations closed on the state's day, from the state after the day's last event. */
function closedOn({ deliberations, day }: State): Deliberation[] {
  return deliberations
    .filter(({ closed_at }) => closed_at !== null && dayOf(closed_at) === day.date)
    .sort((one, other) => timeOf(one.closed_at!) - timeOf(other.closed_at!));
}

export const deliberationArchive = {
  ...jsonHistory(path, 'deliberations'),
  title: 'Deliberation archive',
  description:
    'Every closed deliberation since genesis, last closed first: the positions, their reasons, and the outcome.',
  limits: [
    'It holds deliberations closed on a finished day; those of today are in deliberations.json.',
    'A deliberation that was reopened may have several rows.',
  ],
  followsFrom: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
  schema,
  line: z.extend(z.omit(Closed, { sentinels: true }), {
    ...ONE_EVENT,
    opened_event: eventIndex('Event that opened it, by its index in the log'),
    position_events: described(
      z.array(z.int().check(z.gte(0))),
      'Events in which the positions were taken, by their index in the log, in the order of the positions',
      { unit: EVENT_INDEX, range: '≥ 0' },
    ),
  }),
  tables: [
    {
      name: 'deliberation_archive',
      from: 'deliberations[]',
      key: [],
    },
  ],
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
  dayEvents: (state) =>
    closedOn(state).map(({ closed_event, opened_event, positions }) => [
      closed_event!,
      opened_event,
      ...positions.map(({ event }) => event),
    ]),
} satisfies HistoryArtifact;
