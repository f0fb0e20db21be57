import { z } from 'zod';
import { ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { Status } from '../../../pipeline/release/format/status.ts';
import { Changes } from '../live-changes.ts';
import type { ArtifactFacts } from './artifact-operations.ts';
import { referToHeaders } from './headers.ts';
import type { Answer, Content, Operation, Parameter, PathOperation } from './operation.ts';
import { problemsByStatus } from './responses.ts';

const DESCRIPTION = `Server-sent events: an event of each real-time file, named for its path, when it changes. \`data\` is a JSON object with \`path\`, \`timestamp\` and the whole new \`value\`; without \`value\`, what was said last is still right at that time. First comes everything as it is now.

Who comes back with the id of the last event, as browsers do by themselves, gets what is newer than that. The stream stays open, with a comment now and then as a sign of life. It is of no area: without a key, and not counted.`;

const PARAMETERS: Parameter[] = [
  {
    name: 'paths',
    in: 'query',
    required: false,
    description: `Which files, separated by commas: ${LIVE_PATHS.map((path) => `\`${path}\``).join(', ')}. Without it: all.`,
    schema: { type: 'string' },
    example: LIVE_PATHS.slice(0, 2).join(','),
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was received; the stream goes on after it.',
    schema: { type: 'string' },
    example: 'k7x2-17',
  },
];

/** What is shown of the stream, as it is written. */
const SHOWN = 'economy/supply';

export function liveOperation({ example }: Pick<ArtifactFacts, 'example'>): Operation {
  return {
    operationId: 'listen',
    tags: ['service'],
    summary: 'What changes, as it changes',
    description: DESCRIPTION,
    parameters: PARAMETERS,
    responses: {
      '200': {
        description: 'The stream.',
        headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            examples: { excerpt: { summary: 'Its beginning', value: beginning(example) } },
          },
        },
      },
      ...problemsByStatus(['BadStream', 'InvalidKey', 'NotFound', 'MethodNotAllowed', 'StreamUnavailable']),
    },
    security: [{}],
  };
}

/** Of the stream as it would be now. */
function beginning(example: ArtifactFacts['example']): string {
  const artifact = ARTIFACTS.find(({ path }) => path === SHOWN)!;
  const changes = new Changes('k7x2');
  changes.update([[SHOWN, `${JSON.stringify(example(artifact), null, 2)}\n`]]);
  return `retry: 3000\n\n${changes.since(null, [SHOWN])}`;
}

const STATUS: Status = {
  format: 'cathedral-status/1',
  service: { software: 'cathedral-data-service 0.1.0' },
  release: {
    id: '2025-12-01T06Z-1f0c9a3e',
    timestamp: '2025-12-01T05:58:12Z',
    ledger: {
      origin: 'ledger.example.org/cathedral',
      snapshot: '2025-12-01T06Z',
      size: 28_912,
      root: '0123456789abcdef'.repeat(4),
    },
  },
  last_run: {
    started_at: '2025-12-01T06:01:00.000Z',
    finished_at: '2025-12-01T06:01:09.412Z',
    outcome: 'published',
    snapshots: 1,
    events: 190,
    findings: { count: 0, latest: [] },
    error: null,
  },
  next_run_at: '2025-12-01T12:01:00.000Z',
};

const Health = z.strictObject({ status: z.literal('ok') });
const Readiness = z.strictObject({
  status: z.enum(['ready', 'not_ready']),
  checks: z
    .record(z.string(), z.string())
    .meta({ description: 'Each part that the server needs, with ok or with what is wrong with it' }),
  degraded: z
    .record(z.string(), z.string())
    .meta({ description: 'What else is wrong; it keeps the server from nothing' }),
});

const WELL = { release: 'ok', keys: 'ok', limits: 'ok', access_log: 'ok' };
const READY = {
  status: 'ready',
  checks: WELL,
  degraded: { last_run: 'it failed at 2025-12-01T06:01:02.000Z: ledger_schema' },
};
const NOT_READY = { status: 'not_ready', checks: { ...WELL, release: 'there is none' }, degraded: {} };

/** What the server says of itself: of no area, without a key, not counted. */
export function serviceOperations(): PathOperation[] {
  return [
    [
      '/status.json',
      service(
        'getStatus',
        'How the service is doing',
        'The release that is served, the last run and what it found, the time of the next one.',
        {
          '200': json('The status.', Status, STATUS),
          ...problemsByStatus(['MethodNotAllowed', 'NoRunYet']),
        },
      ),
    ],
    [
      '/healthz',
      service('getHealth', 'Whether the process is there', 'For whoever restarts it.', {
        '200': json('It is.', Health, { status: 'ok' }),
        ...problemsByStatus(['MethodNotAllowed']),
      }),
    ],
    [
      '/readyz',
      service('getReadiness', 'Whether the server can serve', 'For load balancers.', {
        '200': json('It can; degraded says what is wrong all the same.', Readiness, READY),
        '503': json('It cannot; public files may be answered all the same.', Readiness, NOT_READY),
        ...problemsByStatus(['MethodNotAllowed']),
      }),
    ],
    [
      '/metrics',
      service('getMetrics', 'Measurements', 'In the text form that Prometheus reads.', {
        '200': { description: 'The measurements of now.', content: { 'text/plain': METRICS } },
        ...problemsByStatus(['MethodNotAllowed']),
      }),
    ],
  ];
}

const METRICS: Content = {
  schema: { type: 'string' },
  examples: {
    excerpt: {
      summary: 'Shortened',
      value:
        '# HELP cathedral_http_active_requests Requests that are being answered.\n# TYPE cathedral_http_active_requests gauge\ncathedral_http_active_requests 3\n',
    },
  },
};

function service(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
): Operation {
  return { operationId, tags: ['service'], summary, description, responses, security: [{}] };
}

function json(description: string, type: z.ZodType, value: unknown): Answer {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { target: 'draft-2020-12' });
  const content = { schema, examples: { example: { value } } };
  return { description, headers: referToHeaders(['X-Request-Id']), content: { 'application/json': content } };
}
