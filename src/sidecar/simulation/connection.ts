import type { WebSocket } from 'ws';
import { Problem } from '../../api/problem.ts';
import type { ClientMessage, MessageId, ResumeMessage } from '../../simulation/protocol/client-message.ts';
import { parseMessage } from '../../simulation/protocol/parse-message.ts';
import {
  CLOSE_CODES,
  type CloseCode,
  type SimulationProblemCode,
} from '../../simulation/protocol/problems.ts';
import { errorMessage, refuse, SimulationRefusal } from '../../simulation/protocol/refusal.ts';
import { messageOf, type Reply, receive } from '../../simulation/protocol/session.ts';
import type { ResumeTokens } from './resume-tokens.ts';
import { encode, type SharedRuns } from './shared-runs.ts';
import { countUp, type DropReason, type SimulationCounts } from './simulation-counts.ts';
import type { SimulationLimits } from './simulation-options.ts';
import { TickBuffer } from './tick-buffer.ts';
import type { TickPrefetch } from './tick-prefetch.ts';
import type { TickTimer, Timed } from './tick-timer.ts';
import { TokenBucket } from './token-bucket.ts';

export interface ConnectionContext {
  limits: SimulationLimits;
  counts: SimulationCounts;
  /** Counts a start against the limit of a day. Throws a Problem or a SimulationRefusal. */
  countStart: () => Promise<void>;
  /** Admits the replay of a run that was counted before. Throws a SimulationRefusal. */
  admitResume: () => void;
  /** Notes computing time of the client’s network, ms. */
  spendWork: (ms: number) => void;
  /** How long the next message of the network has to wait for computing time, ms. */
  workDelay: () => number;
  tokens: ResumeTokens;
  /** Checks that the client's key is still valid; null if it connected without a key. Throws a Problem. */
  isKeyGood: (() => Promise<boolean>) | null;
  newSeed: () => number;
  runs: SharedRuns;
  preparation: TickPrefetch;
  tickTimer: TickTimer;
  /** ms, monotonic */
  now: () => number;
  report: (error: unknown) => void;
}

/** Time that a client gets to answer a close frame, ms. */
const CLOSING_MS = 2_000;

/** One client: handles its messages in order, advances its run on the timer, and closes the connection when a limit is reached. */
export class Connection implements Timed {
  readonly #socket: WebSocket;
  readonly #context: ConnectionContext;
  readonly #bucket: TokenBucket;
  readonly #openedAt: number;
  readonly #ticks: TickBuffer;
  /**
   * Messages that arrive while a start is being counted, or while the network has used up its computing time. Those that cannot be
   * read wait as well, so that all are answered in their order.
   */
  #waiting: (ClientMessage | SimulationRefusal)[] = [];
  #isHeld = false;
  /** Time of the next timer call. */
  #beat: number | null = null;
  #askedAt: number;
  /** Since when the client has not been reading. */
  #heldSince: number | null = null;
  #isAlive = true;
  /** Until when its run can be resumed, ms since 1970; null before the first run. */
  #resumableUntil: number | null = null;

  constructor(socket: WebSocket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    this.#ticks = new TickBuffer(context.runs, context.preparation);
    const { limits, now } = context;
    this.#openedAt = now();
    this.#askedAt = this.#openedAt;
    this.#bucket = new TokenBucket(limits.messagesPerSecond, limits.burst, this.#openedAt);
    socket.on('message', (data, isBinary) => this.#hear(data as Buffer, isBinary));
    socket.on('ping', () => this.#spend());
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // ws has already closed the connection with the error's code.
    socket.on('error', () => {});
    socket.on('close', () => this.#ended());
  }

  get isRunning(): boolean {
    return this.#ticks.isRunning;
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
    countUp(this.#context.counts.dropped, reason);
    this.#stop();
    this.#socket.terminate();
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN || !this.#spend()) return;
    this.#context.counts.received += 1;
    if (isBinary) {
      this.#refuseAndClose('binary_message', 'Send JSON as a text message.', 1003);
      return;
    }
    this.#askedAt = this.#context.now();
    try {
      this.#waiting.push(parseMessage(data.toString()));
    } catch (error) {
      if (error instanceof SimulationRefusal) this.#waiting.push(error);
      else this.#tell(error);
    }
    if (!this.#isHeld) this.#follow();
    else if (this.#waiting.length > this.#context.limits.burst) this.#refuseTooMany();
  }

  /** Whether the rate limit admits another message. */
  #spend(): boolean {
    if (this.#bucket.take(this.#context.now())) return true;
    if (this.#socket.readyState === this.#socket.OPEN) this.#refuseTooMany();
    return false;
  }

  #refuseTooMany(): void {
    const { messagesPerSecond } = this.#context.limits;
    const detail = `Send at most ${messagesPerSecond} messages per second, and wait for their answers.`;
    this.#refuseAndClose('too_many_messages', detail, 1008);
  }

  #refuseAndClose(code: SimulationProblemCode, detail: string, close: CloseCode): void {
    this.#tell(refuse(code, detail));
    this.close(close);
  }

  /** Handles all waiting messages in order, until a start has to be counted or the network has to wait. */
  #follow(): void {
    const { now, newSeed, runs, workDelay, spendWork } = this.#context;
    while (this.#waiting.length > 0) {
      const delay = workDelay();
      if (delay > 0) {
        this.#hold(delay);
        return;
      }
      const message = this.#waiting.shift()!;
      if (message instanceof SimulationRefusal) {
        this.#tell(message);
        continue;
      }
      const began = now();
      try {
        const reply =
          message.action === 'resume'
            ? this.#resume(message)
            : receive(this.#ticks.shown(), message, { now: now(), newSeed, runs });
        if (message.action === 'start_simulation') {
          void this.#start(reply);
          return;
        }
        this.#adopt(reply);
      } catch (error) {
        this.#tell(error, message.id);
      } finally {
        spendWork(now() - began);
      }
    }
  }

  #hold(ms: number): void {
    this.#isHeld = true;
    setTimeout(() => {
      this.#isHeld = false;
      this.#follow();
    }, ms).unref();
  }

  /** The token of the run stays valid as long as it was: a counted start is good for a day, however often it is resumed. */
  #resume(message: ResumeMessage): Reply {
    const { tokens, admitResume, counts, now, newSeed, runs } = this.#context;
    if (this.#resumableUntil !== null)
      throw refuse('already_started', 'This connection has a run. Resume on a new connection.');
    const { until, run } = tokens.open(message.token);
    admitResume();
    const reply = receive(this.#ticks.shown(), message, { now: now(), newSeed, openToken: () => run, runs });
    this.#resumableUntil = until;
    counts.resumed += 1;
    return reply;
  }

  /** A start is prepared before it is counted, so an invalid one costs nothing. */
  async #start(reply: Reply): Promise<void> {
    this.#isHeld = true;
    this.#stop();
    try {
      if (!(await this.#checkKey())) return;
      await this.#context.countStart();
      this.#context.counts.started += 1;
      this.#resumableUntil = this.#context.tokens.expiryOfStart();
      const began = this.#context.now();
      if (this.#socket.readyState === this.#socket.OPEN) this.#adopt(reply);
      this.#context.spendWork(this.#context.now() - began);
    } catch (error) {
      this.#tell(error, reply.replyTo);
      // The current run continues.
      this.#schedule();
    }
    this.#isHeld = false;
    this.#follow();
  }

  #adopt(reply: Reply): void {
    this.#ticks.adopt(reply.session);
    if (reply.answer === 'update') this.#send(this.#writeAnswer(reply));
    else if (reply.answer !== null) this.#send(encode(messageOf(reply)!));
    this.#schedule();
  }

  /** Only answers have a token: it covers the ticks that follow, and their texts are shared by clients. */
  #writeAnswer({ replyTo }: Reply): Buffer {
    const text = this.#ticks.write();
    const token = this.#context.tokens.issue(this.#ticks.shown().run!, this.#resumableUntil!);
    const reply = replyTo === undefined ? '' : `,"reply_to":${JSON.stringify(replyTo)}`;
    const end = `,"resume_token":${JSON.stringify(token)}${reply}}`;
    return Buffer.concat([text.subarray(0, -1), Buffer.from(end)]);
  }

  #schedule(): void {
    this.#stop();
    const { due } = this.#ticks;
    if (due === null || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#beat = this.#context.tickTimer.add(due, this);
  }

  /** Pauses a run while its client does not read, which bounds the memory for unsent updates. */
  ring(at: number): void {
    this.#beat = null;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const { limits } = this.#context;
    if (this.#socket.bufferedAmount <= limits.holdBytes) {
      this.#heldSince = null;
      try {
        const text = this.#ticks.advance(at);
        if (text) this.#send(text);
        this.#schedule();
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
    this.#ticks.putOff(at);
    this.#schedule();
  }

  /** `id`: that of the message that is refused. */
  #tell(error: unknown, id?: MessageId): void {
    const { report, counts } = this.#context;
    const message = errorMessage(error instanceof Problem ? fromProblem(error) : error, id);
    if (message) {
      countUp(counts.errors, message.problem.code);
      this.#send(encode(message));
      return;
    }
    report(error);
    this.#refuseAndClose('internal_error', 'An internal error occurred and was logged.', 1011);
  }

  #send(text: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#context.counts.sent += 1;
    this.#socket.send(text, { binary: false });
    if (this.#socket.bufferedAmount > this.#context.limits.dropBytes) this.drop('slow');
  }

  #stop(): void {
    if (this.#beat !== null) this.#context.tickTimer.remove(this.#beat, this);
    this.#beat = null;
  }

  #ended(): void {
    this.#stop();
    this.#waiting = [];
    this.#ticks.end();
  }
}

/** Only checking the key and counting can throw a Problem. */
function fromProblem({ message }: Problem): SimulationRefusal {
  return refuse('request_not_counted', message);
}
