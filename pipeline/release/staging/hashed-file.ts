import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Blob } from '../format/manifest.ts';

/** A file that is hashed while it is written. */
export class HashedFile {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#count(bytes);
    await this.#handle.writeFile(bytes);
  }

  /** Takes what another program has written to the file, all of it. */
  async readBack(place: string): Promise<void> {
    for await (const bytes of createReadStream(place)) this.#count(bytes);
  }

  /** Once, at the end. */
  get blob(): Blob {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  #count(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }
}
