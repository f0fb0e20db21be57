import { readFile, stat } from 'node:fs/promises';
import { hashChunks, hashFile } from '../disk/hash-file.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import type { NewObject, ObjectStore } from '../objects/object-store.ts';
import { type Blob, sha256 } from '../release/format/manifest.ts';
import { BLOBS, MANIFESTS } from './layout.ts';

/** Longer files are hashed first and then streamed. Each parallel transfer keeps at most this many bytes in memory. */
const MOST_IN_MEMORY = 8 << 20;

/** Bytes to be stored, or a file that has to have this length and hash. */
export type Content = { bytes: Uint8Array } | { file: string; blob: Blob };

export interface UploadOptions {
  /** Simultaneous requests. */
  parallel: number;
  /** Ends the upload before the next object, as when the lease is lost. */
  signal?: AbortSignal | undefined;
}

/**
 * Stores objects that never change. Whatever this upload, an earlier one or a list of the bucket has shown to be there is not sent again;
 * an object of another length does not count as there.
 */
export class Upload {
  readonly #objects: ObjectStore;
  readonly #options: UploadOptions;
  /** Length of each stored object, by key. */
  readonly #stored = new Map<string, number>();
  readonly sent = { objects: 0, bytes: 0 };

  constructor(objects: ObjectStore, options: UploadOptions) {
    this.#objects = objects;
    this.#options = options;
  }

  /** Notes that these objects are in the store, with these lengths. */
  know(objects: Iterable<readonly [key: string, bytes: number]>): void {
    for (const [key, bytes] of objects) this.#stored.set(key, bytes);
  }

  /** Notes what the store has below these prefixes. Throws store_failed. */
  async list(prefixes: readonly string[]): Promise<void> {
    await inParallel(prefixes, this.#options.parallel, async (prefix) => {
      for await (const { key, bytes } of this.#objects.list(prefix)) this.#stored.set(key, bytes);
    });
  }

  /**
   * Stores what is missing, by key. Throws release_invalid for a file that differs from its hash, log_invalid for a file of the log that
   * the store has with other bytes, and store_failed.
   */
  async all(contents: ReadonlyMap<string, Content>): Promise<void> {
    const missing = [...contents].filter(([key, content]) => this.#stored.get(key) !== lengthOf(content));
    // The longest first: if it began last, the others would have ended long before it.
    missing.sort(([, a], [, b]) => lengthOf(b) - lengthOf(a));
    await inParallel(missing, this.#options.parallel, async ([key, content]) => {
      this.#options.signal?.throwIfAborted();
      const length = lengthOf(content);
      await this.#store(key, await objectOf(content), length);
      this.#stored.set(key, length);
      this.sent.objects += 1;
      this.sent.bytes += length;
    });
  }

  async #store(key: string, object: NewObject, length: number): Promise<void> {
    const isHash = key.startsWith(BLOBS) || key.startsWith(MANIFESTS);
    // Without conditions, the client would have to ask for the object first. Under a hash, any writer writes the same.
    const when = isHash && this.#objects.conditions === 'none' ? undefined : 'absent';
    if ((await this.#objects.put(key, object, when)) !== 'refused') return;
    const found = await this.#hashOf(key, length);
    if (found === object.sha256) return;
    // Only damage can have put other content under a hash.
    if (isHash) await this.#objects.put(key, object);
    else throw this.#forked(key, object.sha256, found);
  }

  /** The hash of what is stored, as far as it has this length. */
  async #hashOf(key: string, length: number): Promise<string> {
    const head = await this.#objects.head(key);
    if (head?.bytes !== length) return `${head?.bytes ?? 0} bytes`;
    if (head.sha256 !== null) return head.sha256;
    // Something else wrote it: a copy from another store.
    const found = await this.#objects.get(key);
    return found === null ? '0 bytes' : (await hashChunks(found.body)).sha256;
  }

  #forked(key: string, sha256: string, found: string): CathedralError {
    const expected = `SHA-256 ${sha256}, as the tree of this publisher's log has it (nothing is published: find out who changed it, then remove it)`;
    return new CathedralError('log_invalid', { place: `${this.#objects.name}/${key}`, expected, found });
  }
}

function lengthOf(content: Content): number {
  return 'blob' in content ? content.blob.bytes : content.bytes.length;
}

/** Throws release_invalid for a file that is missing, or has another length or hash. */
async function objectOf(content: Content): Promise<NewObject> {
  if ('bytes' in content) return { bytes: content.bytes, sha256: sha256(content.bytes) };
  const { file, blob } = content;
  try {
    if ((await stat(file)).size !== blob.bytes) throw damaged(file, blob, `${(await stat(file)).size} bytes`);
    if (blob.bytes > MOST_IN_MEMORY) {
      assertHash(file, blob, (await hashFile(file)).sha256);
      return { file, sha256: blob.sha256 };
    }
    const bytes = await readFile(file);
    assertHash(file, blob, sha256(bytes));
    return { bytes, sha256: blob.sha256 };
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    throw damaged(file, blob, (cause as Error).message, cause);
  }
}

function assertHash(file: string, blob: Blob, found: string): void {
  if (found !== blob.sha256) throw damaged(file, blob, found);
}

function damaged(place: string, { sha256, bytes }: Blob, found: string, cause?: unknown): CathedralError {
  const expected = `${bytes} bytes with the SHA-256 ${sha256} (not stored; cathedral build --rebuild makes it again)`;
  return new CathedralError('release_invalid', { place, expected, found, cause });
}
