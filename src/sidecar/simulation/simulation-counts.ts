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
