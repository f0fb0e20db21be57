import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseExactJson } from '../json.ts';
import type { RemoteEvent } from './remote-event.ts';

/** Where an event is in the spool, in bytes. */
export interface Spooled {
  offset: number;
  length: number;
}

/**
 * Keeps events on the disk between the paging, which brings the newest first, and the writing, which begins with the
 * oldest. The file has no name, so that its bytes are gone however the process ends.
 */
export class Spool {
  readonly #file: number;
  #end = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'civic-import-'));
    this.#file = openSync(join(folder, 'spool'), 'w+', 0o600);
    rmSync(folder, { recursive: true });
  }

  add(event: RemoteEvent): Spooled {
    const bytes = Buffer.from(JSON.stringify(event));
    const spooled = { offset: this.#end, length: bytes.length };
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
    this.#end += bytes.length;
    return spooled;
  }

  get({ offset, length }: Spooled): RemoteEvent {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const read = readSync(this.#file, bytes, at, length - at, offset + at);
      if (read === 0) throw new Error('the spool is shorter than what was written to it');
      at += read;
    }
    return parseExactJson(bytes.toString()) as RemoteEvent;
  }

  close(): void {
    closeSync(this.#file);
  }
}
