import { z } from 'zod';
import { ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { Status } from '../../../pipeline/release/format/status.ts';
import { Changes } from '../live-changes.ts';
import { IGNORED } from '../query/query.ts';
import { type ApiFacts, ok, type Route, route } from './route.ts';

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
const Rotation = z.strictObject({ rotation: z.enum(['in', 'out']) });
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

const json = (type: z.ZodType, value: unknown) => ({
  'application/json': { type, example: () => value, exampleOf: 'Example' },
});

/** Monitors and load balancers may add a query of their own. */
const SERVICE = { group: 'service', kind: 'service', query: IGNORED } as const;

/** What the server says about itself: in no area, without a key, not counted. */
export const SERVICE_ROUTES: readonly Route[] = [
  route({
    ...SERVICE,
    path: '/status.json',
    id: 'getStatus',
    handler: 'status',
    summary: 'State of the service',
    description: 'The current release, the last run with its findings, and the time of the next run.',
    answer: { 200: { description: 'The status.', content: json(Status, STATUS) } },
    problems: ['unavailable'],
  }),
  route({
    ...SERVICE,
    path: '/healthz',
    id: 'getHealth',
    handler: 'health',
    summary: 'Whether the process runs',
    description: 'For process supervisors.',
    answer: { 200: { description: 'It runs.', content: json(Health, { status: 'ok' }) } },
  }),
  route({
    ...SERVICE,
    path: '/readyz',
    id: 'getReadiness',
    handler: 'readiness',
    summary: 'Whether the server can serve',
    description: 'For load balancers.',
    answer: {
      200: { description: 'It can; degraded lists other faults.', content: json(Readiness, READY) },
      503: { description: 'It has no release, or is about to stop.', content: json(Readiness, NOT_READY) },
    },
  }),
  route({
    ...SERVICE,
    path: '/rotation',
    id: 'getRotation',
    handler: 'rotation',
    summary: 'Whether a load balancer should send requests here',
    description:
      'Of /readyz no more than its verdict: 404 instead of 503. For HAProxy, to which 404 says that a server takes no more requests and finishes those that it has (`http-check disable-on-404`), while any other failure says that it is gone.',
    answer: {
      200: { description: 'It should.', content: json(Rotation, { rotation: 'in' }) },
      404: {
        description: 'It should not; the server finishes the requests that it has.',
        content: json(Rotation, { rotation: 'out' }),
      },
    },
  }),
  route({
    ...SERVICE,
    path: '/metrics',
    id: 'getMetrics',
    handler: 'metrics',
    summary: 'Metrics',
    description: 'In the text format of Prometheus.',
    answer: ok('Current metrics.', 'text/plain; version=0.0.4; charset=utf-8', {
      type: 'text',
      example: () => METRICS,
      exampleOf: 'Shortened',
    }),
  }),
];

const METRICS = `# HELP cathedral_http_active_requests Requests being answered.
# TYPE cathedral_http_active_requests gauge
cathedral_http_active_requests 3
`;

/** The real-time files to follow, in the order of their table. */
export const LiveQuery = z.strictObject({
  paths: z
    .string()
    .refine(
      (text) => {
        const wanted = text.split(',');
        return new Set(wanted).size === wanted.length && wanted.every((path) => LIVE_PATHS.includes(path));
      },
      `some of ${LIVE_PATHS.join(', ')}, each once, separated by commas`,
    )
    .transform((text) => LIVE_PATHS.filter((path) => text.split(',').includes(path)))
    .optional()
    .meta({
      description: `The files to follow, separated by commas: ${LIVE_PATHS.map((path) => `\`${path}\``).join(', ')}. Default: all.`,
      example: LIVE_PATHS.slice(0, 2).join(','),
    }),
});
export type LiveQuery = z.infer<typeof LiveQuery>;

export const LIVE_ROUTE: Route = route({
  path: '/live',
  id: 'listen',
  group: 'service',
  kind: 'stream',
  handler: 'live',
  query: LiveQuery,
  summary: 'Changes as they happen',
  description: `Server-sent events: an event for each change of a real-time file, named after its path. \`data\` is a JSON object with \`path\`, \`timestamp\` and the complete new \`value\`; without \`value\`, the previous value still holds at that time. The stream starts with the current value of every file.

Each event has an id, which says how many events of the ledger the client then has; treat it as opaque. A client that reconnects with the id of the last event, as browsers do, gets nothing if no event has come since, and otherwise every value, from any server of the service. A server that has not read as many events yet holds the stream for some seconds; then it ends it (reconnect after the time in \`retry\`), or, if it is the only server, sends what it has. The stream stays open; comments keep the connection alive. It belongs to no area: it needs no key and is not counted.`,
  answer: ok('The stream.', 'text/event-stream', {
    type: 'text',
    example: beginning,
    exampleOf: 'Start of the stream',
  }),
  sentHeaders: {
    'Last-Event-ID': z.string().max(256).meta({
      description:
        'The id of the last event received; the stream continues after it. An id that is not one of this service is ignored.',
      example: 'b4x.b5q.u7Tz_1.0aX3',
      invented: true,
    }),
  },
  problems: ['not_found', 'too_many_listeners', 'unavailable'],
});

/** The file in the example. */
const SHOWN = 'economy/supply';

/** The first messages of a stream. */
function beginning({ example }: ApiFacts): string {
  const artifact = ARTIFACTS.find(({ path }) => path === SHOWN)!;
  const changes = new Changes('https://data.example.org');
  const position = { sealed: 14_397, events: 14_462 };
  changes.update(position, [[SHOWN, `${JSON.stringify(example(artifact), null, 2)}\n`]]);
  return `retry: 3000\n\n${changes.since(changes.heldBy([SHOWN]))!.message}`;
}
