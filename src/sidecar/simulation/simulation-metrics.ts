import { Registry } from 'prom-client';
import { addCounters, type Counters, type Described, type Gauges } from '../health/metric.ts';

/** The connections that are open now. */
export interface SimulationState {
  connections: number;
  running: number;
}

export const SIMULATION_GAUGES: Gauges<{ simulation: SimulationState }> = {
  cathedral_simulation_connections: {
    help: 'Open connections to the simulation.',
    read: ({ simulation }) => simulation.connections,
  },
  cathedral_simulation_running: {
    help: 'Simulations that advance automatically.',
    read: ({ simulation }) => simulation.running,
  },
};

/** Labels come from fixed sets of codes, and from the close codes that clients may send under RFC 6455. */
export const SIMULATION_COUNTERS = {
  cathedral_simulation_opened_total: { type: 'counter', help: 'Connections opened.' },
  cathedral_simulation_refused_total: {
    type: 'counter',
    help: 'Upgrades refused, by problem code.',
    labels: ['code'],
  },
  cathedral_simulation_started_total: { type: 'counter', help: 'Simulations started.' },
  cathedral_simulation_messages_total: {
    type: 'counter',
    help: 'Messages by direction.',
    labels: ['direction'],
  },
  cathedral_simulation_errors_total: {
    type: 'counter',
    help: 'Messages refused, by problem code.',
    labels: ['code'],
  },
  cathedral_simulation_closed_total: {
    type: 'counter',
    help: 'Connections closed, by close code; 1006 means without a close frame.',
    labels: ['code'],
  },
  cathedral_simulation_dropped_total: {
    type: 'counter',
    help: 'Connections terminated, by reason.',
    labels: ['reason'],
  },
} as const satisfies Readonly<Record<string, Described>>;

export type SimulationCounters = Counters<keyof typeof SIMULATION_COUNTERS>;

export type DropReason = 'slow' | 'silent';

/** A rate over a series that begins with its first case would lack that case. */
export function simulationCounters(registry = new Registry()): SimulationCounters {
  const counters = addCounters(registry, SIMULATION_COUNTERS);
  for (const direction of ['received', 'sent'])
    counters.cathedral_simulation_messages_total.inc({ direction }, 0);
  for (const reason of ['slow', 'silent'] satisfies DropReason[])
    counters.cathedral_simulation_dropped_total.inc({ reason }, 0);
  return counters;
}
