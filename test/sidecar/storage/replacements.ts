import { copyFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Ways in which an operator puts a copy of a file in its place while a server has the file open. */
export const REPLACEMENTS: Readonly<Record<string, (path: string, copy: string) => void>> = {
  'removed, and a copy put there': (path, copy) => {
    rmSync(path);
    copyFileSync(copy, path);
  },
  'removed with all that is beside it, and a copy put there': (path, copy) => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
    copyFileSync(copy, path);
  },
  'moved aside, and a copy put there': (path, copy) => {
    renameSync(path, `${path}.aside`);
    copyFileSync(copy, path);
  },
  'replaced by renaming': (path, copy) => {
    copyFileSync(copy, `${path}.new`);
    renameSync(`${path}.new`, path);
  },
  'in a folder that was renamed and made anew': (path, copy) => {
    const folder = dirname(path);
    renameSync(folder, `${folder}.aside`);
    mkdirSync(folder);
    copyFileSync(copy, path);
  },
  'in a folder that became a link to another one': (path, copy) => {
    const folder = dirname(path);
    cpSync(folder, `${folder}.other`, { recursive: true });
    copyFileSync(copy, join(`${folder}.other`, basename(path)));
    renameSync(folder, `${folder}.aside`);
    symlinkSync(`${folder}.other`, folder);
  },
  'a link that was set to another file': (path, copy) => {
    rmSync(path);
    symlinkSync(copy, path);
  },
};
