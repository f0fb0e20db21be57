import type { WebSocket } from 'ws';
import { CLOSE_CODES } from '../../simulation/protocol/problems.ts';
import { endEvenly } from '../end-evenly.ts';
import type { Connection } from './connection.ts';
import { UpgradeRefusal } from './reject-upgrade.ts';
import { countUp, type SimulationCounts } from './simulation-counts.ts';
import type { SimulationOptions } from './simulation-options.ts';
import { TokenBucket } from './token-bucket.ts';

const RETRY_AFTER = { 'Retry-After': '30' };
/** Time that clients get to close after a goodbye, ms. */
const GOODBYE_MS = 1_000;

/** Clients may close with any code from 3000, and each would create its own metric. */
const KNOWN_CODES = new Set([1000, 1005, 1006, ...Object.keys(CLOSE_CODES).map(Number)]);

/** What a network may do. */
interface Budget {
  resumes: TokenBucket;
  /** Of computing time, ms. */
  work: TokenBucket;
}

/** Networks whose resumes and work are remembered. With more of them, the first ones are forgotten. */
const MAX_NETWORKS = 10_000;

/** Tracks open connections and limits their number, and how many runs a network resumes and how much it has computed. */
export class Hall {
  readonly #options: SimulationOptions;
  readonly #counts: SimulationCounts;
  readonly #connections = new Set<Connection>();
  readonly #perClient = new Map<string, number>();
  readonly #budgets = new Map<string, Budget>();
  #entered = 0;
  #isClosed = false;
  #emptied: (() => void) | null = null;

  constructor(options: SimulationOptions, counts: SimulationCounts) {
    this.#options = options;
    this.#counts = counts;
  }

  /** Returns the function to call when the connection has ended. Throws an UpgradeRefusal. */
  enter(network: string): () => void {
    const { connections, connectionsPerClient } = this.#options.limits;
    const own = this.#perClient.get(network) ?? 0;
    if (this.#isClosed || this.#entered >= connections)
      throw new UpgradeRefusal(
        'too_many_connections',
        'The service is at its maximum of connections.',
        RETRY_AFTER,
      );
    if (own >= connectionsPerClient)
      throw new UpgradeRefusal(
        'too_many_connections',
        `This network has ${connectionsPerClient} open connections, which is the maximum.`,
        RETRY_AFTER,
      );
    this.#entered += 1;
    this.#perClient.set(network, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#entered -= 1;
      const left = this.#perClient.get(network)! - 1;
      if (left === 0) this.#perClient.delete(network);
      else this.#perClient.set(network, left);
    };
  }

  /** Whether a network may resume another run; `now`: ms, monotonic. */
  takeResume(network: string, now: number): boolean {
    return this.#budgetOf(network, now).resumes.take(now);
  }

  /** Notes that messages of a network have taken so much computing time, ms. */
  spendWork(network: string, ms: number, now: number): void {
    this.#budgetOf(network, now).work.spend(ms, now);
  }

  /** How long the next message of a network has to wait for computing time, ms. */
  workDelay(network: string, now: number): number {
    return this.#budgetOf(network, now).work.debt(now);
  }

  #budgetOf(network: string, now: number): Budget {
    const { resumesPerMinute, connectionsPerClient, workPerSecond, workBurst } = this.#options.limits;
    const budget = this.#budgets.getOrInsertComputed(network, () => ({
      resumes: new TokenBucket(resumesPerMinute / 60, 2 * connectionsPerClient, now),
      work: new TokenBucket(workPerSecond, workBurst, now),
    }));
    if (this.#budgets.size > MAX_NETWORKS) this.#budgets.delete(this.#budgets.keys().next().value!);
    return budget;
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

  beat(): void {
    for (const connection of this.#connections) connection.beat();
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
