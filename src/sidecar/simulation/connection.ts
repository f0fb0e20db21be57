import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { Problem } from '../../api/problem.ts';
import { SimulationFault, type SimulationProblemCode } from '../../simulation/fault.ts';
import type { ClientMessage, MessageId } from '../../simulation/protocol/client-message.ts';
import { parseMessage } from '../../simulation/protocol/parse-message.ts';
import { CLOSE_CODES, type CloseCode, errorMessage } from '../../simulation/protocol/problems.ts';
import {
  answerTo,
  elapse,
  NEW_SESSION,
  receive,
  type Session,
  updateOf,
} from '../../simulation/protocol/session.ts';
import { type SimulationLimits, TokenBucket } from './limits.ts';
import type { DropReason, SimulationCounters } from './simulation-metrics.ts';

export interface ConnectionContext {
  limits: SimulationLimits;
  counters: SimulationCounters;
  /** Counts a start against the limit of a day. Throws a Problem or a SimulationFault. */
  countStart: () => Promise<void>;
  /** The computing time that the client’s network has left, ms. */
  work: () => TokenBucket;
  /** Checks that the client's key is still valid; null if it connected without a key. Throws a Problem. */
  isKeyGood: (() => Promise<boolean>) | null;
  newSeed: () => number;
  /** ms, monotonic */
  now: () => number;
  report: (error: unknown) => void;
}

/** Time that a client gets to answer a close frame, ms. */
const CLOSING_MS = 1_000;

export type Connection = ReturnType<typeof openConnection>;

/** One client and its run: answers messages in order, advances the run by a timer, and closes the connection when a limit is reached. */
export function openConnection(socket: WebSocket, context: ConnectionContext) {
  const { limits, counters, now } = context;
  const openedAt = now();
  const messages = new TokenBucket(limits.messagesPerSecond, limits.burst, openedAt);
  let session: Session = NEW_SESSION;
  let timer: NodeJS.Timeout | undefined;
  /** Messages that wait for those before them. */
  let waiting = 0;
  /** Resolves when all of them are answered. */
  let answered = Promise.resolve();
  let askedAt = openedAt;
  /** Since when the client has not been reading. */
  let heldSince: number | null = null;
  let isAlive = true;
  const isOpen = () => socket.readyState === socket.OPEN;
  const stop = () => clearTimeout(timer);

  socket.on('message', (data, isBinary) => hear(data as Buffer, isBinary));
  socket.on('ping', () => spend());
  socket.on('pong', () => {
    isAlive = true;
  });
  // ws has already closed the connection with the error's code.
  socket.on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      stop();
      session = NEW_SESSION;
      resolve(code);
    });
  });

  function hear(data: Buffer, isBinary: boolean): void {
    if (!isOpen() || !spend()) return;
    counters.cathedral_simulation_messages_total.inc({ direction: 'received' });
    if (isBinary) {
      refuseAndClose('binary_message', 'Send JSON as a text message.', 1003);
      return;
    }
    askedAt = now();
    const message = messageIn(data);
    // Those that cannot be read wait as well, so that all are answered in their order.
    waiting += 1;
    if (waiting > limits.burst) refuseTooMany();
    answered = answered.then(() => answerInTurn(message));
  }

  function messageIn(data: Buffer): ClientMessage | { fault: unknown } {
    try {
      return parseMessage(data.toString());
    } catch (fault) {
      return { fault };
    }
  }

  /** Whether the rate limit admits another message. */
  function spend(): boolean {
    if (messages.take(now())) return true;
    if (isOpen()) refuseTooMany();
    return false;
  }

  function refuseTooMany(): void {
    const detail = `Send at most ${limits.messagesPerSecond} messages per second, and wait for their answers.`;
    refuseAndClose('too_many_messages', detail, 1008);
  }

  function refuseAndClose(code: SimulationProblemCode, detail: string, closeCode: CloseCode): void {
    tell(new SimulationFault(code, detail));
    close(closeCode);
  }

  /** Waits while the network has used up its computing time, and while a start is counted. */
  async function answerInTurn(message: ClientMessage | { fault: unknown }): Promise<void> {
    const debt = context.work().debt(now());
    if (debt > 0) await delay(debt, undefined, { ref: false });
    waiting -= 1;
    if (!isOpen()) return;
    if ('fault' in message) tell(message.fault);
    else await answer(message);
  }

  async function answer(message: ClientMessage): Promise<void> {
    try {
      const next = worked(() => receive(session, message, { now: now(), newSeed: context.newSeed }));
      // A start is prepared before it is counted, so an invalid one costs nothing.
      if (message.action === 'start_simulation' && !(await admitStart())) return;
      if (isOpen()) worked(() => adopt(next, () => answerTo(message, next)));
    } catch (error) {
      tell(error, message.id);
      // The current run continues.
      plan();
    }
  }

  async function admitStart(): Promise<boolean> {
    stop();
    if (!(await checkKey())) return false;
    await context.countStart();
    counters.cathedral_simulation_started_total.inc();
    return true;
  }

  /** Counts the time that it takes as the network’s. */
  function worked<T>(work: () => T): T {
    const began = now();
    try {
      return work();
    } finally {
      context.work().spend(now() - began, now());
    }
  }

  function adopt(next: Session, say: () => object): void {
    session = next;
    send(say());
    plan();
  }

  function plan(): void {
    stop();
    if (session.due === null || !isOpen()) return;
    // Of a server that was held up, several ticks may be due. The timer must not keep a server that has closed alive.
    timer = setTimeout(tick, Math.max(0, session.due - now())).unref();
  }

  /** Puts a tick off while the client does not read, which bounds the memory for unsent updates. */
  function tick(): void {
    // Timers count from the start of the event loop's turn, so they may fire slightly early.
    const at = Math.max(now(), session.due!);
    heldSince = socket.bufferedAmount > limits.holdBytes ? (heldSince ?? at) : null;
    if (heldSince === null) {
      try {
        const next = elapse(session, at);
        adopt(next, () => updateOf(next));
      } catch (error) {
        tell(error);
      }
    } else if (at - heldSince > limits.stallMs) drop('slow');
    else {
      session = { ...session, due: at + session.pace };
      plan();
    }
  }

  /** `id`: that of the message that is refused. */
  function tell(error: unknown, id?: MessageId): void {
    // Only checking the key and counting can throw a Problem.
    const refused =
      error instanceof Problem ? new SimulationFault('request_not_counted', error.message) : error;
    const message = errorMessage(refused, id);
    if (message) {
      counters.cathedral_simulation_errors_total.inc({ code: message.problem.code });
      send(message);
    } else {
      context.report(error);
      refuseAndClose('internal_error', 'An internal error occurred and was logged.', 1011);
    }
  }

  function send(message: object): void {
    if (!isOpen()) return;
    counters.cathedral_simulation_messages_total.inc({ direction: 'sent' });
    socket.send(encode(message), { binary: false });
    if (socket.bufferedAmount > limits.dropBytes) drop('slow');
  }

  /** Closes the connection if its key is no longer valid. Rejects if that cannot be determined. */
  async function checkKey(): Promise<boolean> {
    const { isKeyGood } = context;
    if (!isKeyGood || (await isKeyGood())) return true;
    close(4002);
    return false;
  }

  function drop(reason: DropReason): void {
    counters.cathedral_simulation_dropped_total.inc({ reason });
    stop();
    socket.terminate();
  }

  /** Sends a close frame and terminates clients that do not answer it. */
  function close(code: CloseCode): void {
    stop();
    socket.close(code, CLOSE_CODES[code]);
    setTimeout(() => socket.terminate(), CLOSING_MS).unref();
  }

  return {
    /** Resolves with the close code. */
    ended,
    isRunning: () => session.due !== null,
    close,
    /**
     * Call it once per heartbeat. Drops a client that did not answer the previous one, and closes connections that reached their
     * maximum age.
     */
    beat(): void {
      const at = now();
      if (!isAlive) drop('silent');
      else if (at - openedAt > limits.totalMs) close(4001);
      else if (session.due === null && at - askedAt > limits.idleMs) close(4000);
      else {
        isAlive = false;
        socket.ping();
        // The check logs its failure. The next heartbeat retries it.
        checkKey().catch(() => undefined);
      }
    },
  };
}

/** Encode here: the socket takes several times as long for text with non-ASCII characters. */
export function encode(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
