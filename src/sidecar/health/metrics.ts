import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Verdict } from '../../../pipeline/attestation/verify-attestation.ts';
import type { ProblemCode } from '../../api/problem.ts';
import { SIMULATION_GAUGES, simulationCounters } from '../simulation/simulation-metrics.ts';
import { addCounters, addGauges, type Described } from './metric.ts';
import { SERVICE_METRICS, type ServiceFacts } from './service-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

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
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);

/** Counted as requests come. Labels have small, fixed sets of values: no paths, addresses or keys. */
export const REQUEST_COUNTERS = {
  cathedral_http_requests_total: {
    type: 'counter',
    help: 'Requests answered or cut off.',
    labels: ['method', 'area', 'status'],
  },
  cathedral_http_refusals_total: {
    type: 'counter',
    help: 'Requests refused, by problem code and by the tier of the API key; anonymous without a valid one.',
    labels: ['code', 'tier'],
  },
  cathedral_unreadable_clients_total: {
    type: 'counter',
    help: 'Requests of trusted proxies whose X-Forwarded-For names no address. They count as requests of the proxy.',
  },
  cathedral_attestations_verified_total: {
    type: 'counter',
    help: 'Companion Attestations verified, by verdict.',
    labels: ['status'],
  },
} as const satisfies Readonly<Record<string, Described>>;

export const DURATIONS = {
  cathedral_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the first byte of a request to the last byte of its response.',
    labels: ['area'],
  },
} as const satisfies Readonly<Record<string, Described>>;

/** `readFacts` is called for each reading. */
export function createMetrics(readFacts: () => Promise<ServiceFacts>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let facts: ServiceFacts;
  addGauges(registry, SERVICE_METRICS, () => facts);
  addGauges(registry, SIMULATION_GAUGES, () => facts);
  const counters = addCounters(registry, REQUEST_COUNTERS);
  const { help, labels } = DURATIONS.cathedral_http_request_duration_seconds;
  const durations = new Histogram({
    ...{ name: 'cathedral_http_request_duration_seconds', help, labelNames: labels },
    registers: [registry],
    buckets: BUCKETS,
  });
  return {
    simulation: simulationCounters(registry),
    /** Counts a request whose client's address a proxy gave in a way that cannot be read. */
    countUnreadableClient: () => counters.cathedral_unreadable_clients_total.inc(),
    /** Counts the verdict on an attestation. */
    countVerdict: (status: Verdict['status']) =>
      counters.cathedral_attestations_verified_total.inc({ status }),
    count({ method, status, area, seconds, code, tier = 'anonymous' }: HandledRequest): void {
      const named = METHODS.has(method) ? method : 'other';
      counters.cathedral_http_requests_total.inc({ method: named, area, status });
      durations.observe({ area }, seconds);
      if (code) counters.cathedral_http_refusals_total.inc({ code, tier });
    },
    /** In the text format of Prometheus. */
    async read(): Promise<{ contentType: string; text: string }> {
      facts = await readFacts();
      const text = await registry.metrics();
      // The client of Prometheus writes Nan, the format has NaN.
      return { contentType: registry.contentType, text: text.replace(/ Nan$/gm, ' NaN') };
    },
  };
}
