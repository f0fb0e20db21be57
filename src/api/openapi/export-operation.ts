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

/** The export as JSON. `complete` is the last member, so that a client recognizes an incomplete download. */
export const LedgerExport = z.strictObject({
  from: z.string().nullable().meta({ description: 'As requested; null: from genesis' }),
  to: z.string().nullable().meta({ description: 'As requested; null: to the end' }),
  filter: z.string().nullable().meta({ description: 'As requested; null: all events' }),
  events: z.array(Event).meta({ description: 'Newest first' }),
  count: z.int().min(0).meta({ description: 'Number of events in this response', unit: 'count' }),
  complete: z.literal(true).meta({ description: 'The last member; without it the response is incomplete' }),
});

const DESCRIPTIONS: Readonly<Record<(typeof PARAMETERS)[number], [text: string, example: string]>> = {
  from: [
    'First moment: a date, which is the whole day in UTC, or a date-time. Default: the first event.',
    '2025-12-01',
  ],
  to: [
    'Last moment, inclusive; a date is the whole day. Default: the newest event of the release.',
    '2025-12-31',
  ],
  format: ['The format of the response: csv, json or ndjson. Default: json.', 'csv'],
  filter: [
    `An RSQL expression over ${FIELD_NAMES.map((name) => `\`${name}\``).join(', ')}: \`==\`, \`!=\`, \`=in=(…)\`, \`=out=(…)\`; a \`*\` at the end of a value matches any ending; \`;\` means and, \`,\` means or.`,
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

/** `id`: the export has two paths, each with an operation id of its own. */
export function exportOperation(baseUrl: string, id: string): Operation {
  const { area, title, description } = ledgerExport;
  return {
    operationId: id,
    tags: [area],
    summary: title,
    description: `${description} The [types of events](${baseUrl}/events/) have a page. From the current release; the hash of each row is its leaf in the ledger’s Merkle tree.\n\nNeeds a ${area} key; every access is logged. An incomplete JSON response has no \`"complete":true\` at its end; in any format, the connection then ends with an error.`,
    externalDocs: { description: 'Columns', url: `${baseUrl}/files/${area}/ledger/export/#fields` },
    parameters: PARAMETERS.map(parameterOf),
    responses: {
      '200': {
        description: 'The requested events, newest first; streamed, so without a length.',
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
