import type { IncomingMessage, ServerResponse } from 'node:http';
import { Changes, type Held, type Position } from '../../api/live-changes.ts';
import { Problem } from '../../api/problem.ts';
import type { LiveQuery } from '../../api/routes/service.ts';
import { endEvenly } from '../end-evenly.ts';
import { clientNetwork } from '../limits/client-network.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';

/** Times in ms. */
const STREAM = {
  /** Between two messages about one path: nobody can read values that change more often than four times a second. */
  gapMs: 250,
  /** Listeners at once. Each costs about twenty kB: together, a hundred MB. */
  maxListeners: 5000,
  /** Per address or IPv6 /64: enough for an office behind one address, too few to take all of them. */
  maxPerClient: 50,
  /** Between the comments that keep connections open: well below the 60 s after which proxies close a silent one, so that one may get lost. */
  heartbeatMs: 15_000,
  /** How long a listener may take no bytes. */
  stallMs: 60_000,
  /** When a client reconnects after its stream ended: after a restart within seconds, but not all at once. */
  retryMs: [2000, 5000] as readonly [min: number, max: number],
  /** How long a listener that has more events than this server waits for them: servers of one ledger are a second apart at most, unless one cannot read it. */
  behindMs: 5000,
  /** In [0, 1). */
  random: Math.random,
  /** Monotonic. */
  now: () => performance.now(),
};

export interface HubOptions extends Partial<typeof STREAM> {
  /** The real-time paths. */
  paths: readonly string[];
  /** The text of the newest document at a path; null before there is one. */
  read: (path: string) => string | null;
  /** Where the ledger is whose documents `read` returns. */
  position: () => Position;
  /** Other servers follow the same ledger, so a listener that this one cannot continue goes to another. */
  hasReplicas: boolean;
  /** The public address of the service, which tells its ids from those of others. */
  baseUrl: string;
}

/** A connection that becomes a live stream. */
interface LiveConnection {
  /** Adds the common headers to the stream's own; names and values in turn. */
  headers: (own: Readonly<Record<string, string>>) => string[];
  /** Of the client. */
  address: string;
  query: LiveQuery;
}

/** A comment, which clients ignore. */
const HEARTBEAT = Buffer.from(':\n\n');
const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  // Stops nginx from holding messages back until a buffer is full.
  'X-Accel-Buffering': 'no',
};

/** The listeners of `/live`. Each message is formatted once, and one timer serves all listeners. */
export class LiveHub {
  readonly #options: Required<HubOptions>;
  readonly #changes: Changes;
  readonly #listeners = new Set<Listener>();
  readonly #places: ConcurrencyLimit;
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | null = null;
  #publishedAt = -Infinity;
  #isEnding = false;

  constructor(options: HubOptions) {
    this.#options = { ...STREAM, ...options };
    this.#changes = new Changes(options.baseUrl);
    const { maxListeners: parallel, maxPerClient: perHolder, heartbeatMs } = this.#options;
    this.#places = new ConcurrencyLimit({ what: (whose) => tooMany(whose, perHolder), parallel, perHolder });
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** To be called when documents may have changed. Publishes now, or when the gap since the last message is over. */
  changed(): void {
    if (this.#listeners.size === 0 || this.#timer) return;
    const wait = this.#publishedAt + this.#options.gapMs - this.#options.now();
    this.#timer = setTimeout(() => this.#publish(), Math.max(0, wait)).unref();
  }

  /**
   * Answers `GET /live` with the stream, `HEAD` with its headers. Throws a Problem: too_many_listeners, unavailable.
   */
  listen(
    request: IncomingMessage,
    response: ServerResponse,
    { headers, address, query }: LiveConnection,
  ): void {
    const requested = query.paths ?? this.#options.paths;
    // The client has disconnected already, and nothing will report that again.
    if (response.destroyed) return;
    response.on('close', this.#places.take(clientNetwork(address)));
    this.#refresh();
    if (this.#changes.isEmpty) throw new Problem('unavailable', 'There is nothing to follow yet.');
    // No request may follow on this connection (RFC 9112 §9.6).
    response.shouldKeepAlive = false;
    response.writeHead(200, headers(HEADERS));
    if (request.method === 'HEAD') return void response.end();
    response.write(this.#retry());
    // A browser does not connect again after an error, but after the end of a stream it does.
    if (this.#isEnding) return void response.end();
    const held = this.#changes.heldBy(requested, request.headers['last-event-id'] as string | undefined);
    const listener = this.#add(response, held);
    if (this.#changes.isBehind(held)) this.#catchUpWith(listener);
    else listener.catchUp();
  }

  /** Ends the streams evenly over a time, ms. A listener that connects meanwhile is sent to another server. */
  async drain(overMs: number): Promise<void> {
    this.#isEnding = true;
    await endEvenly(this.#listeners, overMs, (listener) => listener.end(this.#retry()));
  }

  /** Ends every stream at once. */
  close(): void {
    this.#isEnding = true;
    clearInterval(this.#heartbeat);
    if (this.#timer) clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.end(this.#retry());
  }

  /** When the client is to reconnect, so that not all do at once. */
  #retry(): string {
    const { random, retryMs } = this.#options;
    const [min, max] = retryMs;
    return `retry: ${Math.round(min + random() * (max - min))}\n\n`;
  }

  /**
   * A listener has events that this server lacks: of another server that was faster, or from before the ledger was set back. It
   * gets no older value than it has, unless a later ledger snapshot or, without replicas, nobody else can say what is right.
   */
  #catchUpWith(listener: Listener): void {
    const { behindMs, hasReplicas } = this.#options;
    listener.waitsForEvents = true;
    const patience = setTimeout(() => {
      if (!listener.waitsForEvents) return;
      if (hasReplicas && !this.#changes.isSealedBeyond(listener.held)) return listener.end(this.#retry());
      listener.waitsForEvents = false;
      listener.catchUp();
    }, behindMs).unref();
    listener.response.on('close', () => clearTimeout(patience));
  }

  #add(response: ServerResponse, held: Held): Listener {
    const listener = new Listener(response, this.#changes, held);
    // Heartbeats reset this timeout while the client reads them; if it does not, the server closes the connection.
    response.socket?.setTimeout(this.#options.stallMs);
    this.#listeners.add(listener);
    response.on('close', () => this.#listeners.delete(listener));
    return listener;
  }

  #publish(): void {
    this.#timer = null;
    this.#publishedAt = this.#options.now();
    this.#refresh();
    for (const listener of this.#listeners) listener.catchUp();
  }

  #refresh(): void {
    const { paths, read, position } = this.#options;
    const documents = paths.flatMap((path) => {
      const text = read(path);
      return text === null ? [] : [[path, text] as const];
    });
    // Reading may render, so the position is that of the newest document.
    this.#changes.update(position(), documents);
  }

  #beat(): void {
    for (const listener of this.#listeners) listener.write(HEARTBEAT);
  }
}

/**
 * One reader of the stream. While it does not read, nothing more is written to it, and when it resumes it gets the newest
 * values. So no more than the message it stopped in ever waits for it.
 */
class Listener {
  readonly response: ServerResponse;
  readonly #changes: Changes;
  #held: Held;
  /** It has events that this server lacks. */
  waitsForEvents = false;

  constructor(response: ServerResponse, changes: Changes, held: Held) {
    this.response = response;
    this.#changes = changes;
    this.#held = held;
    // An unhandled error would end the process; a broken connection also emits close.
    response.on('error', ignore);
  }

  /** What it was sent, and what it had before. */
  get held(): Held {
    return this.#held;
  }

  /** Sends what is new: now, or once the client has read what came before. */
  catchUp(): void {
    if (this.response.writableNeedDrain) return;
    if (this.waitsForEvents && this.#changes.isBehind(this.#held)) return;
    this.waitsForEvents = false;
    const step = this.#changes.since(this.#held);
    if (!step) return;
    this.#held = step.held;
    this.write(step.message);
  }

  /** Does nothing while the client does not read. */
  write(bytes: Buffer): void {
    if (this.response.writableNeedDrain) return;
    if (!this.response.write(bytes)) this.response.once('drain', () => this.catchUp());
  }

  /** `last`: what to send before the end. */
  end(last: string): void {
    if (this.response.writableNeedDrain) this.response.destroy();
    else if (!this.response.writableEnded) this.response.end(last);
  }
}

function tooMany(whose: 'all' | 'own', perClient: number): Problem {
  const detail = `Your network has ${perClient} listeners connected, which is the maximum.`;
  return new Problem('too_many_listeners', whose === 'own' ? detail : undefined);
}

function ignore(): void {}
