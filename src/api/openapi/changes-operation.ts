import { z } from 'zod';
import { FILE_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import { type Operation, toSchema } from './operation.ts';
import { STATE_RESPONSES } from './responses.ts';

const day = z.string().meta({ description: 'Day, UTC', format: 'date' });
const happened = z
  .array(z.looseObject({ date: day, url: z.string() }))
  .meta({ description: 'Oldest first, each with its day and the address of its page' });

/** `/changes.json`; members may be added. */
const ChangesDocument = z.looseObject({
  schema_version: z.literal('1.0.0'),
  first_day: day.nullable().meta({ description: 'First day with data; null while no day is over' }),
  last_day: day.nullable().meta({ description: 'Newest day that is over' }),
  changes: z
    .looseObject({
      since: day,
      until: day,
      days: z.int(),
      url: z.string(),
      figures: z.array(
        z.looseObject({
          name: z.string(),
          unit: z.string(),
          since: z.number().nullable(),
          until: z.number().nullable(),
          change: z.number().nullable(),
          source: z.string(),
        }),
      ),
      counted: z.array(
        z.looseObject({ name: z.string(), unit: z.string(), count: z.number(), source: z.string() }),
      ),
      decisions: happened,
      deliberations: happened,
      multipliers: happened,
      outages: happened,
      audits: happened,
      alerts: happened,
      schemas: happened,
      rows: z.array(z.looseObject({ path: z.string(), rows: z.int(), url: z.string() })),
    })
    .nullable()
    .meta({ description: 'Null while there are no two days to compare' }),
});

const parameter = (name: string, description: string, example: string) => ({
  in: 'query' as const,
  required: false,
  name,
  description,
  schema: { type: 'string', format: 'date' },
  example,
});

/** Invented. */
function example(baseUrl: string): z.input<typeof ChangesDocument> {
  const source = `${baseUrl}/economy/supply-by-day.csv`;
  const decision = { date: '2026-11-03', id: 'decision-488-1', topic: 'Whether to publish the annex' };
  const none = { deliberations: [], multipliers: [], outages: [], audits: [], alerts: [], schemas: [] };
  return {
    schema_version: '1.0.0',
    first_day: '2025-07-03',
    last_day: '2026-11-21',
    changes: {
      since: '2026-10-21',
      until: '2026-11-21',
      days: 31,
      url: `${baseUrl}/changes/?since=2026-10-21&until=2026-11-21`,
      figures: [{ name: 'burned', unit: 'MIC', since: 386721.12, until: 425447.4, change: 38726.28, source }],
      counted: [
        { name: 'mints', unit: 'count', count: 1179, source: `${baseUrl}/economy/minting-by-day.csv` },
      ],
      decisions: [{ ...decision, url: `${baseUrl}/decisions/decision-488-1/` }],
      ...none,
      rows: [{ path: 'economy/supply-by-day.csv', rows: 31, url: source }],
    },
  };
}

/** What changed between two days. */
export function changesOperation(baseUrl: string): Operation {
  return {
    operationId: 'getChanges',
    tags: ['releases'],
    summary: 'What changed between two days',
    description:
      'Figures at the end of both days, what was counted in between, and the decisions, deliberations, multipliers, outages, audits, new rows and new schemas. Without parameters it is the file of the release, which a static host has too: from the same day of the previous month to the newest day that is over. Static hosts also have `/changes/<year>.json`, from which every other period is computed.\n\nPublic. Changes with each release.',
    externalDocs: { description: 'The page', url: `${baseUrl}/changes/` },
    parameters: [
      parameter(
        'since',
        'The earlier day. Default: the same day of the month before `until`, or the first day with data.',
        '2026-10-21',
      ),
      parameter('until', 'The later day. Default: the newest day that is over.', '2026-11-21'),
      ...referToRequestHeaders(),
    ],
    responses: {
      '200': {
        description: 'What changed.',
        headers: referToHeaders(FILE_HEADERS),
        content: {
          'application/json': {
            schema: toSchema(ChangesDocument),
            examples: { example: { value: example(baseUrl) } },
          },
        },
      },
      ...STATE_RESPONSES,
    },
    security: [{}],
  };
}
