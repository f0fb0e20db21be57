import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Verdict } from '../../../pipeline/attestation/verify-attestation.ts';

/** Values that are read on request. */
export interface Gauges {
  /** Requests being answered. */
  active: () => number;
  /** Mean delay of the event loop, s. */
  loopDelay: () => number;
  /** Time of the newest published event, Unix s; null before the first release. */
  releaseTime: () => number | null;
  /** Listeners of `/live`. */
  listeners: () => number;
  /** Time of the newest event that real-time paths show, Unix s; null while they answer from the release. */
  liveTime: () => number | null;
}

export interface Metrics {
  count: (answered: HandledRequest) => void;
  /** Counts the verdict on an attestation. */
  countVerdict: (status: Verdict['status']) => void;
  /** In the text format of Prometheus. */
  read: () => Promise<{ contentType: string; text: string }>;
}

/** `formatOthers`: further metrics, in complete lines. */
export function createMetrics(
  gauges: Gauges,
  formatOthers: () => string | Promise<string> = () => '',
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new RequestCounts();
  for (const [name, { help, read }] of Object.entries(gaugesOf(gauges))) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read() ?? Number.NaN);
      },
    });
  }
  const verdicts = new Counter({
    name: 'cathedral_attestations_verified_total',
    help: 'Companion Attestations verified, by verdict.',
    labelNames: ['status'],
    registers: [registry],
  });
  return {
    countVerdict: (status) => verdicts.inc({ status }),
    count: (answered) => requests.count(answered),
    read: async () => ({
      contentType: registry.contentType,
      text: `${await registry.metrics()}${requests.format()}${await formatOthers()}`,
    }),
  };
}

function gaugesOf(gauges: Gauges): Record<string, { help: string; read: () => number | null }> {
  return {
    cathedral_http_active_requests: { help: 'Requests being answered.', read: gauges.active },
    cathedral_event_loop_delay_seconds: {
      help: 'Mean delay of the event loop over the better of the last two half seconds.',
      read: gauges.loopDelay,
    },
    cathedral_release_timestamp_seconds: {
      help: 'Time of the newest event in the published release.',
      read: gauges.releaseTime,
    },
    cathedral_live_timestamp_seconds: {
      help: 'Time of the newest event that real-time paths show; NaN while they answer from the release.',
      read: gauges.liveTime,
    },
    cathedral_live_listeners: { help: 'Connections to /live.', read: gauges.listeners },
  };
}

/** One request that was answered or cut off. */
interface HandledRequest {
  method: string;
  status: number;
  /** `economy`; `none` outside the areas. */
  area: string;
  seconds: number;
}

/** From a file in memory to a download over a slow connection, s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
/** Clients can invent any number of methods, and each would be a new series. */
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST'];
/** For each status: one for each method, and one for all others. */
const SERIES = METHODS.length + 1;
const COUNTER = 'cathedral_http_requests_total';
const HISTOGRAM = 'cathedral_http_request_duration_seconds';

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
      `# HELP ${COUNTER} Requests answered or cut off.`,
      `# TYPE ${COUNTER} counter`,
      ...areas.flatMap(([area, { requests }]) => formatCounter(area, requests)),
      `# HELP ${HISTOGRAM} From the first byte of a request to the last byte of its response.`,
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
