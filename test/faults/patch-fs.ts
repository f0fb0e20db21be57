/**
 * Puts functions that tell `effects` of each call in the place of those of node:fs with which a run writes. What Node does
 * in several calls (writeFile, a recursive rm) is done in as many here, so that each of them can be the last.
 */
import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { effects, type Kind } from './effects.ts';

interface Opened {
  handle: number;
  path: string;
  /** Where the next write goes. */
  position: number;
  appends: boolean;
}

type Data = string | Uint8Array;
type WriteOptions = { flag?: string; mode?: number } | null;

const real = { ...fs };
const later = { ...promises };
const opened = new WeakMap<FileHandle, Opened>();
const MADE = /[wa]/;

const bytesOf = (data: Data) => (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data));

/** A call that is done at once, or, where nothing is watched, what Node does. */
function call<T>(kind: Kind, path: string, work: () => T): T {
  effects.enter(kind, path);
  return work();
}

function isThere(path: string): boolean {
  return real.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Names are given and taken at once in the asynchronous functions, too: a name has no half. */
const names = {
  mkdir(path: string, mode?: number): void {
    call('mkdir', path, () => real.mkdirSync(path, mode));
    effects.left({ op: 'mkdir', path: effects.below(path) });
  },
  rename(from: string, to: string): void {
    call('rename', to, () => real.renameSync(from, to));
    effects.left({ op: 'rename', path: effects.below(from), to: effects.below(to) });
  },
  link(from: string, to: string): void {
    call('link', to, () => real.linkSync(from, to));
    effects.left({ op: 'link', path: effects.below(from), to: effects.below(to) });
  },
  symlink(target: string, path: string): void {
    call('symlink', path, () => real.symlinkSync(target, path));
    effects.left({ op: 'symlink', path: effects.below(path), target });
  },
  remove(kind: 'unlink' | 'rmdir', path: string): void {
    call(kind, path, () => (kind === 'unlink' ? real.unlinkSync(path) : real.rmdirSync(path)));
    effects.left({ op: 'remove', path: effects.below(path) });
  },
};

type MakeOptions = { recursive?: boolean; mode?: number } | number | null | undefined;

function mkdir(path: string, options?: MakeOptions): string | undefined {
  const { recursive = false, mode } =
    typeof options === 'number'
      ? { mode: options }
      : ((options ?? {}) as { recursive?: boolean; mode?: number });
  if (!recursive) return void names.mkdir(path, mode);
  const missing: string[] = [];
  for (let at = resolve(path); !isThere(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) names.mkdir(folder, mode);
  return missing.at(-1);
}

type RemoveOptions = { recursive?: boolean; force?: boolean };

function rm(path: string, options: RemoveOptions = {}): void {
  const found = real.lstatSync(path, { throwIfNoEntry: false });
  if (!found && options.force) return;
  if (!found?.isDirectory()) return void names.remove('unlink', path);
  if (!options.recursive) throw Object.assign(new Error(`a folder: ${path}`), { code: 'ERR_FS_EISDIR' });
  for (const name of real.readdirSync(path)) rm(join(path, name), options);
  names.remove('rmdir', path);
}

async function open(path: string, flags: string | number = 'r', mode?: number): Promise<FileHandle> {
  const made = typeof flags === 'string' && MADE.test(flags);
  if (made) effects.enter('open', path);
  const before = real.lstatSync(path, { throwIfNoEntry: false });
  const file = await later.open(path, flags, mode);
  const appends = made && flags.includes('a');
  const about = { handle: effects.newHandle(), path, position: appends ? (before?.size ?? 0) : 0, appends };
  opened.set(file, about);
  const emptied = made && flags.includes('w');
  effects.left({
    op: 'open',
    path: effects.below(path),
    handle: about.handle,
    made: made && !before,
    emptied,
  });
  return file;
}

/** Replaces methods of every handle, those of a folder that is not watched aside. */
function patchHandles(prototype: FileHandle): void {
  const own = { ...methodsOf(prototype) };
  const writeAll = async (file: FileHandle, about: Opened, bytes: Buffer, at: number) => {
    const half = () => real.writeSync(file.fd, bytes, 0, bytes.length >> 1, about.appends ? null : at);
    effects.enter('write', about.path, half);
    await own.write.call(file, bytes, 0, bytes.length, about.appends ? null : at);
    effects.left({ op: 'write', handle: about.handle, at, bytes: Buffer.from(bytes) });
    about.position = at + bytes.length;
    return { bytesWritten: bytes.length, buffer: bytes };
  };
  const writeNext = function (this: FileHandle, data: Data, options?: never) {
    const about = opened.get(this);
    return about
      ? writeAll(this, about, bytesOf(data), about.position)
      : own.writeFile.call(this, data, options);
  };
  Object.assign(prototype, {
    writeFile: writeNext,
    appendFile: writeNext,
    async truncate(this: FileHandle, length = 0) {
      const about = opened.get(this);
      if (about) effects.enter('truncate', about.path);
      await own.truncate.call(this, length);
      if (about) effects.left({ op: 'truncate', handle: about.handle, length });
      if (about?.appends) about.position = length;
    },
    async sync(this: FileHandle) {
      const about = opened.get(this);
      if (about) effects.enter('fsync', about.path);
      if (about?.path.endsWith('.sqlite')) tellWhole(about);
      const since = effects.done.length;
      await own.sync.call(this);
      if (about) effects.left({ op: 'fsync', handle: about.handle, since });
    },
    async close(this: FileHandle) {
      const about = opened.get(this);
      opened.delete(this);
      await own.close.call(this);
      if (about) effects.enter('close', about.path);
    },
    async write(this: FileHandle, ...args: Parameters<Methods['write']>) {
      const about = opened.get(this);
      if (!about) return own.write.apply(this, args);
      const [bytes, offset, length, at] = args;
      if (typeof at !== 'number') throw new Error('a run says where it writes; teach this file of the rest');
      return writeAll(this, about, bytes.subarray(offset, offset + length), at);
    },
  });
}

/** SQLite does not write with node:fs. What it wrote is in the journal before the flush of it, as one write. */
function tellWhole({ handle, path }: Opened): void {
  effects.left({ op: 'truncate', handle, length: 0 });
  effects.left({ op: 'write', handle, at: 0, bytes: real.readFileSync(path) });
}

interface Methods extends Pick<FileHandle, 'writeFile' | 'truncate' | 'sync' | 'close'> {
  write(bytes: Buffer, offset: number, length: number, at: number | null): Promise<unknown>;
}

function methodsOf({ writeFile, write, truncate, sync, close }: FileHandle): Methods {
  return { writeFile, write, truncate, sync, close };
}

async function writeFile(path: string, data: Data, { flag = 'w', mode }: NonNullable<WriteOptions> = {}) {
  const file = await open(path, flag, mode);
  try {
    await file.writeFile(data);
  } finally {
    await file.close();
  }
}

function writeFileSync(path: string, data: Data, { flag = 'w', mode }: NonNullable<WriteOptions> = {}): void {
  effects.enter('open', path);
  const made = !isThere(path);
  const fd = real.openSync(path, flag, mode);
  const handle = effects.newHandle();
  effects.left({ op: 'open', path: effects.below(path), handle, made, emptied: true });
  const bytes = bytesOf(data);
  try {
    effects.enter('write', path, () => real.writeSync(fd, bytes, 0, bytes.length >> 1));
    real.writeSync(fd, bytes);
    effects.left({ op: 'write', handle, at: 0, bytes });
  } finally {
    real.closeSync(fd);
  }
  effects.enter('close', path);
}

/** With the rights of the file, which nothing here depends on, left out. */
const copyFileSync = (from: string, to: string) => writeFileSync(to, real.readFileSync(from));

function mkdtemp(prefix: string): string {
  const path = call('mkdir', prefix, () => real.mkdtempSync(prefix));
  effects.left({ op: 'mkdir', path: effects.below(path) });
  return path;
}

const chmod = (path: string, mode: number) => call('chmod', path, () => real.chmodSync(path, mode));

/** Each by its name, with the argument that says which folder it is in. */
const SYNCHRONOUS = {
  mkdirSync: [mkdir, 0],
  mkdtempSync: [mkdtemp, 0],
  renameSync: [names.rename, 1],
  linkSync: [names.link, 1],
  symlinkSync: [names.symlink, 1],
  rmSync: [rm, 0],
  writeFileSync: [writeFileSync, 0],
  copyFileSync: [copyFileSync, 1],
  chmodSync: [chmod, 0],
} as const;

const ASYNCHRONOUS = {
  mkdir: [mkdir, 0],
  mkdtemp: [mkdtemp, 0],
  rename: [names.rename, 1],
  link: [names.link, 1],
  symlink: [names.symlink, 1],
  rm: [rm, 0],
  rmdir: [(path: string) => names.remove('rmdir', path), 0],
  writeFile: [writeFile, 0],
  copyFile: [copyFileSync, 1],
  chmod: [chmod, 0],
  open: [open, 0],
} as const;

type Any = (...args: never[]) => unknown;

/** What is not in the folder that is watched is left to Node. */
function choose(own: Any, instead: Any, argument: number, wrap: (work: () => unknown) => unknown): Any {
  return (...args) => (effects.watches(String(args[argument])) ? wrap(() => instead(...args)) : own(...args));
}

export async function patchFs(): Promise<void> {
  const probe = await later.open(process.execPath, 'r');
  patchHandles(Object.getPrototypeOf(probe));
  await probe.close();
  const [here, there] = [fs, promises] as unknown as Record<string, Any>[];
  for (const [name, [instead, argument]] of Object.entries(SYNCHRONOUS))
    here![name] = choose(here![name]!, instead as Any, argument, (work) => work());
  for (const [name, [instead, argument]] of Object.entries(ASYNCHRONOUS))
    there![name] = choose(there![name]!, instead as Any, argument, async (work) => work());
  syncBuiltinESMExports();
}
