import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import type { LogFile } from '../../ledger/log/tree-builder.ts';
import { guarded, replaceFile, sync } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { STAGING } from '../disk/remove-left-overs.ts';
import { sha256 } from '../format/manifest.ts';
import { logFile } from './log-folder.ts';

const PARALLEL_SYNCS = 8;
const PREFIX = `${STAGING}log-`;

/**
 * Files that will be added to a log: written and flushed beside it, so that all that can go wrong has gone wrong before
 * the release is committed. Publishing is renames, and the checkpoint last. Killed between them, it is done again by the
 * next run, which finds what is there already to be right.
 */
export class StagedLog implements AsyncDisposable {
  readonly out: string;
  readonly #dir: string;
  /** Paths of the files, each of which stands in the folder under its number. */
  readonly #paths: string[] = [];

  private constructor(out: string, dir: string) {
    this.out = out;
    this.#dir = dir;
  }

  static async open(out: string): Promise<StagedLog> {
    return guarded(out, async () => new StagedLog(out, await mkdtemp(join(out, PREFIX))));
  }

  /** Takes files, but for those that are there already with these bytes. Throws log_invalid where one is there with others. */
  add(files: readonly LogFile[]): void {
    for (const { path, bytes } of files) {
      const place = logFile(this.out, path);
      if (existsSync(place)) assertSame(place, bytes);
      else {
        writeFileSync(this.#place(this.#paths.length), bytes, { flag: 'wx' });
        this.#paths.push(path);
      }
    }
  }

  async flush(): Promise<void> {
    await guarded(this.#dir, () =>
      inParallel(this.#paths.keys(), PARALLEL_SYNCS, (index) => sync(this.#place(index))),
    );
  }

  /** Puts every file at its place, and then the checkpoint. */
  async publish(note: string): Promise<void> {
    const folders = new Set<string>();
    await guarded(this.out, async () => {
      for (const [index, path] of this.#paths.entries()) {
        const place = logFile(this.out, path);
        for (let folder = dirname(place); folder !== this.out; folder = dirname(folder)) folders.add(folder);
        mkdirSync(dirname(place), { recursive: true });
        renameSync(this.#place(index), place);
      }
      // Names in a folder before the folder's own.
      const deepestFirst = [...folders].sort((a, b) => b.length - a.length);
      await inParallel([...deepestFirst, this.out], PARALLEL_SYNCS, sync);
    });
    await replaceFile(logFile(this.out, 'checkpoint'), note);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Where the disk refuses, the next run removes it: what led here is to be told.
    await rm(this.#dir, { recursive: true, force: true }).catch(() => {});
  }

  #place(index: number): string {
    return join(this.#dir, `${index}`);
  }
}

function assertSame(place: string, bytes: Uint8Array): void {
  const found = readFileSync(place);
  if (found.equals(bytes)) return;
  const expected = `SHA-256 ${sha256(bytes)}, for a file of the log never changes`;
  throw new CathedralError('log_invalid', { place, expected, found: sha256(found) });
}
