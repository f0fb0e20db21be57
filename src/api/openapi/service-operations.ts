import { z } from 'zod';
import { ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { Status } from '../../../pipeline/release/format/status.ts';
import { Changes } from '../live-changes.ts';
import type { ArtifactFacts } from './artifact-operations.ts';
import { referToHeaders } from './headers.ts';
import type { Answer, Content, Operation, Parameter, PathOperation } from './operation.ts';
import { problemsByStatus } from './responses.ts';

const STATUS: Status = {
  format: 'cathedral-status/1',
  service: { software: 'cathedral-data-service 1.0.0' },
  release: {
    id: '2025-12-01T06Z-1f0c9a3e',
    timestamp: '2025-12-01T05:58:12Z',
    ledger: {
      origin: 'ledger.example.org/cathedral',
      snapshot: '2025-12-01T06Z',
      size: 28_912,
      root: '0123456789abcdef'.repeat(4),
    },
    lacks: [],
  },
  running: null,
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
    .meta({ description: 'What a server needs to be ready, and its stores, each with ok or its fault' }),
  degraded: z
    .record(z.string(), z.string())
    .meta({ description: 'Faults that do not stop the server from serving' }),
});

const WELL = { release: 'ok', shutdown: 'ok', keys: 'ok', limits: 'ok', access_log: 'ok' };
const READY = {
  status: 'ready',
  checks: WELL,
  degraded: { last_run: 'it failed at 2025-12-01T06:01:02.000Z: ledger_schema' },
};
const NOT_READY = { status: 'not_ready', checks: { ...WELL, release: 'no release yet' }, degraded: {} };

/** What the server says about itself: in no area, without a key, not counted. */
export function serviceOperations(): PathOperation[] {
  return [
    [
      '/status.json',
      service(
        'getStatus',
        'State of the service',
        'The current release, the last run with its findings, and the time of the next run.',
        {
          '200': json('The status.', Status, STATUS),
          ...problemsByStatus(['MethodNotAllowed', 'NoRunYet']),
        },
      ),
    ],
    [
      '/healthz',
      service('getHealth', 'Whether the process runs', 'For process supervisors.', {
        '200': json('It runs.', Health, { status: 'ok' }),
        ...problemsByStatus(['MethodNotAllowed']),
      }),
    ],
    [
      '/readyz',
      service('getReadiness', 'Whether the server can serve', 'For load balancers.', {
        '200': json('It can; degraded lists other faults.', Readiness, READY),
        '503': json('It has no release, or is about to stop.', Readiness, NOT_READY),
        ...problemsByStatus(['MethodNotAllowed']),
      }),
    ],
    [
      '/metrics',
      service('getMetrics', 'Metrics', 'In the text format of Prometheus.', {
        '200': { description: 'Current metrics.', content: { 'text/plain': METRICS } },
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
        '# HELP cathedral_http_active_requests Requests being answered.\n# TYPE cathedral_http_active_requests gauge\ncathedral_http_active_requests 3\n',
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
  const content = { schema: toJsonSchema(type), examples: { example: { value } } };
  return { description, headers: referToHeaders(['X-Request-Id']), content: { 'application/json': content } };
}

const LIVE_DESCRIPTION = `Server-sent events: an event for each change of a real-time file, named after its path. \`data\` is a JSON object with \`path\`, \`timestamp\` and the complete new \`value\`; without \`value\`, the previous value still holds at that time. The stream starts with the current value of every file.

Each event has an id, which describes what the client then has; treat it as opaque. A client that reconnects with the id of the last event, as browsers do, gets only what it lacks, from any server of the service. A server that has not read as many events yet holds the stream for some seconds, and then ends it: reconnect after the time in \`retry\`. The stream stays open; comments keep the connection alive. It belongs to no area: it needs no key and is not counted.`;

const LIVE_PARAMETERS: Parameter[] = [
  {
    name: 'paths',
    in: 'query',
    required: false,
    description: `The files to follow, separated by commas: ${LIVE_PATHS.map((path) => `\`${path}\``).join(', ')}. Default: all.`,
    schema: { type: 'string' },
    example: LIVE_PATHS.slice(0, 2).join(','),
  },
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'The id of the last event received; the stream continues after it. An id that is not one of this service is ignored.',
    schema: { type: 'string', maxLength: 256 },
    example: 'b4x.b5q.0aX3kd-Q.u7Tz_1',
  },
];

/** The file in the example. */
const SHOWN = 'economy/supply';

export function liveOperation({ example }: Pick<ArtifactFacts, 'example'>): Operation {
  return {
    operationId: 'listen',
    tags: ['service'],
    summary: 'Changes as they happen',
    description: LIVE_DESCRIPTION,
    parameters: LIVE_PARAMETERS,
    responses: {
      '200': {
        description: 'The stream.',
        headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            examples: { excerpt: { summary: 'Start of the stream', value: beginning(example) } },
          },
        },
      },
      ...problemsByStatus(['BadStream', 'InvalidKey', 'NotFound', 'MethodNotAllowed', 'StreamUnavailable']),
    },
    security: [{}],
  };
}

/** The first messages of a stream. */
function beginning(example: ArtifactFacts['example']): string {
  const artifact = ARTIFACTS.find(({ path }) => path === SHOWN)!;
  const changes = new Changes('https://data.example.org');
  const position = { sealed: 14_397, events: 14_462 };
  changes.update(position, [[SHOWN, `${JSON.stringify(example(artifact), null, 2)}\n`]]);
  return `retry: 3000\n\n${changes.since(changes.heldBy([SHOWN]))!.message}`;
}
