import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inParallel } from '../../../pipeline/disk/in-parallel.ts';
import { type PlantedFault, withFault } from './tables.ts';

const MEMORY = '/dev/shm';
const PARALLEL = 32;

/** A checkout's files, those that git would add included, with the checkout's node_modules. */
export class WorkingCopy {
  readonly folder: string;
  /** For what tests write. */
  readonly temporary: string;

  private constructor(folder: string, temporary: string) {
    this.folder = folder;
    this.temporary = temporary;
  }

  /** Without files yet, so that whoever is interrupted knows what to remove. */
  static async begin(): Promise<WorkingCopy> {
    const make = (within: string) => mkdtemp(join(within, 'cathedral-planted-'));
    return new WorkingCopy(await make(tmpdir()), await make(existsSync(MEMORY) ? MEMORY : tmpdir()));
  }

  async fill(tree: string): Promise<void> {
    const { stdout } = await promisify(execFile)(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      { cwd: tree, maxBuffer: 2 ** 26 },
    );
    // What was deleted, and git does not know it yet, is not there.
    const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(tree, file)));
    for (const folder of new Set(files.map(dirname)))
      await mkdir(join(this.folder, folder), { recursive: true });
    await inParallel(files, PARALLEL, (file) =>
      cp(join(tree, file), join(this.folder, file), { verbatimSymlinks: true }),
    );
    await symlink(join(tree, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** What `during` gives, while the fault is in the copy. */
  async planted<T>(fault: PlantedFault, during: () => Promise<T>): Promise<T> {
    const path = join(this.folder, fault.file);
    const right = await readFile(path, 'utf8');
    await writeFile(path, await withFault(this.folder, fault));
    try {
      return await during();
    } finally {
      await writeFile(path, right);
    }
  }

  async remove(): Promise<void> {
    for (const folder of [this.folder, this.temporary])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
