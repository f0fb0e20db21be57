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

/** One client and its run: answers messages in order, advances the run by a timer, and closes the connection when a limit is reached. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #context: ConnectionContext;
  readonly #messages: TokenBucket;
  readonly #openedAt: number;
  #session: Session = NEW_SESSION;
  #timer: NodeJS.Timeout | null = null;
  /** Messages that wait for those before them. Those that cannot be read wait as well, so that all are answered in their order. */
  #waiting: (ClientMessage | SimulationFault)[] = [];
  #isAnswering = false;
  #askedAt: number;
  /** Since when the client has not been reading. */
  #heldSince: number | null = null;
  #isAlive = true;
  /** Resolves with the close code. */
  readonly ended: Promise<number>;

  constructor(socket: WebSocket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    const { limits, now } = context;
    this.#openedAt = now();
    this.#askedAt = this.#openedAt;
    this.#messages = new TokenBucket(limits.messagesPerSecond, limits.burst, this.#openedAt);
    socket.on('message', (data, isBinary) => this.#hear(data as Buffer, isBinary));
    socket.on('ping', () => this.#spend());
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // ws has already closed the connection with the error's code.
    socket.on('error', () => {});
    this.ended = new Promise((resolve) => {
      socket.on('close', (code) => {
        this.#stop();
        this.#waiting = [];
        this.#session = NEW_SESSION;
        resolve(code);
      });
    });
  }

  get isRunning(): boolean {
    return this.#session.due !== null;
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /**
   * Call it once per heartbeat. Drops a client that did not answer the previous one, and closes connections that reached their
   * maximum age.
   */
  beat(): void {
    const { limits, now } = this.#context;
    const at = now();
    const isIdle = !this.isRunning && at - this.#askedAt > limits.idleMs;
    if (!this.#isAlive) this.drop('silent');
    else if (at - this.#openedAt > limits.totalMs) this.close(4001);
    else if (isIdle) this.close(4000);
    else {
      this.#isAlive = false;
      this.#socket.ping();
      // The check logs its failure. The next heartbeat retries it.
      this.#checkKey().catch(() => undefined);
    }
  }

  /** Closes the connection if its key is no longer valid. Rejects if that cannot be determined. */
  async #checkKey(): Promise<boolean> {
    const { isKeyGood } = this.#context;
    if (!isKeyGood || (await isKeyGood())) return true;
    this.close(4002);
    return false;
  }

  /** Sends a close frame and terminates clients that do not answer it. */
  close(code: CloseCode): void {
    this.#stop();
    this.#socket.close(code, CLOSE_CODES[code]);
    setTimeout(() => this.#socket.terminate(), CLOSING_MS).unref();
  }

  drop(reason: DropReason): void {
    this.#context.counters.cathedral_simulation_dropped_total.inc({ reason });
    this.#stop();
    this.#socket.terminate();
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen || !this.#spend()) return;
    this.#context.counters.cathedral_simulation_messages_total.inc({ direction: 'received' });
    if (isBinary) {
      this.#refuseAndClose('binary_message', 'Send JSON as a text message.', 1003);
      return;
    }
    this.#askedAt = this.#context.now();
    try {
      this.#waiting.push(parseMessage(data.toString()));
    } catch (error) {
      if (error instanceof SimulationFault) this.#waiting.push(error);
      else this.#tell(error);
    }
    if (!this.#isAnswering) void this.#answerAll();
    else if (this.#waiting.length > this.#context.limits.burst) this.#refuseTooMany();
  }

  /** Whether the rate limit admits another message. */
  #spend(): boolean {
    if (this.#messages.take(this.#context.now())) return true;
    if (this.#isOpen) this.#refuseTooMany();
    return false;
  }

  #refuseTooMany(): void {
    const { messagesPerSecond } = this.#context.limits;
    const detail = `Send at most ${messagesPerSecond} messages per second, and wait for their answers.`;
    this.#refuseAndClose('too_many_messages', detail, 1008);
  }

  #refuseAndClose(code: SimulationProblemCode, detail: string, close: CloseCode): void {
    this.#tell(new SimulationFault(code, detail));
    this.close(close);
  }

  /** One after the other. Waits while the network has used up its computing time, and while a start is counted. */
  async #answerAll(): Promise<void> {
    const { work, now } = this.#context;
    this.#isAnswering = true;
    while (this.#waiting.length > 0) {
      const debt = work().debt(now());
      if (debt > 0) await delay(debt, undefined, { ref: false });
      const message = this.#waiting.shift();
      if (message instanceof SimulationFault) this.#tell(message);
      else if (message) await this.#answer(message);
    }
    this.#isAnswering = false;
  }

  async #answer(message: ClientMessage): Promise<void> {
    const { now, newSeed } = this.#context;
    try {
      const next = this.#work(() => receive(this.#session, message, { now: now(), newSeed }));
      // A start is prepared before it is counted, so an invalid one costs nothing.
      if (message.action === 'start_simulation' && !(await this.#admitStart())) return;
      if (this.#isOpen) this.#work(() => this.#adopt(next, () => answerTo(message, next)));
    } catch (error) {
      this.#tell(error, message.id);
      // The current run continues.
      this.#schedule();
    }
  }

  async #admitStart(): Promise<boolean> {
    this.#stop();
    if (!(await this.#checkKey())) return false;
    await this.#context.countStart();
    this.#context.counters.cathedral_simulation_started_total.inc();
    return true;
  }

  /** Counts the time that it takes as the network’s. */
  #work<T>(work: () => T): T {
    const { now, work: time } = this.#context;
    const began = now();
    try {
      return work();
    } finally {
      time().spend(now() - began, now());
    }
  }

  #adopt(session: Session, say: () => object): void {
    this.#session = session;
    this.#send(say());
    this.#schedule();
  }

  #schedule(): void {
    this.#stop();
    const { due } = this.#session;
    if (due === null || !this.#isOpen) return;
    // The timer must not keep a server that has closed alive.
    this.#timer = setTimeout(() => this.#tick(), due - this.#context.now()).unref();
  }

  /** Puts a tick off while the client does not read, which bounds the memory for unsent updates. */
  #tick(): void {
    const { limits } = this.#context;
    // Timers count from the start of the event loop's turn, so they may fire slightly early.
    const at = Math.max(this.#context.now(), this.#session.due!);
    if (this.#socket.bufferedAmount <= limits.holdBytes) {
      this.#heldSince = null;
      try {
        const next = elapse(this.#session, at);
        this.#adopt(next, () => updateOf(next));
      } catch (error) {
        this.#tell(error);
      }
      return;
    }
    this.#heldSince ??= at;
    if (at - this.#heldSince > limits.stallMs) {
      this.drop('slow');
      return;
    }
    this.#session = { ...this.#session, due: at + this.#session.pace };
    this.#schedule();
  }

  /** `id`: that of the message that is refused. */
  #tell(error: unknown, id?: MessageId): void {
    const { report, counters } = this.#context;
    // Only checking the key and counting can throw a Problem.
    const refused =
      error instanceof Problem ? new SimulationFault('request_not_counted', error.message) : error;
    const message = errorMessage(refused, id);
    if (message) {
      counters.cathedral_simulation_errors_total.inc({ code: message.problem.code });
      this.#send(message);
      return;
    }
    report(error);
    this.#refuseAndClose('internal_error', 'An internal error occurred and was logged.', 1011);
  }

  #send(message: object): void {
    if (!this.#isOpen) return;
    this.#context.counters.cathedral_simulation_messages_total.inc({ direction: 'sent' });
    this.#socket.send(encode(message), { binary: false });
    if (this.#socket.bufferedAmount > this.#context.limits.dropBytes) this.drop('slow');
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Encode here: the socket takes several times as long for text with non-ASCII characters. */
export function encode(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
