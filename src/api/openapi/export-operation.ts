import { z } from 'zod';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { EXPORT_MEDIA_TYPES, FORM_NAMES, PARAMETERS } from '../query/export-query.ts';
import { FIELD_NAMES, FILTER_LIMITS } from '../query/filter.ts';
import { securityOf } from './artifact-operations.ts';
import { exampleTable } from './examples.ts';
import { referToHeaders } from './headers.ts';
import { type Content, type Operation, type Parameter, refer } from './operation.ts';
import { problemsByStatus } from './responses.ts';

const [ROW] = ledgerExport.example;

const Event = z.strictObject({
  ...(ledgerExport.schema as z.ZodObject).shape,
  data: z.record(z.string(), z.unknown()).meta({ description: 'The event’s data' }),
});

/** The JSON form; `complete` comes last, so a download that was cut off can be told. */
export const LedgerExport = z.strictObject({
  from: z.string().nullable().meta({ description: 'As it was asked for; null: from the beginning' }),
  to: z.string().nullable().meta({ description: 'As it was asked for; null: to the end' }),
  filter: z.string().nullable().meta({ description: 'As it was asked for; null: all events' }),
  events: z.array(Event).meta({ description: 'Newest first' }),
  count: z.int().min(0).meta({ description: 'Events in this answer', unit: 'count' }),
  complete: z.literal(true).meta({ description: 'The last member: without it the answer was cut off' }),
});

const DESCRIPTIONS: Readonly<Record<(typeof PARAMETERS)[number], [text: string, example: string]>> = {
  from: [
    'First moment: a date, which is a whole day in UTC, or a date-time. Without it: from the first event on.',
    '2025-12-01',
  ],
  to: [
    'Last moment, itself included; a date is the whole day. Without it: to the newest event of the release.',
    '2025-12-31',
  ],
  format: ['The form of the answer: csv, json or ndjson. Without it: json.', 'csv'],
  filter: [
    `An RSQL expression over ${FIELD_NAMES.map((name) => `\`${name}\``).join(', ')}: \`==\`, \`!=\`, \`=in=(…)\`, \`=out=(…)\`; a \`*\` at the end of a value stands for any rest; \`;\` means and, \`,\` means or.`,
    'event_type==mic_mint;agent=in=(ATLAS,AUREA)',
  ],
};

function parameterOf(name: (typeof PARAMETERS)[number]): Parameter {
  const [description, example] = DESCRIPTIONS[name];
  const limits = name === 'format' ? { enum: FORM_NAMES, default: 'json' } : {};
  const filter = name === 'filter' ? { maxLength: FILTER_LIMITS.characters } : {};
  return {
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', ...limits, ...filter },
    example,
  };
}

/** `id`: the same export has two paths, and each operation an id of its own. */
export function exportOperation(baseUrl: string, id: string): Operation {
  const { area, title, description } = ledgerExport;
  return {
    operationId: id,
    tags: [area],
    summary: title,
    description: `${description} From the newest release; each row’s hash is its leaf in the ledger’s Merkle tree.\n\nNeeds a ${area} key; every access is logged. As JSON, an answer that was cut off has no \`"complete":true\` at its end; in any form, the connection then ends with an error.`,
    externalDocs: { description: 'Its columns', url: `${baseUrl}/files/${area}/ledger/export/#fields` },
    parameters: PARAMETERS.map(parameterOf),
    responses: {
      '200': {
        description: 'The events that were asked for, newest first; streamed, so without a length.',
        headers: referToHeaders(['Content-Disposition', 'Cache-Control', 'X-Request-Id']),
        content: contents(),
      },
      ...problemsByStatus([
        'BadQuery',
        'KeyRequired',
        'WrongArea',
        'MethodNotAllowed',
        'RestrictedUnavailable',
      ]),
    },
    security: securityOf(ledgerExport),
  };
}

function contents(): Record<string, Content> {
  const event = { ...ROW, data: JSON.parse(ROW!.data) as object };
  const json = {
    from: '2025-12-01',
    to: null,
    filter: 'event_type==mic_mint',
    events: [event],
    count: 1,
    complete: true,
  };
  const text = (value: string): Content => ({
    schema: { type: 'string' },
    examples: { invented: { summary: 'Invented', value } },
  });
  return {
    [EXPORT_MEDIA_TYPES.json]: {
      schema: refer('schemas', 'LedgerExport'),
      examples: { invented: { summary: 'Invented', value: json } },
    },
    [EXPORT_MEDIA_TYPES.csv]: text(exampleTable(ledgerExport)),
    [EXPORT_MEDIA_TYPES.ndjson]: text(`${JSON.stringify(event)}\n`),
  };
}
