import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Verdict } from '../../../pipeline/attestation/verify-attestation.ts';
import type { ProblemCode } from '../../api/problem.ts';
import { SIMULATION_METRICS, type SimulationCounts } from '../simulation/simulation-counts.ts';
import { type Described, register } from './metric.ts';
import { SERVICE_METRICS, type ServiceFacts } from './service-metrics.ts';

export interface Metrics {
  count: (answered: HandledRequest) => void;
  /** Counts the verdict on an attestation. */
  countVerdict: (status: Verdict['status']) => void;
  /** Counts a request whose client's address a proxy gave in a way that cannot be read. */
  countUnreadableClient: () => void;
  /** In the text format of Prometheus. */
  read: () => Promise<{ contentType: string; text: string }>;
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
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);

/** Counted as requests come. Labels have small, fixed sets of values: no paths, addresses or keys. */
export const REQUEST_METRICS = {
  cathedral_http_requests_total: {
    type: 'counter',
    help: 'Requests answered or cut off.',
    labels: ['method', 'area', 'status'],
  },
  cathedral_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the first byte of a request to the last byte of its response.',
    labels: ['area'],
  },
  cathedral_http_refusals_total: {
    type: 'counter',
    help: 'Requests refused, by problem code and by the tier of the API key; anonymous without a valid one.',
    labels: ['code', 'tier'],
  },
  cathedral_unreadable_clients_total: {
    type: 'counter',
    help: 'Requests of trusted proxies whose X-Forwarded-For names no address. They count as requests of the proxy.',
    labels: [],
  },
  cathedral_attestations_verified_total: {
    type: 'counter',
    help: 'Companion Attestations verified, by verdict.',
    labels: ['status'],
  },
} as const satisfies Readonly<Record<string, Described>>;

/** `readFacts` is called for each reading. */
export function createMetrics(
  readFacts: () => Promise<ServiceFacts>,
  simulation: () => SimulationCounts,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const setService = register(registry, SERVICE_METRICS);
  const setSimulation = register(registry, SIMULATION_METRICS);
  const about = (name: keyof typeof REQUEST_METRICS) => {
    const { help, labels } = REQUEST_METRICS[name];
    return { name, help, labelNames: labels, registers: [registry] };
  };
  const requests = new Counter(about('cathedral_http_requests_total'));
  const durations = new Histogram({
    ...about('cathedral_http_request_duration_seconds'),
    buckets: BUCKETS,
  });
  const refusals = new Counter(about('cathedral_http_refusals_total'));
  const unreadable = new Counter(about('cathedral_unreadable_clients_total'));
  const verdicts = new Counter(about('cathedral_attestations_verified_total'));
  return {
    countUnreadableClient: () => unreadable.inc(),
    countVerdict: (status) => verdicts.inc({ status }),
    count({ method, status, area, seconds, code, tier = 'anonymous' }) {
      requests.inc({ method: METHODS.has(method) ? method : 'other', area, status });
      durations.observe({ area }, seconds);
      if (code) refusals.inc({ code, tier });
    },
    async read() {
      setService(await readFacts());
      setSimulation(simulation());
      const text = await registry.metrics();
      // The client of Prometheus writes Nan, the format has NaN.
      return { contentType: registry.contentType, text: text.replace(/ Nan$/gm, ' NaN') };
    },
  };
}
