import { formatDuration } from '../../pipeline/words/duration.ts';
import { printable } from '../../pipeline/words/printable.ts';

/** Where lines go: standard error, or a list in a test. */
export interface Lines {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

/** The levels of the server log (pino). */
const LEVELS = { info: 30, warn: 40, error: 50, fatal: 60 } as const;

const TICK_MS = 1000;
/** Stages shorter than this are shown without a duration. */
const MIN_DURATION_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Reports progress. On a terminal, the line of the current stage counts the seconds. In a log, each stage is one line with its time
 * and duration, written when the stage ends. In the log of a service, each line is a JSON object, like those of the server.
 */
export class Progress {
  readonly #lines: Lines;
  readonly #now: () => number;
  #stage: { text: string; since: number } | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isService = false;

  constructor(lines: Lines, now: () => number) {
    this.#lines = lines;
    this.#now = now;
  }

  /** Switches to the log of a service, unless the lines go to a terminal. Returns whether lines are JSON now. */
  serve(): boolean {
    this.#isService = !this.#lines.isTTY;
    return this.#isService;
  }

  /** Reports a failure. `more`: further members for a log. */
  fault(text: string, level: keyof typeof LEVELS = 'error', more: object = {}): void {
    this.end();
    if (this.#isService) this.#write(level, escaped(text), more);
    else this.#lines.write(`${escaped(text)}\n`);
  }

  /** Starts a stage, which ends the previous one. */
  stage(text: string): void {
    this.end();
    this.#stage = { text, since: this.#now() };
    if (!this.#lines.isTTY) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** Changes the line of the current stage on a terminal; in a log, a stage has one line. */
  update(text: string): void {
    if (this.#stage && this.#lines.isTTY) this.#stage.text = text;
  }

  /** Prints a line that is not a stage. A value, so that it can be given away as what takes the lines of a log. */
  readonly note = (text: string): void => {
    this.end();
    this.#line(text);
  };

  /** Ends the current stage, if there is one; `how`: `failed` or `stopped`. */
  end(how = ''): void {
    if (!this.#stage) return;
    const { text, since } = this.#stage;
    const lasted = this.#now() - since;
    clearInterval(this.#timer);
    this.#stage = null;
    const duration = lasted < MIN_DURATION_MS ? '' : ` (${formatDuration(lasted)})`;
    if (this.#lines.isTTY) this.#lines.write(CLEAR_LINE);
    this.#line(`${text}${how && `: ${how}`}${duration}`);
  }

  #line(text: string): void {
    if (this.#isService) {
      this.#write('info', escaped(text));
      return;
    }
    const time = this.#lines.isTTY ? '' : `${new Date(this.#now()).toISOString()} `;
    this.#lines.write(`${time}${escaped(text)}\n`);
  }

  #write(level: keyof typeof LEVELS, msg: string, more: object = {}): void {
    const time = new Date(this.#now()).toISOString();
    this.#lines.write(`${JSON.stringify({ level: LEVELS[level], time, ...more, msg })}\n`);
  }

  #draw(): void {
    const { text, since } = this.#stage!;
    const seconds = Math.floor((this.#now() - since) / 1000);
    this.#lines.write(`${CLEAR_LINE}${printable(text)} …${seconds > 0 ? ` ${seconds} s` : ''}`);
  }
}

/** Texts quote cells and names from anywhere, of which nothing may be hidden or control the terminal. Line breaks stay. */
function escaped(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
