import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection for earlier responses. A client that pipelines sends a few at once. */
export const MAX_WAITING = 16;

const UNREADABLE = 'unreadable';
const UNREADABLES = new WeakSet<IncomingMessage>();

/** Calls `act` if the connection of a request has sent bytes that are no HTTP, or does so later: the rest of its body never comes. */
export function onUnreadable(request: IncomingMessage, act: () => void): void {
  if (UNREADABLES.has(request)) act();
  else request.once(UNREADABLE, act);
}

interface Connection {
  /** What is being answered; null between requests. */
  response: ServerResponse | null;
  /** The response is a stream without an end. */
  isStream: boolean;
  /** Begin the requests that wait, in their order. */
  waiting: (() => void)[];
  /** Called after the last response. */
  after: (() => void) | null;
}

/**
 * The order of requests on each connection. node:http hands over every request that it has read at once, and sends the responses in
 * order. Here a request starts only when the previous response is sent: until then it holds nothing, in particular no place in the load
 * gate. Behind a stream, and when too many requests wait, the connection is closed at once, because node:http keeps some kB for each
 * request that it has read.
 */
export class Pipelining {
  readonly #connections = new WeakMap<Duplex, Connection>();

  /** Calls `begin` when the earlier responses are sent. `begin` gets a function that must be called once, when the response is closed. */
  add({ socket }: IncomingMessage, response: ServerResponse, begin: (onEnd: () => void) => void): void {
    const connection = this.#of(socket);
    const start = () => {
      if (response.destroyed) return;
      connection.response = response;
      begin(() => advance(connection));
    };
    if (connection.isStream || connection.waiting.length >= MAX_WAITING) socket.destroy();
    else if (connection.response) connection.waiting.push(start);
    else start();
  }

  /** Notes that the current response is a stream without an end: any further request closes the connection. */
  markStream({ socket }: IncomingMessage): void {
    const connection = this.#of(socket);
    connection.isStream = true;
    if (connection.waiting.length > 0 || connection.after) socket.destroy();
  }

  /** Whether a response is due on the connection. */
  isBusy(socket: Duplex): boolean {
    return this.#of(socket).response !== null;
  }

  /** Notes that a connection has sent bytes that are no HTTP. Calls `act` when all responses are sent, so that what it writes does not end up inside one. */
  afterUnreadable(socket: Duplex, act: () => void): void {
    const connection = this.#of(socket);
    const { response, isStream } = connection;
    if (response === null) {
      act();
      return;
    }
    UNREADABLES.add(response.req);
    response.req.emit(UNREADABLE);
    if (isStream) socket.destroy();
    else connection.after ??= act;
  }

  #of(socket: Duplex): Connection {
    let connection = this.#connections.get(socket);
    if (!connection) {
      connection = { response: null, isStream: false, waiting: [], after: null };
      this.#connections.set(socket, connection);
    }
    return connection;
  }
}

function advance(connection: Connection): void {
  const next = connection.waiting.shift();
  // node:http gives the connection to the next response once it has closed this one.
  if (next) {
    process.nextTick(next);
    return;
  }
  const { after } = connection;
  connection.response = null;
  connection.after = null;
  after?.();
}
