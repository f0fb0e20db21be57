import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { asDiskErrors, exists, makeFolder, replaceFile } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { swapCurrent } from '../release/disk/swap-current.ts';
import { releaseFolder } from '../release/format/manifest.ts';
import { currentId, readCurrent } from '../release/format/release.ts';
import { CachedLog } from './cached-log.ts';
import type { ObjectCache } from './object-cache.ts';
import { Pointer, pointedCheckpoint } from './pointer.ts';
import { SnapshotFiles } from './snapshot-files.ts';

/** What is served beside a release, of the same pointer. */
export interface Beside {
  pointer: Pointer;
  log: CachedLog;
  /** Files below `snapshots/` by their paths, as blobs; null if the service publishes no snapshots. */
  snapshots: SnapshotFiles['files'] | null;
  /** Those that change with each release, by path. */
  texts: ReadonlyMap<string, Buffer>;
}

const Followed = z.strictObject({
  format: z.literal('cathedral-followed/1'),
  pointer: Pointer,
  snapshots: SnapshotFiles.shape.files.nullable(),
  texts: z.record(z.string(), z.string()),
});

/** The folder that a sidecar serves, and what stands beside its release. A file there says both, for a start while the store is down. */
export class FollowedFolder {
  readonly #out: string;
  readonly #cache: ObjectCache;
  #beside: Beside | null = null;
  #version = 0;

  constructor(out: string, cache: ObjectCache) {
    [this.#out, this.#cache] = [out, cache];
  }

  /** Null before the first release. */
  get beside(): Beside | null {
    return this.#beside;
  }

  /** Of the release that is current, whatever the pointer says; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  besideOf(pointer: Pointer, snapshots: Beside['snapshots'], texts: Beside['texts']): Beside {
    const { size, root } = pointedCheckpoint(pointer);
    return { pointer, log: new CachedLog({ size, root }, this.#cache), snapshots, texts };
  }

  /**
   * Makes the release in `releases/<name>` current. The log and the snapshot list become visible first: they may be ahead of the release, and
   * never behind it. Throws publish_failed and disk_full.
   */
  async switchTo(beside: Beside, name: string): Promise<void> {
    await replaceFile(this.#file, formatFollowed(beside));
    this.#beside = beside;
    await this.#makeCurrent(name);
    this.#version = beside.pointer.version;
  }

  /**
   * Takes up where the last process stopped. Returns why what stood beside the release could not be read, if it could not: all of it can be
   * fetched again. Throws publish_failed.
   */
  async restore(): Promise<CathedralError | null> {
    await asDiskErrors(this.#out, () => makeFolder(this.#out));
    const current = await readCurrent(this.#out).catch(() => null);
    this.#version = current?.manifest.signed?.version ?? 0;
    const text = await readFile(this.#file, 'utf8').catch(() => null);
    if (text === null) return null;
    try {
      const { pointer, snapshots, texts } = parseJsonFile(text, Followed, this.#file, 'release_invalid');
      const bytes = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const);
      this.#beside = this.besideOf(pointer, snapshots, new Map(bytes));
      await this.#finishSwitch(pointer);
      return null;
    } catch (error) {
      if (!(error instanceof CathedralError) || error.code !== 'release_invalid') throw error;
      await asDiskErrors(this.#file, () => rm(this.#file, { force: true }));
      return error;
    }
  }

  /** The last process may have ended between the two steps of a switch. */
  async #finishSwitch({ release, version }: Pointer): Promise<void> {
    const name = releaseFolder({ release, signed: { version } });
    const isPlaced = await exists(join(this.#out, 'releases', name));
    if (this.#version >= version || !isPlaced) return;
    await this.#makeCurrent(name);
    this.#version = version;
  }

  async #makeCurrent(name: string): Promise<void> {
    const served = await currentId(this.#out).catch(() => null);
    if (served !== name) await asDiskErrors(this.#out, () => swapCurrent(this.#out, name, served));
  }

  get #file(): string {
    return join(this.#out, 'followed.json');
  }
}

function formatFollowed({ pointer, snapshots, texts }: Beside): string {
  const strings = Object.fromEntries([...texts].map(([path, bytes]) => [path, String(bytes)]));
  const followed = { format: 'cathedral-followed/1', pointer, snapshots, texts: strings };
  return `${JSON.stringify(followed)}\n`;
}
