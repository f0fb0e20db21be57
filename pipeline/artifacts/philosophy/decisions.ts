import * as z from 'zod/mini';
import type { EventOf } from '../../ledger/events/event.ts';
import { dayOf } from '../../model/window.ts';
import { described } from '../../words/described.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { asOf, calendarDate, ONE_EVENT, text } from '../fields.ts';
import { formatJsonRow } from '../format/json.ts';
import { jsonHistory } from '../histories.ts';

const path = 'philosophy/decisions.json';

const Decision = z.strictObject({
  id: text('Decision, by its id in the ledger'),
  date: calendarDate('Day on which it was recorded, UTC'),
  topic: text('What was decided'),
  frameworks_applied: described(z.array(z.string()), 'Ethical frameworks that were applied'),
  sentinels_involved: described(z.array(z.string()), 'Sentinels that took part'),
  reasoning: text('Why'),
  outcome: text('What was decided'),
  lessons_learned: text('What was learned; empty where nothing was recorded'),
});

const schema = z.strictObject({
  timestamp: asOf,
  decisions: described(z.array(Decision), 'The whole archive, newest first'),
});

export const decisions = {
  ...jsonHistory(path, 'decisions'),
  title: 'Ethical decision archive',
  description:
    'Every decision ever recorded, newest first, with its frameworks, reasoning, outcome and lessons.',
  limits: [
    'An id may repeat: the ledger corrects a decision by recording it again. The first row of an id replaces those below it, and counts once in all figures.',
    'date is the day on which a decision was recorded, which may be later than the day on which it was taken.',
  ],
  followsFrom: ['decision_recorded'],
  schema,
  line: z.extend(Decision, ONE_EVENT),
  tables: [{ name: 'decisions', from: 'decisions[]', key: [] }],
  rows({ event }) {
    if (event.type !== 'decision_recorded') return [];
    const { timestamp, seq, data } = event as EventOf<'decision_recorded'>;
    const row = {
      id: data.decision,
      date: dayOf(timestamp),
      topic: data.topic,
      frameworks_applied: data.frameworks_applied,
      sentinels_involved: data.sentinels_involved,
      reasoning: data.reasoning,
      outcome: data.outcome,
      lessons_learned: data.lessons_learned,
    };
    return [formatJsonRow(Decision, row, `${path}, event ${seq}`)];
  },
} satisfies HistoryArtifact;
