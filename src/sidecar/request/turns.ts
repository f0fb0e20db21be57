import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection for the answers before theirs. A client that pipelines sends a few at once. */
export const MOST_WAITING = 16;
/** How long a connection with more of them may take for the answers that it still gets, ms. */
const PATIENCE_MS = 1000;
/** With this, node:http's parser passes over the rest of what was read; node:http itself answers so to an upgrade. */
const PASS_OVER = 2;

/** Of a server's connection. No public interface of node:http has it, so a test counts what is parsed. */
interface Parsed {
  parser?: { onIncoming: (incoming: IncomingMessage & { upgrade: boolean }) => number } | null;
}

interface Line {
  /** Requests that will be answered and are not yet. */
  open: number;
  /** The last one of them. */
  newest: ServerResponse | null;
  /** The answer goes on for as long as its reader wants. */
  isStream: boolean;
  /** A request too many has come: what follows it is passed over. */
  isFull: boolean;
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

  /**
   * Calls `begin` when the answers before this one are sent; never where there are too many, or where one has no end. What
   * `begin` is given is to be called once, when the response is closed.
   */
  take({ socket }: IncomingMessage, response: ServerResponse, begin: (end: () => void) => void): void {
    const line = this.#lineOf(socket);
    if (line.isStream) socket.destroy();
    else if (line.open > MOST_WAITING) refuseMore(line, socket);
    else queue(line, response, begin);
  }

  /** Marks the answer that is being sent as one without an end: whatever follows it closes the connection. */
  endless({ socket }: IncomingMessage): void {
    const line = this.#lineOf(socket);
    line.isStream = true;
    passOverRest(socket, () => socket.destroy());
    if (line.open > 1 || line.after) socket.destroy();
  }

  /** Whether an answer is due on the connection. */
  isBusy(socket: Duplex): boolean {
    return (this.#lines.get(socket)?.open ?? 0) > 0;
  }

  /** Calls `act` when all answers are sent: what it writes must not get into the middle of one. */
  afterAnswers(socket: Duplex, act: () => void): void {
    const line = this.#lineOf(socket);
    if (line.isFull) return;
    if (line.open === 0) act();
    else if (line.isStream) socket.destroy();
    else line.after ??= act;
  }

  #lineOf(socket: Duplex): Line {
    let line = this.#lines.get(socket);
    if (!line) {
      line = { open: 0, newest: null, isStream: false, isFull: false, after: null };
      this.#lines.set(socket, line);
    }
    return line;
  }
}

/** Those before it get their answers, the last one with `Connection: close` (RFC 9112 §9.3.2 lets clients send the rest again). */
function refuseMore(line: Line, socket: Duplex): void {
  line.isFull = true;
  line.newest!.shouldKeepAlive = false;
  passOverRest(socket, () => {});
  const cut = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(cut));
}

/**
 * Has nothing more parsed; calls `onMore` for what comes all the same. One read holds thousands of requests, and node:http
 * would keep some kB for each of them until the connection is closed.
 */
function passOverRest(socket: Duplex, onMore: () => void): void {
  const { parser } = socket as Duplex & Parsed;
  if (!parser) return;
  parser.onIncoming = (incoming) => {
    // Nothing is handed over, either.
    incoming.upgrade = false;
    onMore();
    return PASS_OVER;
  };
}

function queue(line: Line, response: ServerResponse, begin: (end: () => void) => void): void {
  line.open += 1;
  line.newest = response;
  const start = () => {
    if (response.destroyed) return;
    begin(() => advance(line));
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
