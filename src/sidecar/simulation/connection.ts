import type { WebSocket } from 'ws';
import { Problem } from '../../api/problem.ts';
import type { ClientMessage } from '../../simulation/protocol/client-message.ts';
import { parseMessage } from '../../simulation/protocol/parse-message.ts';
import {
  CLOSE_CODES,
  type CloseCode,
  type SimulationProblemCode,
} from '../../simulation/protocol/problems.ts';
import { errorMessage, refuse, type SimulationRefusal } from '../../simulation/protocol/refusal.ts';
import { messageOf, type Reply, receive } from '../../simulation/protocol/session.ts';
import type { Metronome, Ringing } from './metronome.ts';
import type { Preparation } from './preparation.ts';
import { encode, type SharedRuns } from './shared-runs.ts';
import { countUp, type DropReason, type SimulationCounts } from './simulation-counts.ts';
import type { SimulationLimits } from './simulation-options.ts';
import { TickBuffer } from './tick-buffer.ts';

/** Lets through `perSecond`, and `burst` at once after a while of nothing. */
class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** `now`: ms, from any start. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = now;
  }

  /** Whether there was one left. */
  take(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

export interface ConnectionContext {
  limits: SimulationLimits;
  counts: SimulationCounts;
  /** Counts a start against the limit of the area. Throws a Problem. */
  countStart: () => Promise<void>;
  /** Whether the key that the client came with is still good; null where it came without one. Throws a Problem. */
  isKeyGood: (() => Promise<boolean>) | null;
  newSeed: () => number;
  runs: SharedRuns;
  preparation: Preparation;
  metronome: Metronome;
  /** ms, monotonic */
  now: () => number;
  report: (error: unknown) => void;
}

/** Milliseconds that a client is given to answer that a connection is to be closed. */
const CLOSING_MS = 2_000;

/** One client: its messages one after the other, its run on the beat, and an end of it when it is due. */
export class Connection implements Ringing {
  readonly #socket: WebSocket;
  readonly #context: ConnectionContext;
  readonly #bucket: TokenBucket;
  readonly #openedAt: number;
  readonly #ticks: TickBuffer;
  /** Messages that came while a start is being counted: as many as the bucket lets through. */
  #waiting: ClientMessage[] = [];
  #isCounting = false;
  /** On which it is called next. */
  #beat: number | null = null;
  #askedAt: number;
  /** Since when the client takes nothing. */
  #heldSince: number | null = null;
  #isAlive = true;

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
    // ws has closed the connection with the code of the error.
    socket.on('error', () => {});
    socket.on('close', () => this.#ended());
  }

  get isRunning(): boolean {
    return this.#ticks.isRunning;
  }

  /** To be called once per heartbeat: who has not answered the one before is gone; who has been here for too long, goes. */
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
      // Logged where it failed, and done again with the next beat.
      this.#checkKey().catch(() => undefined);
    }
  }

  /** Closes the connection where its key is no longer good. Rejects where that cannot be found out. */
  async #checkKey(): Promise<boolean> {
    const { isKeyGood } = this.#context;
    if (!isKeyGood || (await isKeyGood())) return true;
    this.close(4002);
    return false;
  }

  /** Says goodbye; who does not answer it is cut off. */
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
      this.#tell(error);
    }
    if (!this.#isCounting) this.#follow();
  }

  /** Whether the client may send one more. */
  #spend(): boolean {
    if (this.#bucket.take(this.#context.now())) return true;
    const { messagesPerSecond } = this.#context.limits;
    const detail = `At most ${messagesPerSecond} messages a second are read.`;
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#refuseAndClose('too_many_messages', detail, 1008);
    return false;
  }

  #refuseAndClose(code: SimulationProblemCode, detail: string, close: CloseCode): void {
    this.#tell(refuse(code, detail));
    this.close(close);
  }

  /** All that is waiting, in its order, until a start has to be counted. */
  #follow(): void {
    for (let message = this.#waiting.shift(); message; message = this.#waiting.shift()) {
      const { now, newSeed, runs } = this.#context;
      try {
        const reply = receive(this.#ticks.shown(), message, { now: now(), newSeed, runs });
        if (message.action === 'start_simulation') {
          void this.#start(reply);
          return;
        }
        this.#adopt(reply);
      } catch (error) {
        this.#tell(error);
      }
    }
  }

  /** A start is made before it is counted: one that cannot be made costs nothing. */
  async #start(reply: Reply): Promise<void> {
    this.#isCounting = true;
    this.#stop();
    try {
      if (!(await this.#checkKey())) return;
      await this.#context.countStart();
      this.#context.counts.started += 1;
      if (this.#socket.readyState === this.#socket.OPEN) this.#adopt(reply);
    } catch (error) {
      this.#tell(error);
      // The one before goes on.
      this.#schedule();
    }
    this.#isCounting = false;
    this.#follow();
  }

  #adopt(reply: Reply): void {
    this.#ticks.adopt(reply.session);
    if (reply.answer === 'update') this.#send(this.#ticks.write());
    else if (reply.answer !== null) this.#send(encode(messageOf(reply)!));
    this.#schedule();
  }

  #schedule(): void {
    this.#stop();
    const { due } = this.#ticks;
    if (due === null || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#beat = this.#context.metronome.add(due, this);
  }

  /** A run waits for a client that does not read: so what waits for the client stays small. */
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

  #tell(error: unknown): void {
    const { report, counts } = this.#context;
    const message = errorMessage(error instanceof Problem ? fromProblem(error) : error);
    if (message) {
      countUp(counts.errors, message.problem.code);
      this.#send(encode(message));
      return;
    }
    report(error);
    this.#refuseAndClose('internal_error', 'The fault is ours; it was logged.', 1011);
  }

  #send(text: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#context.counts.sent += 1;
    this.#socket.send(text, { binary: false });
    if (this.#socket.bufferedAmount > this.#context.limits.dropBytes) this.drop('slow');
  }

  #stop(): void {
    if (this.#beat !== null) this.#context.metronome.remove(this.#beat, this);
    this.#beat = null;
  }

  #ended(): void {
    this.#stop();
    this.#waiting = [];
    this.#ticks.end();
  }
}

/** Only what checking the key and counting can throw. */
function fromProblem({ code, message }: Problem): SimulationRefusal {
  const known = code === 'rate_limited' ? code : 'request_not_counted';
  return refuse(known, message);
}
