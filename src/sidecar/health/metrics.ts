import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Verdict } from '../../../pipeline/attestation/verify-attestation.ts';
import { type Answered, RequestCounts } from './request-counts.ts';

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
  /** Of a document that somebody had verified. */
  countVerdict: (status: Verdict['status']) => void;
  /** In the form that Prometheus reads. */
  read: () => Promise<{ contentType: string; text: string }>;
}

/** `formatOthers`: what else is measured, each line with its end. */
export function createMetrics(
  gauges: Gauges,
  formatOthers: () => string | Promise<string> = () => '',
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new RequestCounts();
  for (const [name, { help, read }] of Object.entries(describe(gauges))) {
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
    help: 'Companion Attestations that were verified, by what they were found to be.',
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

function describe(gauges: Gauges): Record<string, { help: string; read: () => number | null }> {
  return {
    cathedral_http_active_requests: { help: 'Requests that are being answered.', read: gauges.active },
    cathedral_event_loop_delay_seconds: {
      help: 'Mean delay of the event loop over the better of the last two half seconds.',
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
