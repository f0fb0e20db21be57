import { type AccessRecord, FIRST_LINK } from './entry.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';

/** Entries to write, a check whether the next one could be written, or the end. */
export type WriterRequest = readonly AccessRecord[] | 'check' | 'close';
export type LastingWriterOptions = Omit<LogWriterOptions, 'acknowledged'>;

/** A writer that opens the log on demand and again after every error, so writing resumes as soon as possible. */
export class LastingWriter {
  readonly #options: LastingWriterOptions;
  #writer: LogWriter | null = null;
  #acknowledged = FIRST_LINK;
  /** Only the first request waits for another server. */
  #waitMs: number;

  constructor(options: LastingWriterOptions) {
    this.#options = options;
    this.#waitMs = options.waitMs;
  }

  /** Throws what LogWriter throws. */
  handle(request: WriterRequest): void {
    if (request === 'close') this.#giveUp();
    else if (request === 'check') this.#attempt((open) => open.check());
    else this.#attempt((open) => open.appendAll(request));
  }

  #attempt(work: (writer: LogWriter) => void): void {
    try {
      this.#writer ??= this.#open();
      work(this.#writer);
      this.#acknowledged = this.#writer.last;
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  #open(): LogWriter {
    const waitMs = this.#waitMs;
    this.#waitMs = 0;
    return new LogWriter({ ...this.#options, waitMs, acknowledged: this.#acknowledged });
  }

  #giveUp(): void {
    try {
      this.#writer?.close();
    } catch {
      // The error was already reported.
    }
    this.#writer = null;
  }
}
