/** Where lines go: standard error, or a list in a test. */
export interface Lines {
  isTTY?: boolean;
  write: (text: string) => unknown;
}

const TICK_MS = 1000;
/** Shorter stages are shown without their duration, which would be noise. */
const WORTH_TELLING_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Says what is being done. On a terminal a stage's line counts its seconds while it lasts; in a log each stage is one
 * line with its time and duration, written when it has ended.
 */
export class Progress {
  readonly #lines: Lines;
  readonly #now: () => number;
  #stage: { text: string; since: number } | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(lines: Lines, now: () => number) {
    this.#lines = lines;
    this.#now = now;
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
    const time = this.#lines.isTTY ? '' : `${new Date(this.#now()).toISOString()} `;
    this.#lines.write(`${time}${text}\n`);
  }

  #draw(): void {
    const { text, since } = this.#stage!;
    const seconds = Math.floor((this.#now() - since) / 1000);
    this.#lines.write(`${CLEAR_LINE}${text} …${seconds > 0 ? ` ${seconds} s` : ''}`);
  }
}

/** `0.4 s`, `12.3 s`, `3 min 5 s` */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
