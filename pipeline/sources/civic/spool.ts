import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseExactJson } from '../../ledger/events/json.ts';
import type { RemoteEvent } from './remote-event.ts';

/** Location of an event in the spool, in bytes. */
export interface Spooled {
  offset: number;
  length: number;
}

/**
 * Stores events on disk between paging, newest first, and writing, oldest first. The file has no name, so its bytes disappear with the
 * process.
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
      if (read === 0) throw new Error('the spool is shorter than its written data');
      at += read;
    }
    return parseExactJson(bytes.toString()) as RemoteEvent;
  }

  close(): void {
    closeSync(this.#file);
  }
}
