import type { ClientAddress } from '../request/clients.ts';

export interface SimulationOptions {
  /** The public web origin of the service, whose pages may connect. */
  baseUrl: string;
  /**
   * Other web origins whose pages may connect, `https://example.org`. Clients other than browsers send no origin and may
   * connect.
   */
  origins: readonly string[];
  addressOf: ClientAddress;
  /** The secret of the resume tokens, which all servers of the service share. */
  readSecret: () => Promise<Uint8Array>;
  limits: SimulationLimits;
}

export interface SimulationLimits {
  /** Maximum of open connections, in total and per IPv4 address or IPv6 /64. */
  connections: number;
  connectionsPerClient: number;
  /** Runs that one network may start a day. The holder of a key has at least the quota of its tier. */
  startsPerClient: number;
  /** Messages per second, including pings. A burst may have twice as many. */
  messagesPerSecond: number;
  burst: number;
  /** Runs that a network may resume per minute. A burst may have twice as many as it may have connections. */
  resumesPerMinute: number;
  /** Computing time that the messages of a network get in a second, and after a pause, ms. Beyond it, they wait. */
  workPerSecond: number;
  workBurst: number;
  /** Maximum bytes of a message, and maximum fragments. */
  messageBytes: number;
  fragments: number;
  /** Time without a message while no run advances, ms. */
  idleMs: number;
  /** Maximum age of a connection, ms. */
  totalMs: number;
  /** Heartbeat interval, ms. A client that did not answer one heartbeat by the next is dropped. */
  heartbeatMs: number;
  /** Unsent bytes per client. Above the first limit its run waits, above the second the client is dropped. */
  holdBytes: number;
  dropBytes: number;
  /** How long a run may wait for its client, ms. */
  stallMs: number;
}

/** All but the number of starts, which is a setting. */
export const SIMULATION_LIMITS: Omit<SimulationLimits, 'startsPerClient'> = {
  // Each costs about a hundred kB: together, 200 MB.
  connections: 2000,
  // A class of forty behind one address, with some to spare for those who reconnect.
  connectionsPerClient: 60,
  // More than anybody clicks. A script that steps through a run has the burst.
  messagesPerSecond: 5,
  burst: 30,
  // A class whose server was shut down comes back within a second; a connection that keeps breaking, a few times a minute.
  resumesPerMinute: 6,
  // A class that decides together takes half a second, mostly for forecasts. One network must not take the whole processor.
  workPerSecond: 200,
  workBurst: 5000,
  messageBytes: 16 * 1024,
  fragments: 64,
  // Long enough for a break to discuss what happened.
  idleMs: 15 * 60_000,
  totalMs: 2 * 60 * 60_000,
  // Shorter than the time-out of common proxies.
  heartbeatMs: 20_000,
  // An update has about 12 kB.
  holdBytes: 32 * 1024,
  dropBytes: 256 * 1024,
  stallMs: 30_000,
};
