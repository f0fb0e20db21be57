import type { ClientAddress } from '../request/clients.ts';

export interface SimulationOptions {
  /** Of the service, as clients know it: pages of it may connect. */
  baseUrl: string;
  /** Other origins whose pages may connect, `https://example.org`; a client that is no browser names none and may. */
  origins: readonly string[];
  addressOf: ClientAddress;
  limits: SimulationLimits;
}

export interface SimulationLimits {
  /** At once, in all and of one address or IPv6 /64. */
  connections: number;
  connectionsPerClient: number;
  /** Messages, pings included, in a second, and as many more at once as a burst. */
  messagesPerSecond: number;
  burst: number;
  /** Bytes of a message, and fragments that it may come in. */
  messageBytes: number;
  fragments: number;
  /** Without a message and with nothing running, ms. */
  idleMs: number;
  /** From the first byte to the last, ms. */
  totalMs: number;
  /** Between two signs of life; who has not answered one by the next is gone, ms. */
  heartbeatMs: number;
  /** Bytes that wait for a client: from the first on its run waits for it, above the second it is dropped. */
  holdBytes: number;
  dropBytes: number;
  /** For which a run may wait for its client, ms. */
  stallMs: number;
}

/** Without those that are settings. */
export const SIMULATION_LIMITS: Omit<SimulationLimits, 'connections' | 'connectionsPerClient'> = {
  // Faster than anybody clicks; a script that steps through a run has a burst.
  messagesPerSecond: 5,
  burst: 30,
  messageBytes: 16 * 1024,
  fragments: 64,
  // A break to discuss what was seen.
  idleMs: 15 * 60_000,
  totalMs: 2 * 60 * 60_000,
  // Below what proxies cut off.
  heartbeatMs: 20_000,
  // An update has 8 kB.
  holdBytes: 32 * 1024,
  dropBytes: 256 * 1024,
  stallMs: 30_000,
};
