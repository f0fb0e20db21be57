import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection for the answers before theirs. A client that pipelines sends a few at once. */
export const MOST_WAITING = 16;
/** How long a connection with more of them may take for the answers that it still gets, ms. */
const PATIENCE_MS = 1000;
/** Connections with that patience at once; each holds all that came with one read, some MB. Further ones are cut off. */
const MOST_PATIENT = 8;
/** Of one connection, before it is cut off: as many requests as one read of 64 KiB can hold. */
const MOST_DROPPED = 4096;

interface Line {
  /** Requests that will be answered and are not yet. */
  open: number;
  /** The last one of them. */
  newest: ServerResponse | null;
  /** The answer goes on for as long as its reader wants. */
  isStream: boolean;
  /** Requests that came after one too many; null: none. */
  dropped: number | null;
  /** What is done after the last answer. */
  after: (() => void) | null;
}

/**
 * Whose turn it is on each connection. node:http hands over every request of what it has read at once, but sends their
 * answers in order. So a request that waits begins only when the answer before it is sent: until then it holds nothing,
 * above all no place in the load gate.
 */
export class Turns {
  readonly #lines = new WeakMap<Duplex, Line>();
  #patient = 0;

  /** Calls `begin` when the answers before this one are sent; never where there are too many, or where one has no end. */
  take({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const line = this.#lineOf(socket);
    if (line.isStream) socket.destroy();
    else if (line.dropped !== null || line.open > MOST_WAITING) this.#drop(line, socket);
    else queue(line, response, begin);
  }

  /** Marks the answer that is being sent as one without an end: whatever follows it closes the connection. */
  endless({ socket }: IncomingMessage): void {
    const line = this.#lineOf(socket);
    line.isStream = true;
    if (line.open > 1 || line.after) socket.destroy();
  }

  /** Whether an answer is due on the connection. */
  isBusy(socket: Duplex): boolean {
    return (this.#lines.get(socket)?.open ?? 0) > 0;
  }

  /** Calls `act` when all answers are sent: what it writes must not get into the middle of one. */
  afterAnswers(socket: Duplex, act: () => void): void {
    const line = this.#lineOf(socket);
    if (line.open === 0) act();
    else if (line.isStream) socket.destroy();
    else line.after ??= act;
  }

  #lineOf(socket: Duplex): Line {
    let line = this.#lines.get(socket);
    if (!line) {
      line = { open: 0, newest: null, isStream: false, dropped: null, after: null };
      this.#lines.set(socket, line);
    }
    return line;
  }

  /** Those before it get their answers, the last one with `Connection: close` (RFC 9112 §9.3.2 lets clients send the rest again). */
  #drop(line: Line, socket: Duplex): void {
    if (line.dropped === null) {
      if (this.#patient >= MOST_PATIENT) socket.destroy();
      line.newest!.shouldKeepAlive = false;
      this.#patient += 1;
      const cut = setTimeout(() => socket.destroy(), PATIENCE_MS);
      socket.once('close', () => {
        clearTimeout(cut);
        this.#patient -= 1;
      });
    }
    line.dropped = (line.dropped ?? 0) + 1;
    if (line.dropped > MOST_DROPPED) socket.destroy();
  }
}

function queue(line: Line, response: ServerResponse, begin: () => void): void {
  line.open += 1;
  line.newest = response;
  const start = () => {
    if (response.destroyed) return;
    response.once('close', () => advance(line));
    begin();
  };
  if (response.socket !== null) start();
  else response.once('socket', () => process.nextTick(start));
}

function advance(line: Line): void {
  line.open -= 1;
  if (line.open > 0) return;
  const { after } = line;
  line.after = null;
  after?.();
}
