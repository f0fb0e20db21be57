import type { IncomingMessage, ServerResponse } from 'node:http';
import { Changes } from '../../api/live-changes.ts';
import { Problem } from '../../api/problem.ts';
import { clientNetwork } from '../limits/client-network.ts';
import type { Listening } from '../services.ts';
import { Listener } from './listener.ts';
import { parseSubscription } from './subscription.ts';

export interface HubOptions {
  /** That can be listened to. */
  paths: readonly string[];
  /** The text of the newest document at a path; null where there is none yet. */
  read: (path: string) => string | null;
  /** Least time between two messages about one path, ms. */
  gapMs: number;
  /** Listeners at once, in all and of one address or /64. */
  maxListeners: number;
  maxPerClient: number;
  /** Between two signs of life, ms. */
  heartbeatMs: number;
  /** For which a listener may take nothing of what waits for it, ms. */
  stallMs: number;
  /** When a client comes back after the end of its stream, ms: not all at the same moment. */
  retryMs: readonly [least: number, most: number];
  /** ms, from any start */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
  /** Tells this process's streams from others'. */
  epoch: string;
}

/** A comment: clients pass over it. */
const HEARTBEAT = Buffer.from(':\n\n');
const RETRY_AFTER = { 'Retry-After': '30' };
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  // For nginx, which would otherwise hold messages back until a buffer is full.
  'X-Accel-Buffering': 'no',
};

/** The listeners of `/live`. Each message is put together once, and one timer serves all. */
export class LiveHub {
  readonly #options: HubOptions;
  readonly #changes: Changes;
  readonly #listeners = new Set<Listener>();
  readonly #perClient = new Map<string, number>();
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | null = null;
  #saidAt = -Infinity;
  #isClosed = false;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#changes = new Changes(options.epoch);
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs).unref();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Something may have changed. Said now, or when the gap since what was said last is over. */
  changed(): void {
    if (this.#listeners.size === 0 || this.#timer) return;
    const wait = this.#saidAt + this.#options.gapMs - this.#options.now();
    this.#timer = setTimeout(() => this.#say(), Math.max(0, wait)).unref();
  }

  /**
   * Answers `GET /live` with the stream, `HEAD` with its headers. Throws a Problem: unknown_parameter, invalid_parameter,
   * too_many_listeners, unavailable.
   */
  listen(request: IncomingMessage, response: ServerResponse, { headers, address, query }: Listening): void {
    const { paths, random, retryMs } = this.#options;
    const wanted = parseSubscription(query, paths);
    const client = clientNetwork(address);
    this.#assertRoom(client);
    this.#refresh();
    if (this.#changes.last === 0)
      throw new Problem('unavailable', 'There is nothing to follow yet.', RETRY_AFTER);
    // Gone before it was let in: there will be no other sign of that.
    if (response.destroyed) return;
    // Nothing may follow on its connection (RFC 9112 §9.6).
    response.shouldKeepAlive = false;
    response.writeHead(200, headers(HEADERS));
    if (request.method === 'HEAD') return void response.end();
    const [least, most] = retryMs;
    response.write(`retry: ${Math.round(least + random() * (most - least))}\n\n`);
    const place = this.#changes.placeOf(request.headers['last-event-id'] as string | undefined);
    this.#add(response, wanted, place, client).catchUp();
  }

  /** Ends every stream; nobody is let in any more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    if (this.#timer) clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.end();
  }

  #assertRoom(client: string): void {
    const { maxListeners, maxPerClient } = this.#options;
    const isFull = this.#listeners.size >= maxListeners || this.#isClosed;
    const hasEnough = (this.#perClient.get(client) ?? 0) >= maxPerClient;
    if (!isFull && !hasEnough) return;
    const detail = isFull
      ? 'No more listeners can be held now.'
      : `From this network ${maxPerClient} listeners are connected, which is as many as it may have.`;
    throw new Problem('too_many_listeners', detail, RETRY_AFTER);
  }

  #add(response: ServerResponse, paths: readonly string[], place: number | null, client: string): Listener {
    const listener = new Listener(response, this.#changes, paths, place);
    // Heartbeats keep it from running out, as long as they are taken; else the server closes the connection.
    response.socket?.setTimeout(this.#options.stallMs);
    this.#listeners.add(listener);
    this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    response.on('close', () => {
      this.#listeners.delete(listener);
      const left = this.#perClient.get(client)! - 1;
      if (left === 0) this.#perClient.delete(client);
      else this.#perClient.set(client, left);
    });
    return listener;
  }

  #say(): void {
    this.#timer = null;
    this.#saidAt = this.#options.now();
    this.#refresh();
    for (const listener of this.#listeners) listener.catchUp();
  }

  #refresh(): void {
    const { paths, read } = this.#options;
    this.#changes.update(
      paths.flatMap((path) => {
        const text = read(path);
        return text === null ? [] : [[path, text] as const];
      }),
    );
  }

  #beat(): void {
    for (const listener of this.#listeners) listener.remark(HEARTBEAT);
  }
}
