import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection for earlier responses. A client that pipelines sends a few at once. */
export const MAX_PIPELINED = 16;
/** How long a connection with more of them may take for the responses that it still gets, ms. */
const PATIENCE_MS = 1000;
/** Tells node:http's parser to skip the rest of what was read; node:http itself returns this for an upgrade. */
const SKIP_REST = 2;

/** A connection of node:http. The parser is not public, so a test counts what is parsed. */
interface ParsedConnection {
  parser?: { onIncoming: (incoming: IncomingMessage & { upgrade: boolean }) => number } | null;
}

interface ConnectionQueue {
  /** Requests that are not answered yet. */
  open: number;
  /** The response to the last of them. */
  newest: ServerResponse | null;
  /** The current response is a stream without an end. */
  isStream: boolean;
  /** Too many requests have come; later ones are skipped. */
  isFull: boolean;
  /** Called after the last response. */
  after: (() => void) | null;
}

/**
 * The order of requests on each connection. node:http hands over every request that it has read at once, and sends the
 * responses in order. Here a request starts only when the previous response is sent: until then it holds nothing, in
 * particular no place in the load gate.
 */
export class PipelineQueue {
  readonly #queues = new WeakMap<Duplex, ConnectionQueue>();

  /**
   * Calls `begin` when the earlier responses are sent; never if there are too many requests, or if one response has no end.
   * `begin` gets a function that must be called once, when the response is closed.
   */
  add({ socket }: IncomingMessage, response: ServerResponse, begin: (onEnd: () => void) => void): void {
    const queue = this.#queueOf(socket);
    if (queue.isStream) socket.destroy();
    else if (queue.open > MAX_PIPELINED) refuseMore(queue, socket);
    else enqueue(queue, response, begin);
  }

  /** Notes that the current response is a stream without an end: any further request closes the connection. */
  markStream({ socket }: IncomingMessage): void {
    const queue = this.#queueOf(socket);
    queue.isStream = true;
    skipRest(socket, () => socket.destroy());
    if (queue.open > 1 || queue.after) socket.destroy();
  }

  /** Whether a response is due on the connection. */
  isBusy(socket: Duplex): boolean {
    return (this.#queues.get(socket)?.open ?? 0) > 0;
  }

  /** Calls `act` when all responses are sent, so that what it writes does not end up inside one. */
  afterResponses(socket: Duplex, act: () => void): void {
    const queue = this.#queueOf(socket);
    if (queue.isFull) return;
    if (queue.open === 0) act();
    else if (queue.isStream) socket.destroy();
    else queue.after ??= act;
  }

  #queueOf(socket: Duplex): ConnectionQueue {
    let queue = this.#queues.get(socket);
    if (!queue) {
      queue = { open: 0, newest: null, isStream: false, isFull: false, after: null };
      this.#queues.set(socket, queue);
    }
    return queue;
  }
}

/** Earlier requests are answered, the last with `Connection: close`; the client may repeat the others (RFC 9112 §9.3.2). */
function refuseMore(queue: ConnectionQueue, socket: Duplex): void {
  queue.isFull = true;
  queue.newest!.shouldKeepAlive = false;
  skipRest(socket, () => {});
  const cut = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(cut));
}

/**
 * Stops parsing, and calls `onMore` for a request that is parsed all the same. One read may hold thousands of requests, and
 * node:http would keep some kB for each of them until the connection is closed.
 */
function skipRest(socket: Duplex, onMore: () => void): void {
  const { parser } = socket as Duplex & ParsedConnection;
  if (!parser) return;
  parser.onIncoming = (incoming) => {
    // Otherwise node:http would hand over the connection.
    incoming.upgrade = false;
    onMore();
    return SKIP_REST;
  };
}

function enqueue(queue: ConnectionQueue, response: ServerResponse, begin: (onEnd: () => void) => void): void {
  queue.open += 1;
  queue.newest = response;
  const start = () => {
    if (response.destroyed) return;
    begin(() => advance(queue));
  };
  if (response.socket !== null) start();
  else response.once('socket', () => process.nextTick(start));
}

function advance(queue: ConnectionQueue): void {
  queue.open -= 1;
  if (queue.open > 0) return;
  const { after } = queue;
  queue.after = null;
  after?.();
}
