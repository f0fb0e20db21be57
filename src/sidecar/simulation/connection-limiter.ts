import type { WebSocket } from 'ws';
import { CLOSE_CODES } from '../../simulation/protocol/problems.ts';
import type { Connection } from './connection.ts';
import { UpgradeRefusal } from './refuse-upgrade.ts';
import { countUp, type SimulationCounts } from './simulation-counts.ts';
import type { SimulationOptions } from './simulation-options.ts';

const RETRY_AFTER = { 'Retry-After': '30' };
/** For those who were told to go, ms. */
const GOODBYE_MS = 1_000;

/** Clients may close with any code from 3000 on, and each would be a metric of its own. */
const KNOWN_CODES = new Set([1000, 1005, 1006, ...Object.keys(CLOSE_CODES).map(Number)]);

/** Who is connected, and how many may be. */
export class Hall {
  readonly #options: SimulationOptions;
  readonly #counts: SimulationCounts;
  readonly #connections = new Set<Connection>();
  readonly #perClient = new Map<string, number>();
  #entered = 0;
  #isClosed = false;
  #emptied: (() => void) | null = null;

  constructor(options: SimulationOptions, counts: SimulationCounts) {
    this.#options = options;
    this.#counts = counts;
  }

  /** Returns what is to be called once it is gone. Throws an UpgradeRefusal. */
  enter(network: string): () => void {
    const { connections, connectionsPerClient } = this.#options.limits;
    const own = this.#perClient.get(network) ?? 0;
    if (this.#isClosed || this.#entered >= connections)
      throw new UpgradeRefusal('too_many_connections', 'No more can be held now.', RETRY_AFTER);
    if (own >= connectionsPerClient)
      throw new UpgradeRefusal(
        'too_many_connections',
        `From this network ${connectionsPerClient} are open, which is as many as it may have.`,
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

  /** Lets nobody in any more, says goodbye, and cuts off who has not gone after a second. */
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
