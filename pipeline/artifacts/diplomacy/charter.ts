import { z } from 'zod';
import type { DocumentArtifact } from '../artifact.ts';
import { dateTime, text } from '../fields.ts';
import { formatJson } from '../format/json.ts';

const path = 'diplomacy/charter.json';

const schema = z.strictObject({
  timestamp: dateTime(
    'Time of the genesis event, which states the charter; null if the ledger does not begin with one',
  ).nullable(),
  charter: text(
    'The rules that the ledger was founded on, as its genesis event states them; null if it states none',
  ).nullable(),
});

export const charter = {
  kind: 'document',
  path,
  area: 'diplomacy',
  title: 'Charter',
  description: 'The rules that the ledger was founded on. Its first event states them, so they never change.',
  limits: [
    'It is what the founders wrote. No number follows from it.',
    'A ledger that was imported from a table has no genesis event, unless its keeper made one.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-27', digest: '9bfbc91ba595cf1d', change: 'First published.' },
  ],
  render({ state }) {
    const { charter, since, events_by_type } = state;
    return formatJson(schema, { timestamp: events_by_type.genesis ? since : null, charter }, path);
  },
} satisfies DocumentArtifact;
