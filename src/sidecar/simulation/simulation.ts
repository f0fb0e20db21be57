import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SimulationCounts } from './simulation-counts.ts';

export interface Simulation {
  /** For the server's event of the same name: takes over the connection, or answers why not. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  counts: () => SimulationCounts;
  /** Tells all clients that the service goes down; resolves when their connections are closed. */
  close: () => Promise<void>;
}
