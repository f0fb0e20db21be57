import { type Metrics, samplesBy } from '../health/metric.ts';

/** Labels come from fixed sets of codes, and from the close codes that clients may send under RFC 6455. */
export const SIMULATION_METRICS: Metrics<SimulationCounts> = {
  cathedral_simulation_connections: {
    help: 'Open connections to the simulation.',
    read: ({ connections }) => connections,
  },
  cathedral_simulation_running: {
    help: 'Simulations that advance automatically.',
    read: ({ running }) => running,
  },
  cathedral_simulation_opened_total: {
    type: 'counter',
    help: 'Connections opened.',
    read: ({ opened }) => opened,
  },
  cathedral_simulation_refused_total: {
    type: 'counter',
    help: 'Upgrades refused, by problem code.',
    labels: ['code'],
    read: ({ refused }) => samplesBy('code', refused),
  },
  cathedral_simulation_started_total: {
    type: 'counter',
    help: 'Simulations started.',
    read: ({ started }) => started,
  },
  cathedral_simulation_messages_total: {
    type: 'counter',
    help: 'Messages by direction.',
    labels: ['direction'],
    read: ({ received, sent }) => samplesBy('direction', { received, sent }),
  },
  cathedral_simulation_errors_total: {
    type: 'counter',
    help: 'Messages refused, by problem code.',
    labels: ['code'],
    read: ({ errors }) => samplesBy('code', errors),
  },
  cathedral_simulation_closed_total: {
    type: 'counter',
    help: 'Connections closed, by close code; 1006 means without a close frame.',
    labels: ['code'],
    read: ({ closed }) => samplesBy('code', closed),
  },
  cathedral_simulation_dropped_total: {
    type: 'counter',
    help: 'Connections terminated, by reason.',
    labels: ['reason'],
    read: ({ dropped }) => samplesBy('reason', dropped),
  },
};

/** Metrics of the simulation since the process started. Two of them are current values. */
export interface SimulationCounts {
  /** Current values. */
  connections: number;
  running: number;
  opened: number;
  /** Refused upgrades by problem code. */
  refused: Record<string, number>;
  started: number;
  received: number;
  sent: number;
  /** Refused messages by problem code. */
  errors: Record<string, number>;
  /** Closed connections by close code; `other` for a client's own code. */
  closed: Record<string, number>;
  /** Terminated connections by reason. */
  dropped: Record<DropReason, number>;
}

export type DropReason = 'slow' | 'silent' | 'shutdown';

export function emptyCounts(): SimulationCounts {
  return {
    connections: 0,
    running: 0,
    opened: 0,
    refused: {},
    started: 0,
    received: 0,
    sent: 0,
    errors: {},
    closed: {},
    dropped: { slow: 0, silent: 0, shutdown: 0 },
  };
}

export function countUp<Name extends string>(counts: Record<Name, number>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
