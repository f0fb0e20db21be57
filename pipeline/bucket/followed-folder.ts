import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { asDiskErrors, exists, makeFolder, replaceFile } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { releaseFolder } from '../release/format/manifest.ts';
import { currentId, readCurrent } from '../release/format/release.ts';
import { LIST_PATH } from '../release/format/snapshot-index.ts';
import { logFile } from '../release/log/log-folder.ts';
import { Pointer } from './pointer.ts';
import { type Pulled, show } from './pull.ts';

/** In a folder that follows a bucket, and in no other. */
export const FOLLOWED = 'followed.json';

const Followed = z.strictObject({
  format: z.literal('cathedral-followed/1'),
  /** Null before the first release. */
  pointer: Pointer.nullable(),
  /** What belongs to the pointer's snapshots and changes with each release, by path. */
  texts: z.record(z.string(), z.string()),
});

/** The folder that a sidecar serves. A file there says what it is to show, for a start while the store is down. */
export class FollowedFolder {
  readonly #out: string;
  #pointer: Pointer | null = null;
  #version = 0;

  constructor(out: string) {
    this.#out = out;
  }

  /** Of what is shown; null before the first release. */
  get pointer(): Pointer | null {
    return this.#pointer;
  }

  /** Of the release that is current, whatever the pointer says; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /**
   * Whether the release that is shown, its log and its snapshots are still there: somebody may have emptied the folder, and what is missing would
   * be answered as if it had never been there. If not, nothing is shown from then on.
   */
  async isThere(): Promise<boolean> {
    if (this.#version === 0) return true;
    const id = await currentId(this.#out).catch(() => null);
    const places = [
      join(this.#out, 'releases', `${id}`, 'manifest.json'),
      logFile(this.#out, 'checkpoint'),
      ...(this.#pointer?.snapshots ? [join(this.#out, LIST_PATH)] : []),
    ];
    const isThere = id !== null && (await Promise.all(places.map(exists))).every(Boolean);
    if (!isThere) this.#version = 0;
    return isThere;
  }

  /** Shows what was pulled. A kill leaves what `restore` completes. Throws publish_failed and disk_full. */
  async switchTo(pointer: Pointer, pulled: Pick<Pulled, 'name' | 'texts'>): Promise<void> {
    await this.#note(pointer, pulled.texts);
    await show(this.#out, pointer, pulled);
    this.#pointer = pointer;
    this.#version = pointer.version;
  }

  /**
   * Takes up where the last process stopped. Returns why what it noted could not be read, if it could not: all of it can be fetched again. Throws
   * publish_failed.
   */
  async restore(): Promise<CathedralError | null> {
    await asDiskErrors(this.#out, () => makeFolder(this.#out));
    const current = await readCurrent(this.#out).catch(() => null);
    this.#version = current?.manifest.signed?.version ?? 0;
    const place = join(this.#out, FOLLOWED);
    const text = await readFile(place, 'utf8').catch(() => null);
    let damage: CathedralError | null = null;
    try {
      const noted = text && parseJsonFile(text, Followed, place, 'release_invalid');
      if (noted) return await this.#complete(noted);
    } catch (error) {
      if (!(error instanceof CathedralError) || error.code !== 'release_invalid') throw error;
      damage = error;
    }
    await this.#note(null, new Map());
    return damage;
  }

  /** The last process may have ended between two steps of a switch. */
  async #complete({ pointer, texts }: z.infer<typeof Followed>): Promise<null> {
    if (!pointer) return null;
    const name = releaseFolder({ release: pointer.release, signed: pointer });
    const isPlaced = await exists(join(this.#out, 'releases', name));
    if (this.#version <= pointer.version && isPlaced) {
      const bytes = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const);
      await show(this.#out, pointer, { name, texts: new Map(bytes) });
      this.#version = pointer.version;
    }
    this.#pointer = pointer;
    return null;
  }

  async #note(pointer: Pointer | null, texts: Pulled['texts']): Promise<void> {
    const strings = Object.fromEntries([...texts].map(([path, bytes]) => [path, String(bytes)]));
    const noted = { format: 'cathedral-followed/1', pointer, texts: strings };
    await replaceFile(join(this.#out, FOLLOWED), `${JSON.stringify(noted)}\n`);
  }
}
