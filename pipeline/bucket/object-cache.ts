import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, makeFolder, TEMPORARY_SUFFIX, writeFileAtomically } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { isIntact } from '../mirror/blobs.ts';
import { fetchBlob } from '../mirror/fetch-blob.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Blob } from '../release/format/manifest.ts';
import { blobKey } from './layout.ts';
import { StoreOrigin } from './store-origin.ts';

export interface CacheOptions {
  /** It holds nothing else. */
  folder: string;
  /** Of all its files together, those that are being fetched included. Default: a GiB. */
  maxBytes?: number;
  store: Pick<ObjectStore, 'name' | 'get' | 'read'>;
}

/** Holds the snapshots of about a year. The largest file of the bucket has to fit. */
const MAX_BYTES = 1024 * 1024 * 1024;

interface Entry {
  bytes: number;
  /** Open handles. A file that is being read is not removed. */
  readers: number;
  /** Of blobs: hashed by this process. After a power cut a file may have its name and not its bytes. */
  isVerified: boolean;
}

/**
 * Objects of the bucket on the disk, each fetched when it is first needed, up to a number of bytes: then the least recently
 * used ones go. Concurrent requests for one object share one fetch; a fetch that fails leaves nothing.
 */
export class ObjectCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #store: CacheOptions['store'];
  readonly #origin: StoreOrigin;
  /** By file name, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #fetching = new Map<string, Promise<unknown>>();
  /** Files that are being removed; they take room until they are gone. */
  readonly #removing = new Set<Promise<void>>();
  /** One reservation at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #bytes = 0;

  private constructor({ folder, maxBytes = MAX_BYTES, store }: CacheOptions) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#store = store;
    this.#origin = new StoreOrigin(store);
  }

  /** Takes over what an earlier process left. Throws publish_failed. */
  static async open(options: CacheOptions): Promise<ObjectCache> {
    const cache = new ObjectCache(options);
    await asDiskErrors(options.folder, () => cache.#takeOver());
    return cache;
  }

  /** Of its files, and of those that are being fetched. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * A blob, open for reading; to be closed. Throws store_failed if it cannot be fetched, release_invalid if the store has other
   * bytes, and disk_full if it does not fit beside what is being read.
   */
  async open(blob: Blob): Promise<FileHandle> {
    const name = blob.sha256;
    for (;;) {
      const handle = await this.#openEntry(name, blob);
      if (handle) return handle;
      await this.#once(name, () => this.#fetch(name, blob));
    }
  }

  /** A small blob in memory. Throws like `open`. */
  async readBlob(blob: Blob): Promise<Buffer> {
    const handle = await this.open(blob);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /** A small object that the caller verifies; null if there is none. Throws store_failed. */
  async read(key: string, maxBytes: number): Promise<Buffer | null> {
    const name = nameOf(key);
    const kept = await this.#readEntry(name);
    if (kept) return kept;
    return this.#once(name, async () => {
      const found = await this.#store.read(key, maxBytes);
      if (!found) return null;
      const content = Buffer.from(found.content);
      await this.#keep(name, content);
      return content;
    });
  }

  /** Forgets an object that turned out to be damaged. */
  async drop(key: string): Promise<void> {
    await this.#remove(nameOf(key));
  }

  async #takeOver(): Promise<void> {
    await makeFolder(this.#folder);
    const found: { name: string; bytes: number; at: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const { size, mtimeMs } = await stat(join(this.#folder, name));
      if (PARTIAL.test(name)) await rm(join(this.#folder, name), { recursive: true, force: true });
      else found.push({ name, bytes: size, at: mtimeMs });
    }
    for (const { name, bytes } of found.sort((a, b) => a.at - b.at)) this.#add(name, bytes, false);
    await this.#reserve(0);
  }

  /** Null if it is not here, or is damaged. */
  async #openEntry(name: string, blob: Blob): Promise<FileHandle | null> {
    const entry = this.#use(name);
    if (!entry) return null;
    entry.readers += 1;
    const place = join(this.#folder, name);
    const handle = await open(place).catch(() => null);
    let isReading = true;
    const release = () => {
      if (isReading) entry.readers -= 1;
      isReading = false;
    };
    if (handle && (entry.isVerified || (await isIntact(place, blob).catch(() => false)))) {
      entry.isVerified = true;
      const close = handle.close.bind(handle);
      handle.close = () => close().finally(release);
      return handle;
    }
    release();
    await handle?.close();
    await this.#remove(name);
    return null;
  }

  async #readEntry(name: string): Promise<Buffer | null> {
    const entry = this.#use(name);
    if (!entry) return null;
    entry.readers += 1;
    const bytes = await readFile(join(this.#folder, name)).catch(() => null);
    entry.readers -= 1;
    if (bytes?.length === entry.bytes) return bytes;
    await this.#remove(name);
    return null;
  }

  async #fetch(name: string, { sha256, bytes }: Blob): Promise<void> {
    const place = join(this.#folder, name);
    await this.#into(name, { bytes, isVerified: true, partial: `${place}.part` }, () =>
      fetchBlob(this.#origin, { path: blobKey(sha256), sha256, bytes }, place),
    );
  }

  /** An object that cannot be kept is answered all the same. */
  async #keep(name: string, content: Buffer): Promise<void> {
    const place = join(this.#folder, name);
    const file = { bytes: content.length, isVerified: false, partial: `${place}${TEMPORARY_SUFFIX}` };
    await this.#into(name, file, () => writeFileAtomically(place, content, false)).catch(() => {});
  }

  /** Lets `write` write a file whose length is known, and counts it from the beginning. `partial`: what a failure leaves. */
  async #into(
    name: string,
    { bytes, isVerified, partial }: { bytes: number; isVerified: boolean; partial: string },
    write: () => Promise<unknown>,
  ): Promise<void> {
    await this.#reserve(bytes);
    try {
      await write();
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    } finally {
      this.#bytes -= bytes;
    }
    this.#add(name, bytes, isVerified);
  }

  /** Concurrent calls for one name share one `work`. */
  #once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const known = this.#fetching.get(name) as Promise<T> | undefined;
    if (known) return known;
    const fetching = work().finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    return fetching;
  }

  /** Counts these bytes, after removing as much as that takes. Throws disk_full if too much is being read or fetched. */
  #reserve(bytes: number): Promise<void> {
    const reserved = this.#turn.then(() => this.#makeRoom(bytes));
    this.#turn = reserved.catch(() => {});
    return reserved;
  }

  async #makeRoom(bytes: number): Promise<void> {
    // Among them may be the very file that is about to be fetched again.
    await Promise.allSettled(this.#removing);
    const fits = () => this.#bytes + bytes <= this.#maxBytes;
    for (const [name, { readers }] of this.#entries) {
      if (fits()) break;
      if (readers === 0) await this.#remove(name);
    }
    if (!fits())
      throw new CathedralError('disk_full', {
        place: this.#folder,
        expected: `room for ${bytes} bytes in a cache of ${this.#maxBytes}`,
        found: `${this.#bytes} bytes that are being read or fetched`,
      });
    this.#bytes += bytes;
  }

  #use(name: string): Entry | null {
    const entry = this.#entries.get(name);
    if (!entry) return null;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry;
  }

  #add(name: string, bytes: number, isVerified: boolean): void {
    this.#entries.set(name, { bytes, readers: 0, isVerified });
    this.#bytes += bytes;
  }

  async #remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    const place = join(this.#folder, name);
    const removed = asDiskErrors(place, () => rm(place, { force: true })).finally(() => {
      this.#bytes -= entry.bytes;
      this.#removing.delete(removed);
    });
    this.#removing.add(removed);
    await removed;
  }
}

/** Files that a killed process was writing. */
const PARTIAL = /\.(part|tmp)$/;

/** `log/tile/0/000.p/17` → `log-tile-0-000.p-17` */
function nameOf(key: string): string {
  return key.replaceAll('/', '-');
}
