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
  /** Listeners at once. Each costs about 25 kB: together, 125 MB. */
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

/** One reader of the stream, and what it has. */
interface Listener {
  response: ServerResponse;
  held: Held;
  /** It has events that this server lacks. */
  waitsForEvents: boolean;
}

/** The listeners of `/live`. Each message is formatted once, and one timer serves all listeners. */
export function createLiveHub(options: HubOptions) {
  const all = { ...STREAM, ...options };
  const { maxPerClient, random, now } = all;
  const changes = new Changes(options.baseUrl);
  const listeners = new Set<Listener>();
  const places = new ConcurrencyLimit({
    what: (whose) => tooMany(whose, maxPerClient),
    parallel: all.maxListeners,
    perHolder: maxPerClient,
  });
  const heartbeat = setInterval(() => {
    for (const listener of listeners) write(listener, HEARTBEAT);
  }, all.heartbeatMs).unref();
  let publishing: NodeJS.Timeout | null = null;
  let publishedAt = -Infinity;
  let isEnding = false;

  /** When the client is to reconnect, so that not all do at once. */
  function retry(): string {
    const [min, max] = all.retryMs;
    return `retry: ${Math.round(min + random() * (max - min))}\n\n`;
  }

  function refresh(): void {
    const documents = options.paths.flatMap((path) => {
      const text = options.read(path);
      return text === null ? [] : [[path, text] as const];
    });
    // Reading may render, so the position is that of the newest document.
    changes.update(options.position(), documents);
  }

  function publish(): void {
    publishing = null;
    publishedAt = now();
    refresh();
    for (const listener of listeners) catchUp(listener);
  }

  /** Sends what is new: now, or once the client has read what came before. So no more than the message it stopped in ever waits for it. */
  function catchUp(listener: Listener): void {
    if (listener.response.writableNeedDrain) return;
    if (listener.waitsForEvents && changes.isBehind(listener.held)) return;
    listener.waitsForEvents = false;
    const step = changes.since(listener.held);
    if (!step) return;
    listener.held = step.held;
    write(listener, step.message);
  }

  /** Does nothing while the client does not read. */
  function write(listener: Listener, bytes: Buffer): void {
    const { response } = listener;
    if (response.writableNeedDrain) return;
    if (!response.write(bytes)) response.once('drain', () => catchUp(listener));
  }

  function end({ response }: Listener): void {
    if (response.writableNeedDrain) response.destroy();
    else if (!response.writableEnded) response.end(retry());
  }

  /**
   * A listener has events that this server lacks: of another server that was faster, or from before the ledger was set back. It
   * gets no older value than it has, unless a later ledger snapshot or, without replicas, nobody else can say what is right.
   */
  function waitForEvents(listener: Listener): void {
    const patience = setTimeout(() => {
      if (!listener.waitsForEvents) return;
      if (options.hasReplicas && !changes.isSealedBeyond(listener.held)) return end(listener);
      listener.waitsForEvents = false;
      catchUp(listener);
    }, all.behindMs).unref();
    listener.response.on('close', () => clearTimeout(patience));
  }

  return {
    listeners: () => listeners.size,
    /** To be called when documents may have changed. Publishes now, or when the gap since the last message is over. */
    changed(): void {
      if (listeners.size === 0 || publishing) return;
      const wait = publishedAt + all.gapMs - now();
      publishing = setTimeout(publish, Math.max(0, wait)).unref();
    },
    /** Answers `GET /live` with the stream, `HEAD` with its headers. Throws a Problem: too_many_listeners, unavailable. */
    listen(
      request: IncomingMessage,
      response: ServerResponse,
      { headers, address, query }: LiveConnection,
    ): void {
      // The client has disconnected already, and nothing will report that again.
      if (response.destroyed) return;
      response.on('close', places.take(clientNetwork(address)));
      refresh();
      if (changes.isEmpty) throw new Problem('unavailable', 'There is nothing to follow yet.');
      // No request may follow on this connection (RFC 9112 §9.6).
      response.shouldKeepAlive = false;
      response.writeHead(200, headers(HEADERS));
      if (request.method === 'HEAD') return void response.end();
      response.write(retry());
      // A browser does not connect again after an error, but after the end of a stream it does.
      if (isEnding) return void response.end();
      // An unhandled error would end the process; a broken connection also emits close.
      response.on('error', () => {});
      // Heartbeats reset this timeout while the client reads them; if it does not, the server closes the connection.
      response.socket?.setTimeout(all.stallMs);
      const id = request.headers['last-event-id'] as string | undefined;
      const held = changes.heldBy(query.paths ?? options.paths, id);
      const listener = { response, held, waitsForEvents: changes.isBehind(held) };
      listeners.add(listener);
      response.on('close', () => listeners.delete(listener));
      if (listener.waitsForEvents) waitForEvents(listener);
      else catchUp(listener);
    },
    /** Ends the streams evenly over a time, ms. A listener that connects meanwhile is sent to another server. */
    async drain(overMs: number): Promise<void> {
      isEnding = true;
      await endEvenly(listeners, overMs, end);
    },
    /** Ends every stream at once. */
    close(): void {
      isEnding = true;
      clearInterval(heartbeat);
      if (publishing) clearTimeout(publishing);
      for (const listener of listeners) end(listener);
    },
  };
}

function tooMany(whose: 'all' | 'own', perClient: number): Problem {
  const detail = `Your network has ${perClient} listeners connected, which is the maximum.`;
  return new Problem('too_many_listeners', whose === 'own' ? detail : undefined);
}
