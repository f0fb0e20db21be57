import type { ServerResponse } from 'node:http';
import type { Changes } from '../../api/live-changes.ts';

/**
 * One reader of the stream. While it does not read, nothing more is written to it: when it goes on, it gets what is newest
 * then. So what waits for it is never more than the message that it stopped in.
 */
export class Listener {
  readonly #response: ServerResponse;
  readonly #changes: Changes;
  readonly #paths: readonly string[];
  /** Up to where it was told everything; null: nothing. */
  #place: number | null;

  /** `place` is where it goes on, null: at the beginning. */
  constructor(response: ServerResponse, changes: Changes, paths: readonly string[], place: number | null) {
    this.#response = response;
    this.#changes = changes;
    this.#paths = paths;
    this.#place = place;
    // A connection that breaks closes, too; without a listener, the error would end the process.
    response.on('error', ignore);
  }

  /** Says what is new, unless it still reads what came before: then once it has. */
  catchUp(): void {
    if (this.#response.writableNeedDrain) return;
    const message = this.#changes.since(this.#place, this.#paths);
    this.#place = this.#changes.last;
    if (message) this.remark(message);
  }

  /** Says something else; left out where it does not read. */
  remark(bytes: Buffer): void {
    if (this.#response.writableNeedDrain) return;
    if (!this.#response.write(bytes)) this.#response.once('drain', () => this.catchUp());
  }

  end(): void {
    if (this.#response.writableNeedDrain) this.#response.destroy();
    else this.#response.end();
  }
}

function ignore(): void {}
