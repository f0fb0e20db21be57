import type { WebSocket } from 'ws';
import { CLOSE_CODES } from '../../simulation/protocol/problems.ts';
import { endEvenly } from '../end-evenly.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import type { Connection } from './connection.ts';
import { UpgradeRefusal } from './reject-upgrade.ts';
import type { SimulationCounters, SimulationState } from './simulation-metrics.ts';
import type { SimulationLimits } from './simulation-options.ts';
import { TokenBucket } from './token-bucket.ts';

const RETRY_AFTER = { 'Retry-After': '30' };
/** Time that clients get to close after a goodbye, ms. */
const GOODBYE_MS = 1_000;

/** Clients may close with any code from 3000, and each would create its own metric. */
const KNOWN_CODES = new Set([1000, 1005, 1006, ...Object.keys(CLOSE_CODES).map(Number)]);

/** Tracks open connections and limits their number, and how much a network, an IPv4 address or IPv6 /64, has computed. */
export class ConnectionLimiter {
  readonly #limits: SimulationLimits;
  readonly #counters: SimulationCounters;
  /** ms, monotonic */
  readonly #now: () => number;
  readonly #places: ConcurrencyLimit;
  readonly #connections = new Set<Connection>();
  readonly #work = new Map<string, TokenBucket>();
  #isClosed = false;
  #emptied: (() => void) | null = null;

  constructor(limits: SimulationLimits, counters: SimulationCounters, now: () => number) {
    this.#limits = limits;
    this.#counters = counters;
    this.#now = now;
    const { connections: parallel, connectionsPerClient: perHolder } = limits;
    this.#places = new ConcurrencyLimit({ what: 'connections are open', parallel, perHolder });
  }

  /** Returns what to call when the connection has ended. Throws an UpgradeRefusal. */
  enter(network: string): () => void {
    const refuse = (detail: string) => new UpgradeRefusal('too_many_connections', detail, RETRY_AFTER);
    if (this.#isClosed) throw refuse('The service is shutting down.');
    try {
      return this.#places.take(network);
    } catch (error) {
      throw refuse((error as Error).message);
    }
  }

  /** The computing time that a network has left, ms. A new one is full. */
  workOf(network: string): TokenBucket {
    const { workPerSecond, workBurst } = this.#limits;
    return this.#work.getOrInsertComputed(
      network,
      () => new TokenBucket(workPerSecond, workBurst, this.#now()),
    );
  }

  add(connection: Connection, socket: WebSocket): void {
    this.#counters.cathedral_simulation_opened_total.inc();
    this.#connections.add(connection);
    socket.on('close', (code) => {
      this.#connections.delete(connection);
      const known = KNOWN_CODES.has(code) ? String(code) : 'other';
      this.#counters.cathedral_simulation_closed_total.inc({ code: known });
      if (this.#connections.size === 0) this.#emptied?.();
    });
  }

  state(): SimulationState {
    const running = [...this.#connections].filter(({ isRunning }) => isRunning).length;
    return { connections: this.#connections.size, running };
  }

  /** Call it once per heartbeat. Forgets networks that have all their computing time. */
  beat(): void {
    for (const connection of this.#connections) connection.beat();
    for (const [network, work] of this.#work) if (work.isFull(this.#now())) this.#work.delete(network);
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
