interface Metric {
  type: 'gauge' | 'counter';
  help: string;
  /** A number, or one for each value of the label. */
  read: (counts: SimulationCounts) => number | Readonly<Record<string, number>>;
  label?: string;
}

/** Labels are codes of fixed sets, and the close codes that RFC 6455 lets a client send. */
const METRICS: Readonly<Record<string, Metric>> = {
  cathedral_simulation_connections: {
    type: 'gauge',
    help: 'Connections to the simulation that are open.',
    read: ({ connections }) => connections,
  },
  cathedral_simulation_running: {
    type: 'gauge',
    help: 'Simulations that advance by themselves.',
    read: ({ running }) => running,
  },
  cathedral_simulation_opened_total: {
    type: 'counter',
    help: 'Connections that were opened.',
    read: ({ opened }) => opened,
  },
  cathedral_simulation_refused_total: {
    type: 'counter',
    help: 'Upgrades that were refused, by the code of the problem.',
    label: 'code',
    read: ({ refused }) => refused,
  },
  cathedral_simulation_started_total: {
    type: 'counter',
    help: 'Simulations that were started, resumed ones among them.',
    read: ({ started }) => started,
  },
  cathedral_simulation_messages_total: {
    type: 'counter',
    help: 'Messages by their direction.',
    label: 'direction',
    read: ({ received, sent }) => ({ received, sent }),
  },
  cathedral_simulation_errors_total: {
    type: 'counter',
    help: 'Messages that were not followed, by the code of the problem.',
    label: 'code',
    read: ({ errors }) => errors,
  },
  cathedral_simulation_closed_total: {
    type: 'counter',
    help: 'Connections that ended, by close code; 1006: without one.',
    label: 'code',
    read: ({ closed }) => closed,
  },
  cathedral_simulation_dropped_total: {
    type: 'counter',
    help: 'Connections that were cut off, by the reason.',
    label: 'reason',
    read: ({ dropped }) => dropped,
  },
};

/** In the text format of Prometheus. */
export function formatSimulationCounts(counts: SimulationCounts): string {
  return Object.entries(METRICS)
    .map(([name, metric]) => formatMetric(name, metric, counts))
    .join('');
}

function formatMetric(name: string, { type, help, read, label }: Metric, counts: SimulationCounts): string {
  const value = read(counts);
  const lines =
    typeof value === 'number'
      ? [`${name} ${value}`]
      : Object.entries(value).map(([key, count]) => `${name}{${label}="${key}"} ${count}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** What the metrics say of the simulation since the process began; two of them are of now. */
export interface SimulationCounts {
  /** Of now. */
  connections: number;
  running: number;
  opened: number;
  /** Upgrades that were refused, by the code of the problem. */
  refused: Record<string, number>;
  started: number;
  received: number;
  sent: number;
  /** Messages that were not followed, by the code of the problem. */
  errors: Record<string, number>;
  /** Connections that ended, by close code; `other` for one of the client’s own. */
  closed: Record<string, number>;
  /** Connections that were cut off, by the reason. */
  dropped: Record<DropReason, number>;
}

export type DropReason = 'slow' | 'silent' | 'shutdown';

export function newCounts(): SimulationCounts {
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
