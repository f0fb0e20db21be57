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

/** Networks whose resumes are remembered. With more of them, the first ones are forgotten. */
const MAX_NETWORKS = 10_000;

/** Tracks open connections and limits their number, and how many runs a network resumes. */
export class Hall {
  readonly #options: SimulationOptions;
  readonly #counts: SimulationCounts;
  readonly #connections = new Set<Connection>();
  readonly #perClient = new Map<string, number>();
  readonly #resumes = new Map<string, TokenBucket>();
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
    const { resumesPerMinute, connectionsPerClient } = this.#options.limits;
    const bucket = this.#resumes.getOrInsertComputed(
      network,
      () => new TokenBucket(resumesPerMinute / 60, 2 * connectionsPerClient, now),
    );
    if (this.#resumes.size > MAX_NETWORKS) this.#resumes.delete(this.#resumes.keys().next().value!);
    return bucket.take(now);
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
