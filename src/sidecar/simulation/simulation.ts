import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SimulationCounts } from './simulation-counts.ts';

export interface Simulation {
  /** For the server's `upgrade` event: takes over the connection or answers with a problem. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  counts: () => SimulationCounts;
  /** Tells the clients, evenly over a time, ms, that the service is shutting down. */
  drain: (overMs: number) => Promise<void>;
  /** Tells all clients that the service is shutting down. Resolves when their connections are closed. */
  close: () => Promise<void>;
}
