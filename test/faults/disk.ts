import { createHash } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Done } from './effects.ts';

/**
 * What of that which was not flushed is there after a power cut. POSIX promises none of it, and no order: a file's bytes are
 * safe when the file was flushed, its name when its folder was.
 */
export const LOSSES = {
  /** None of it. */
  all: () => false,
  /** Names and no bytes, as where a file system writes its journal at once and data later. */
  bytes: (done) => done !== 'bytes',
  /** Bytes and no names. */
  names: (done) => done === 'bytes',
  /** All but the newest: later names may be written before earlier ones. */
  older: (_, at, until) => at === until - 1,
  /** Every second one, */
  even: (_, at) => at % 2 === 1,
  /** and the others. */
  odd: (_, at) => at % 2 === 0,
  /** Nothing: the process was killed, and the machine went on. */
  none: () => true,
} satisfies Record<string, (done: 'name' | 'bytes', at: number, until: number) => boolean>;
export type Loss = keyof typeof LOSSES;

interface Folder {
  kind: 'folder';
  entries: ReadonlyMap<string, Node>;
}
interface File {
  kind: 'file';
  bytes: Buffer;
}
interface Link {
  kind: 'link';
  target: string;
}
type Node = Folder | File | Link;

/** Something that was done, and from which place of the journal on it is safe. */
interface Change {
  at: number;
  safe: number;
  what: 'name' | 'bytes';
  /** Whose flush makes it safe: the file, or one of the folders. A rename between two folders is one change. */
  nodes: Node[];
  names: [Folder, string, Node | null][];
  bytes: ((before: Buffer) => Buffer) | null;
}

/** Every file, folder and link, in memory; a file of two names is one. */
export function readTree(path: string, known = new Map<number, File>()): Folder {
  const entries = new Map<string, Node>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const place = join(path, entry.name);
    if (entry.isDirectory()) entries.set(entry.name, readTree(place, known));
    else if (entry.isSymbolicLink()) entries.set(entry.name, { kind: 'link', target: readlinkSync(place) });
    else entries.set(entry.name, readFile(place, known));
  }
  return { kind: 'folder', entries };
}

function readFile(place: string, known: Map<number, File>): File {
  const { ino } = lstatSync(place);
  const file = known.get(ino) ?? { kind: 'file', bytes: readFileSync(place) };
  known.set(ino, file);
  return file;
}

/** Goes through a journal once, and says then what a disk would hold that lost its power at any place of it. */
export class Disk {
  readonly root: Folder;
  readonly #changes: Change[] = [];
  /** The folders as they are while the journal is read. */
  readonly #now = new Map<Folder, Map<string, Node>>();
  readonly #handles = new Map<number, Node>();

  constructor(root: Folder, journal: readonly Done[]) {
    this.root = root;
    for (const [at, done] of journal.entries()) this.#read(done, at);
  }

  #read(done: Done, at: number): void {
    if (done.op === 'fsync') return void this.#flushed(this.#handles.get(done.handle)!, done.since, at);
    if (done.op === 'open') return void this.#opened(done, at);
    if (done.op === 'write' || done.op === 'truncate') {
      const file = this.#handles.get(done.handle)!;
      const bytes = (before: Buffer) =>
        done.op === 'write' ? overwritten(before, done.at, done.bytes) : before.subarray(0, done.length);
      return void this.#changes.push({ at, safe: Infinity, what: 'bytes', nodes: [file], names: [], bytes });
    }
    this.#named(at, this.#namesOf(done));
  }

  #namesOf(done: Extract<Done, { path: string }>): Change['names'] {
    const [folder, name] = this.#place(done.path);
    if (done.op === 'mkdir') return [[folder, name, { kind: 'folder', entries: new Map() }]];
    if (done.op === 'symlink') return [[folder, name, { kind: 'link', target: done.target }]];
    if (done.op === 'remove') return [[folder, name, null]];
    const node = this.#entries(folder).get(name)!;
    const [to, as] = this.#place((done as { to: string }).to);
    return done.op === 'rename'
      ? [
          [folder, name, null],
          [to, as, node],
        ]
      : [[to, as, node]];
  }

  #named(at: number, names: Change['names']): void {
    for (const [folder, name, node] of names) {
      if (node) this.#entries(folder).set(name, node);
      else this.#entries(folder).delete(name);
    }
    const nodes = names.map(([folder]) => folder);
    this.#changes.push({ at, safe: Infinity, what: 'name', nodes, names, bytes: null });
  }

  #opened({ path, handle, made, emptied }: Extract<Done, { op: 'open' }>, at: number): void {
    const [folder, name] = this.#place(path);
    if (made) this.#named(at, [[folder, name, { kind: 'file', bytes: Buffer.alloc(0) }]]);
    const node = path === '' ? this.root : this.#entries(folder).get(name)!;
    this.#handles.set(handle, node);
    if (emptied && !made) {
      const bytes = () => Buffer.alloc(0);
      this.#changes.push({ at, safe: Infinity, what: 'bytes', nodes: [node], names: [], bytes });
    }
  }

  #flushed(node: Node, since: number, at: number): void {
    for (const change of this.#changes)
      if (change.at < since && change.safe > at && change.nodes.includes(node)) change.safe = at;
  }

  #entries(folder: Folder): Map<string, Node> {
    const entries = this.#now.get(folder) ?? new Map(folder.entries);
    this.#now.set(folder, entries);
    return entries;
  }

  #place(path: string): [Folder, string] {
    return [this.#folder(dirname(path)), basename(path)];
  }

  #folder(path: string): Folder {
    if (path === '.') return this.root;
    const node = this.#entries(this.#folder(dirname(path))).get(basename(path));
    if (node?.kind === 'link') return this.#folder(join(dirname(path), node.target));
    if (node?.kind === 'folder') return node;
    throw new Error(`the journal names ${path}, which is not there`);
  }

  /** What is there when power is lost after the first `until` things were done. */
  after(until: number, loss: Loss): Image {
    const folders = new Map<Folder, Map<string, Node>>();
    const files = new Map<Node, Change[]>();
    for (const change of this.#changes) {
      if (change.at >= until) break;
      if (change.safe >= until && !LOSSES[loss](change.what, change.at, until)) continue;
      for (const [folder, name, node] of change.names) {
        const entries = folders.get(folder) ?? new Map(folder.entries);
        folders.set(folder, entries);
        if (node) entries.set(name, node);
        else entries.delete(name);
      }
      if (change.bytes) files.set(change.nodes[0]!, [...(files.get(change.nodes[0]!) ?? []), change]);
    }
    return new Image(this.root, folders, files);
  }
}

/** One state of a disk. */
export class Image {
  readonly #root: Folder;
  readonly #folders: ReadonlyMap<Folder, ReadonlyMap<string, Node>>;
  readonly #files: ReadonlyMap<Node, readonly Change[]>;
  readonly #bytes = new Map<File, Buffer>();

  constructor(
    root: Folder,
    folders: ReadonlyMap<Folder, ReadonlyMap<string, Node>>,
    files: ReadonlyMap<Node, readonly Change[]>,
  ) {
    this.#root = root;
    this.#folders = folders;
    this.#files = files;
  }

  /** The same for two states that hold the same. */
  digest(): string {
    const hash = createHash('sha256');
    const visit = (folder: Folder, path: string) => {
      for (const [name, node] of [...this.#entries(folder)].sort(([a], [b]) => (a < b ? -1 : 1))) {
        hash.update(`${path}/${name} ${node.kind} `);
        if (node.kind === 'folder') visit(node, `${path}/${name}`);
        else hash.update(node.kind === 'link' ? node.target : this.#content(node));
      }
    };
    visit(this.#root, '');
    return hash.digest('hex');
  }

  /** Writes it to a folder, in the place of what is there. */
  writeTo(path: string): void {
    rmSync(path, { recursive: true, force: true });
    const written = new Map<Node, string>();
    const visit = (folder: Folder, place: string) => {
      mkdirSync(place, { recursive: true });
      for (const [name, node] of this.#entries(folder)) {
        const at = join(place, name);
        const before = written.get(node);
        if (node.kind === 'folder') visit(node, at);
        else if (node.kind === 'link') symlinkSync(node.target, at);
        else if (before) linkSync(before, at);
        // A key is for its owner alone, or no run takes it.
        else writeFileSync(at, this.#content(node), { mode: name.includes('.key') ? 0o600 : 0o644 });
        written.set(node, at);
      }
    };
    visit(this.#root, path);
  }

  #entries(folder: Folder): ReadonlyMap<string, Node> {
    return this.#folders.get(folder) ?? folder.entries;
  }

  #content(file: File): Buffer {
    let bytes = this.#bytes.get(file);
    if (!bytes) {
      bytes = (this.#files.get(file) ?? []).reduce((before, change) => change.bytes!(before), file.bytes);
      this.#bytes.set(file, bytes);
    }
    return bytes;
  }
}

/** Where what comes before was lost, there are zeros. */
function overwritten(before: Buffer, at: number, bytes: Buffer): Buffer {
  const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
  before.copy(after);
  bytes.copy(after, at);
  return after;
}
