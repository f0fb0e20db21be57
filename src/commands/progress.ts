import { showDirections } from '../../pipeline/artifacts/format/show-directions.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';

/** Where lines go: standard error, or a list in a test. */
export interface Lines {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

/** As in the log of the server (pino). */
const LEVELS = { info: 30, warn: 40, error: 50, fatal: 60 } as const;

const TICK_MS = 1000;
/** Shorter stages are shown without their duration, which would be noise. */
const WORTH_TELLING_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Says what is being done. On a terminal a stage's line counts its seconds while it lasts; in a log each stage is one
 * line with its time and duration, written when it has ended. In the log of a service each line is a JSON object, as the
 * server's own are.
 */
export class Progress {
  readonly #lines: Lines;
  readonly #now: () => number;
  #stage: { text: string; since: number } | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isService = false;

  constructor(lines: Lines, now: () => number) {
    const { isTTY = false } = lines;
    this.#lines = { isTTY, write: (text) => lines.write(showDirections(text)) };
    this.#now = now;
  }

  /** From now on lines are those of a service, unless they go to a terminal. Returns whether they are JSON. */
  serve(): boolean {
    this.#isService = !this.#lines.isTTY;
    return this.#isService;
  }

  /** What went wrong. `more`: what else a log should have of it. */
  fault(text: string, level: keyof typeof LEVELS = 'error', more: object = {}): void {
    this.end();
    if (this.#isService) this.#write(level, text, more);
    else this.#lines.write(`${text}\n`);
  }

  /** Begins a stage, which ends the one before. */
  stage(text: string): void {
    this.end();
    this.#stage = { text, since: this.#now() };
    if (!this.#lines.isTTY) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** A line that is no stage. */
  note(text: string): void {
    this.end();
    this.#line(text);
  }

  /** Ends the stage, if one lasts; `how` says so where it did not end well. */
  end(how = ''): void {
    if (!this.#stage) return;
    const { text, since } = this.#stage;
    const lasted = this.#now() - since;
    clearInterval(this.#timer);
    this.#stage = null;
    const duration = lasted < WORTH_TELLING_MS ? '' : ` (${formatDuration(lasted)})`;
    if (this.#lines.isTTY) this.#lines.write(CLEAR_LINE);
    this.#line(`${text}${how && `: ${how}`}${duration}`);
  }

  #line(text: string): void {
    if (this.#isService) {
      this.#write('info', text);
      return;
    }
    const time = this.#lines.isTTY ? '' : `${new Date(this.#now()).toISOString()} `;
    this.#lines.write(`${time}${text}\n`);
  }

  #write(level: keyof typeof LEVELS, msg: string, more: object = {}): void {
    const time = new Date(this.#now()).toISOString();
    this.#lines.write(`${JSON.stringify({ level: LEVELS[level], time, ...more, msg })}\n`);
  }

  #draw(): void {
    const { text, since } = this.#stage!;
    const seconds = Math.floor((this.#now() - since) / 1000);
    this.#lines.write(`${CLEAR_LINE}${text} …${seconds > 0 ? ` ${seconds} s` : ''}`);
  }
}
