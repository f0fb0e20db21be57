import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** One request that was answered, or cut off. */
export interface Answered {
  method: string;
  status: number;
  /** `economy`, or `none` outside the areas. */
  area: string;
  seconds: number;
}

/** What is read when it is asked for. */
export interface Gauges {
  /** Requests that are being answered. */
  active: () => number;
  /** Mean delay of the event loop, s. */
  loopDelay: () => number;
  /** Time of the newest event that is published, Unix s; null before the first release. */
  releaseTime: () => number | null;
  /** Listeners of `/live`. */
  listeners: () => number;
  /** Time of the newest event that real-time paths answer with, Unix s; null while they answer from the release. */
  liveTime: () => number | null;
}

export interface Metrics {
  count: (answered: Answered) => void;
  /** In the form that Prometheus reads. */
  read: () => Promise<{ contentType: string; text: string }>;
}

/** From a file in memory to a download over a slow connection, s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
/** What clients may call methods is theirs; each new name would be a new series. */
const METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Labels are of small, fixed sets: no path, no address and no key is one. */
export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'cathedral_http_requests_total',
    help: 'Requests that were answered or cut off.',
    labelNames: ['method', 'area', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'cathedral_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer.',
    labelNames: ['area'],
    buckets: BUCKETS,
    registers,
  });
  for (const [name, { help, read }] of Object.entries(describe(gauges))) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read() ?? Number.NaN);
      },
    });
  }
  // Looking a series up by its labels costs more than counting.
  const series = new Map<string, { count: () => void; observe: (seconds: number) => void }>();
  const seriesOf = (method: string, area: string, status: string) => {
    const key = `${method} ${area} ${status}`;
    let found = series.get(key);
    if (!found) {
      const counter = requests.labels({ method, area, status });
      const histogram = duration.labels({ area });
      found = { count: () => counter.inc(), observe: (seconds) => histogram.observe(seconds) };
      series.set(key, found);
    }
    return found;
  };
  return {
    count({ method, status, area, seconds }) {
      const { count, observe } = seriesOf(METHODS.has(method) ? method : 'other', area, String(status));
      count();
      observe(seconds);
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function describe(gauges: Gauges): Record<string, { help: string; read: () => number | null }> {
  return {
    cathedral_http_active_requests: { help: 'Requests that are being answered.', read: gauges.active },
    cathedral_event_loop_delay_seconds: {
      help: 'Mean delay of the event loop over the last half second.',
      read: gauges.loopDelay,
    },
    cathedral_release_timestamp_seconds: {
      help: 'Time of the newest event in the published release.',
      read: gauges.releaseTime,
    },
    cathedral_live_timestamp_seconds: {
      help: 'Time of the newest event that real-time paths answer with; NaN while they answer from the release.',
      read: gauges.liveTime,
    },
    cathedral_live_listeners: { help: 'Connections that listen to /live.', read: gauges.listeners },
  };
}
