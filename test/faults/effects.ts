import { relative, resolve } from 'node:path';

/** What a run does to a disk, one system call each. */
const KINDS = [
  'open',
  'write',
  'truncate',
  'fsync',
  'close',
  'rename',
  'link',
  'symlink',
  'mkdir',
  'chmod',
  'unlink',
  'rmdir',
] as const;
export type Kind = (typeof KINDS)[number];

/** `EROFS` from then on for good, as a kernel does that no longer trusts a disk; the others once. */
const WAYS = ['EIO', 'ENOSPC', 'EROFS', 'SIGKILL'] as const;
export type Way = (typeof WAYS)[number];

export interface Fault {
  /** Which call: the nth, from 0, of this kind from these lines of the program. What runs at once has no other order. */
  kind: Kind;
  site: string;
  nth: number;
  way: Way;
}

export interface Call {
  kind: Kind;
  /** Below the folder that is watched. */
  path: string;
  /** The lines of the program that made it, the innermost first. */
  site: string;
}

/** What was done, in the order in which it was completed. */
export type Done =
  | { op: 'open'; path: string; handle: number; made: boolean; emptied: boolean }
  | { op: 'write'; handle: number; at: number; bytes: Buffer }
  | { op: 'truncate'; handle: number; length: number }
  /** Of what was done before `since` when it began. */
  | { op: 'fsync'; handle: number; since: number }
  | { op: 'mkdir'; path: string }
  | { op: 'symlink'; path: string; target: string }
  | { op: 'link' | 'rename'; path: string; to: string }
  | { op: 'remove'; path: string };

const DEPTH = 5;
const OWN = /\/((?:pipeline|src)\/[\w./-]+\.ts:\d+)/g;

const MESSAGES = {
  EIO: [-5, 'i/o error'],
  ENOSPC: [-28, 'no space left on device'],
  EROFS: [-30, 'read-only file system'],
} as const;

/** Counts a run's calls below a folder, keeps a journal of them, and makes one of them fail, or the last. */
class Effects {
  /** With a fault: those of its kind. */
  readonly calls: Call[] = [];
  readonly done: Done[] = [];
  fault: Fault | null = null;
  /** The calls that failed. */
  readonly failed: Call[] = [];
  #met = 0;
  #folder: string | null = null;
  #handles = 0;

  /** Begins anew; null: nothing is watched. */
  watch(folder: string | null, fault: Fault | null = null): void {
    this.#folder = folder && resolve(folder);
    this.fault = fault;
    this.failed.length = 0;
    this.#met = 0;
    this.calls.length = 0;
    this.done.length = 0;
  }

  watches(path: string): boolean {
    return this.#folder !== null && `${resolve(path)}/`.startsWith(`${this.#folder}/`);
  }

  newHandle(): number {
    this.#handles += 1;
    return this.#handles;
  }

  below(path: string): string {
    return relative(this.#folder!, resolve(path));
  }

  /**
   * To be called before each call: throws where it is to fail. `part` does half of it, which a call may have done by then.
   */
  enter(kind: Kind, path: string, part: () => void = () => {}): void {
    const { fault } = this;
    // To find a site takes longer than the call: where one call is to fail, it is looked for among those of its kind alone.
    if (fault && !this.#mayMeet(kind, fault)) return;
    const call = { kind, path: this.below(path), site: siteOf() };
    this.calls.push(call);
    if (!fault || !this.#meets(call, fault)) return;
    this.failed.push(call);
    if (fault.way !== 'EROFS') part();
    if (fault.way === 'SIGKILL') kill();
    throw errorOf(fault.way, kind, path);
  }

  #mayMeet(kind: Kind, fault: Fault): boolean {
    return this.failed.length > 0 ? fault.way === 'EROFS' : kind === fault.kind;
  }

  #meets({ site }: Call, fault: Fault): boolean {
    if (this.failed.length > 0) return true;
    if (site !== fault.site) return false;
    this.#met += 1;
    return this.#met === fault.nth + 1;
  }

  /** To be called after it. The journal is that of a run without a fault. */
  left(done: Done): void {
    if (!this.fault) this.done.push(done);
  }
}

/** A real one, which no handler sees. */
function kill(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function errorOf(way: Exclude<Way, 'SIGKILL'>, kind: Kind, path: string): NodeJS.ErrnoException {
  const [errno, text] = MESSAGES[way];
  const error = new Error(`${way}: ${text}, ${kind} '${path}'`);
  return Object.assign(error, { errno, code: way, syscall: kind, path });
}

// A recursive rm is deeper than the ten frames that are usual.
Error.stackTraceLimit = 60;

function siteOf(): string {
  const frames = new Error().stack!.matchAll(OWN);
  return [...frames]
    .slice(0, DEPTH)
    .map(([, frame]) => frame)
    .join(' < ');
}

/** The one of this process. */
export const effects = new Effects();
