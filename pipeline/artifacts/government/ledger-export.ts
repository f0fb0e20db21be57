import * as z from 'zod/mini';
import { annotated, described } from '../../words/described.ts';
import type { HistoryArtifact } from '../artifact.ts';
import { dateTime, text } from '../fields.ts';
import { csvHeader } from '../format/csv.ts';
import { csvRow } from '../format/csv-row.ts';

const path = 'government/ledger/export';

const schema = z.strictObject({
  timestamp: dateTime('Time of the event, UTC'),
  event_type: annotated(text('Type of the event; new types may be added'), {
    unit: 'snake_case token',
  }),
  agent: text('Who reported the event'),
  data: text(
    'The event’s data, a JSON object; its text is unchanged, even where a spreadsheet would read it as a formula',
  ),
  attestation_hash: described(
    z.string().check(z.regex(/^0x[0-9a-f]{64}$/)),
    'RFC 6962 leaf hash of the event in the ledger’s Merkle tree',
    { unit: 'hex with 0x before it', formula: '0x ‖ hex(SHA-256(0x00 ‖ line))' },
  ),
});

/** Rows are not checked again: events are checked when they are read, and a leaf hash has only one form. */
export const ledgerExport = {
  kind: 'history',
  path,
  area: 'government',
  title: 'Audit trail export',
  description: 'Every event of the ledger, newest first, each with the hash that proves it is in the ledger.',
  limits: [
    'The members of data differ by event type; /events/ has a schema of each.',
    'The whole export grows with the ledger. Ask for a period with from and to.',
  ],
  mediaType: 'text/csv; charset=utf-8; header=present',
  restricted: true,
  example: [
    {
      timestamp: '2025-12-01T05:58:12Z',
      event_type: 'mic_mint',
      agent: 'LEDGER',
      data: '{"sentinel":"EXAMPLE","cathedral":"FOR-ECONOMISTS","coordination_score":61.5,"multiplier":1.5,"amount":"960.010392"}',
      attestation_hash: `0x${'0123456789abcdef'.repeat(4)}`,
    },
  ],
  refresh: 'release',
  schema,
  line: null,
  tables: [],
  separator: '',
  assembled: false,
  head: () => csvHeader(schema),
  tail: '',
  rows: ({ event, hash }) => [
    csvRow([event.timestamp, event.type, event.agent, JSON.stringify(event.data), `0x${hash}`]),
  ],
} satisfies HistoryArtifact;
