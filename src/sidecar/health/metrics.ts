import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Verdict } from '../../../pipeline/attestation/verify-attestation.ts';
import type { ProblemCode } from '../../api/problem.ts';
import { formatSimulationCounts, type SimulationCounts } from '../simulation/simulation-counts.ts';
import { formatMetrics } from './metric.ts';
import { COUNTED_METRICS, SERVICE_METRICS, type ServiceFacts } from './service-metrics.ts';

export interface Metrics {
  count: (answered: HandledRequest) => void;
  /** Counts the verdict on an attestation. */
  countVerdict: (status: Verdict['status']) => void;
  /** Counts a request whose client's address a proxy gave in a way that cannot be read. */
  countUnreadableClient: () => void;
  /** In the text format of Prometheus. */
  read: () => Promise<{ contentType: string; text: string }>;
}

/** `readFacts` is called for each reading. */
export function createMetrics(
  readFacts: () => Promise<ServiceFacts>,
  simulation: () => SimulationCounts,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new RequestCounts();
  const refusals = new Map<string, { code: string; tier: string; count: number }>();
  const verdicts: Partial<Record<Verdict['status'], number>> = {};
  let unreadableClients = 0;
  return {
    countUnreadableClient() {
      unreadableClients += 1;
    },
    countVerdict(status) {
      verdicts[status] = (verdicts[status] ?? 0) + 1;
    },
    count(answered) {
      requests.count(answered);
      const { code, tier = 'anonymous' } = answered;
      if (!code) return;
      const series = `${code} ${tier}`;
      refusals.set(series, { code, tier, count: (refusals.get(series)?.count ?? 0) + 1 });
    },
    read: async () => ({
      contentType: registry.contentType,
      text: [
        await registry.metrics(),
        formatMetrics(SERVICE_METRICS, await readFacts()),
        formatMetrics(COUNTED_METRICS, { refusals, verdicts, unreadableClients }),
        requests.format(),
        formatSimulationCounts(simulation()),
      ].join(''),
    }),
  };
}

/** One request that was answered or cut off. */
interface HandledRequest {
  method: string;
  status: number;
  /** `economy`; `none` outside the areas. */
  area: string;
  seconds: number;
  /** Of the problem, if the request was refused. */
  code?: ProblemCode | null;
  /** Of the API key. */
  tier?: string | undefined;
}

/** From a file in memory to a download over a slow connection, s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
/** Clients can invent any number of methods, and each would be a new series. */
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST'];
/** For each status: one for each method, and one for all others. */
const SERIES = METHODS.length + 1;
const COUNTER = 'cathedral_http_requests_total';
const HISTOGRAM = 'cathedral_http_request_duration_seconds';
export const REQUEST_METRICS = {
  [COUNTER]: {
    type: 'counter',
    help: 'Requests answered or cut off.',
    labels: ['method', 'area', 'status'],
  },
  [HISTOGRAM]: {
    type: 'histogram',
    help: 'From the first byte of a request to the last byte of its response.',
    labels: ['area'],
  },
} as const;

interface AreaCounts {
  /** By a number that stands for status and method. */
  requests: Map<number, number>;
  /** The last bucket holds what took longer than all others. */
  buckets: Float64Array;
  seconds: number;
}

/**
 * Requests and their durations. Labels have small, fixed sets of values: no paths, addresses or keys. Not in the metrics
 * library, whose counters take a fifth of the whole time that a small file takes.
 */
export class RequestCounts {
  readonly #areas = new Map<string, AreaCounts>();

  count({ method, status, area, seconds }: HandledRequest): void {
    let known = this.#areas.get(area);
    if (!known) {
      known = { requests: new Map(), buckets: new Float64Array(BUCKETS.length + 1), seconds: 0 };
      this.#areas.set(area, known);
    }
    const named = METHODS.indexOf(method);
    const series = status * SERIES + (named < 0 ? METHODS.length : named);
    known.requests.set(series, (known.requests.get(series) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket += 1;
    known.buckets[bucket]! += 1;
    known.seconds += seconds;
  }

  /** In the text format of Prometheus. */
  format(): string {
    const areas = [...this.#areas];
    return [
      `# HELP ${COUNTER} ${REQUEST_METRICS[COUNTER].help}`,
      `# TYPE ${COUNTER} counter`,
      ...areas.flatMap(([area, { requests }]) => formatCounter(area, requests)),
      `# HELP ${HISTOGRAM} ${REQUEST_METRICS[HISTOGRAM].help}`,
      `# TYPE ${HISTOGRAM} histogram`,
      ...areas.flatMap(([area, known]) => formatHistogram(area, known)),
      '',
    ].join('\n');
  }
}

function formatCounter(area: string, requests: AreaCounts['requests']): string[] {
  const methods = [...METHODS, 'other'];
  return [...requests].map(([series, count]) => {
    const status = Math.floor(series / SERIES);
    const method = methods[series % SERIES];
    return `${COUNTER}{method="${method}",area="${area}",status="${status}"} ${count}`;
  });
}

function formatHistogram(area: string, { buckets, seconds }: AreaCounts): string[] {
  let upTo = 0;
  const lines = [...BUCKETS, '+Inf'].map((bound, index) => {
    upTo += buckets[index]!;
    return `${HISTOGRAM}_bucket{le="${bound}",area="${area}"} ${upTo}`;
  });
  return [
    ...lines,
    `${HISTOGRAM}_sum{area="${area}"} ${seconds}`,
    `${HISTOGRAM}_count{area="${area}"} ${upTo}`,
  ];
}
