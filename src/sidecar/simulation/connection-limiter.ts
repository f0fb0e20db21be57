import type { WebSocket } from 'ws';
import { CLOSE_CODES } from '../../simulation/protocol/problems.ts';
import { endEvenly } from '../end-evenly.ts';
import type { Connection } from './connection.ts';
import { UpgradeRefusal } from './reject-upgrade.ts';
import { countUp, type SimulationCounts } from './simulation-counts.ts';
import type { SimulationLimits } from './simulation-options.ts';
import { TokenBucket } from './token-bucket.ts';

const RETRY_AFTER = { 'Retry-After': '30' };
/** Time that clients get to close after a goodbye, ms. */
const GOODBYE_MS = 1_000;

/** Clients may close with any code from 3000, and each would create its own metric. */
const KNOWN_CODES = new Set([1000, 1005, 1006, ...Object.keys(CLOSE_CODES).map(Number)]);

/** What an IPv4 address or IPv6 /64 has open, and the computing time that it has left, ms. */
interface Network {
  open: number;
  work: TokenBucket;
}

/** Tracks open connections and limits their number, and how much a network has computed. `now`: ms, monotonic. */
export class ConnectionLimiter {
  readonly #limits: SimulationLimits;
  readonly #counts: SimulationCounts;
  readonly #now: () => number;
  readonly #connections = new Set<Connection>();
  readonly #networks = new Map<string, Network>();
  #entered = 0;
  #isClosed = false;
  #emptied: (() => void) | null = null;

  constructor(limits: SimulationLimits, counts: SimulationCounts, now: () => number) {
    this.#limits = limits;
    this.#counts = counts;
    this.#now = now;
  }

  /** The computing time of the network, and the function to call when the connection has ended. Throws an UpgradeRefusal. */
  enter(address: string): { work: TokenBucket; leave: () => void } {
    const { connections, connectionsPerClient, workPerSecond, workBurst } = this.#limits;
    const refuse = (detail: string) => new UpgradeRefusal('too_many_connections', detail, RETRY_AFTER);
    if (this.#isClosed || this.#entered >= connections)
      throw refuse('The service is at its maximum of connections.');
    const network = this.#networks.getOrInsertComputed(address, () => ({
      open: 0,
      work: new TokenBucket(workPerSecond, workBurst, this.#now()),
    }));
    if (network.open >= connectionsPerClient)
      throw refuse(`This network has ${connectionsPerClient} open connections, which is the maximum.`);
    this.#entered += 1;
    network.open += 1;
    let isIn = true;
    const leave = () => {
      if (!isIn) return;
      isIn = false;
      this.#entered -= 1;
      network.open -= 1;
    };
    return { work: network.work, leave };
  }

  add(connection: Connection, socket: WebSocket): void {
    this.#counts.opened += 1;
    this.#connections.add(connection);
    socket.on('close', (code) => {
      this.#connections.delete(connection);
      countUp(this.#counts.closed, KNOWN_CODES.has(code) ? String(code) : 'other');
      if (this.#connections.size === 0) this.#emptied?.();
    });
  }

  now(): Pick<SimulationCounts, 'connections' | 'running'> {
    const running = [...this.#connections].filter(({ isRunning }) => isRunning).length;
    return { connections: this.#connections.size, running };
  }

  /** Call it once per heartbeat. Forgets networks that have nothing open and all their computing time. */
  beat(): void {
    for (const connection of this.#connections) connection.beat();
    for (const [address, { open, work }] of this.#networks)
      if (open === 0 && work.isFull(this.#now())) this.#networks.delete(address);
  }

  /** Refuses new connections, and closes the open ones evenly over a time, ms. */
  async drain(overMs: number): Promise<void> {
    this.#isClosed = true;
    await endEvenly(this.#connections, overMs, (connection) => connection.close(1001));
  }

  /** Refuses new connections, closes the open ones, and terminates those that are still open after a second. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#connections.size === 0) return;
    const { promise: emptied, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    for (const connection of this.#connections) connection.close(1001);
    const patience = setTimeout(() => {
      for (const connection of this.#connections) connection.drop('shutdown');
    }, GOODBYE_MS);
    await emptied;
    clearTimeout(patience);
  }
}
