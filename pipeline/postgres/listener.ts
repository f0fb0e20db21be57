import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** A connection that died silently is noticed after so long. Whoever listens polls anyway. */
const PING_MS = 5000;
const RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

type OnNotify = (payload: string) => void;

/** The channels of one connection that listens, which is made again whenever it ends. */
export class Listener {
  readonly #open: () => Promise<pg.Client>;
  readonly #channels = new Map<string, Set<OnNotify>>();
  readonly #stop = new AbortController();
  #client: pg.Client | null = null;
  #running: Promise<void> | null = null;

  /** `open`: a client that is not connected yet. */
  constructor(open: () => Promise<pg.Client>) {
    this.#open = open;
  }

  add(channel: string, onNotify: OnNotify): () => void {
    if (!/^[a-z][a-z0-9_]*$/.test(channel)) throw new RangeError(`${channel} is no name of a channel`);
    const listeners = this.#channels.get(channel);
    if (listeners) listeners.add(onNotify);
    else {
      this.#channels.set(channel, new Set([onNotify]));
      // The connection ends if that fails, and the next one listens to all channels.
      void this.#client?.query(`LISTEN ${channel}`).catch(() => undefined);
    }
    this.#running ??= this.#run();
    return () => void this.#channels.get(channel)?.delete(onNotify);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    const client = this.#client;
    await client?.end().catch(() => undefined);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      try {
        await this.#listen(() => {
          wait = RETRY_MS;
        });
      } catch {
        // Whoever uses the database reports what is wrong with it.
      }
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Resolves or rejects when the connection has ended. */
  async #listen(onConnected: () => void): Promise<void> {
    const { signal } = this.#stop;
    const client = await this.#open();
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload = '' }) => this.#call(channel, payload));
    try {
      if (signal.aborted) return;
      await client.connect();
      this.#client = client;
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${channel}`);
      onConnected();
      for (const channel of this.#channels.keys()) this.#call(channel, '');
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      while (!signal.aborted) {
        const pause = sleep(PING_MS, 'ping', { signal, ref: false });
        if ((await Promise.race([pause, ended])) !== 'ping') return;
        await client.query('SELECT 1');
      }
    } finally {
      this.#client = null;
      await Promise.race([client.end().catch(() => undefined), sleep(RETRY_MS, undefined, { ref: false })]);
    }
  }

  #call(channel: string, payload: string): void {
    for (const onNotify of this.#channels.get(channel) ?? []) onNotify(payload);
  }
}
