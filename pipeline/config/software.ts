import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { orNull } from '../errors.ts';
import { PROJECT } from './project.ts';

const { name, version } = createRequire(import.meta.url)(join(PROJECT, 'package.json')) as {
  name: string;
  version: string;
};

/** A commit, as hexadecimal digits. */
export interface Commit {
  hash: string;
  /** Whether files differ from those of the commit. */
  modified: boolean;
}

/** A commit hash. */
const HEX = /^[0-9a-f]{40,64}$/;
/** Long enough to tell commits apart. */
const SHORT = 12;
/** After the hash, where files differ from the commit's. */
const MODIFIED = 'modified';

/** The file in which `npm pack` notes the commit that a package is made of. */
export const COMMIT_OF_PACKAGE = '.packed-commit';

export function formatCommit(commit: Commit | null): string {
  return commit === null ? '' : `${commit.hash}${commit.modified ? ` ${MODIFIED}` : ''}\n`;
}

function parseCommit(text: string): Commit | null {
  const [hash = '', state] = text.trim().split(' ');
  return HEX.test(hash) ? { hash, modified: state === MODIFIED } : null;
}

/**
 * The commit of a checkout or worktree in `folder`, read from `.git` without running git; that of an unpacked package, from what
 * `npm pack` noted; that of an archive made by git, from its file `COMMIT`. Null if none names one. Only git can tell whether files are
 * modified: without it, they count as unmodified.
 */
export function commitOf(folder: string): Commit | null {
  const [, pointed] = /^gitdir: (.+)\n$/.exec(readText(join(folder, '.git')) ?? '') ?? [];
  const own = pointed === undefined ? join(folder, '.git') : resolve(folder, pointed);
  const head = readText(join(own, 'HEAD'))?.trim();
  if (head === undefined)
    return parseCommit(readText(join(folder, COMMIT_OF_PACKAGE)) ?? readText(join(folder, 'COMMIT')) ?? '');
  const shared = resolve(own, readText(join(own, 'commondir'))?.trim() ?? '.');
  const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
  const commit = parseCommit(branch === undefined ? head : (commitOfBranch(shared, branch) ?? ''));
  return commit && { ...commit, modified: isModified(folder) };
}

function commitOfBranch(git: string, branch: string): string | undefined {
  const loose = readText(join(git, branch))?.trim();
  if (loose !== undefined) return loose;
  const packed = readText(join(git, 'packed-refs'))?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0];
}

/** Whether git reports changes to its files. It writes nothing and takes no lock, so it does not disturb a git that is running. */
function isModified(folder: string): boolean {
  const status = ['--no-optional-locks', '-C', folder, 'status', '--porcelain', '--untracked-files=no'];
  const { status: exit, stdout } = spawnSync('git', status, { encoding: 'utf8' });
  return exit === 0 && stdout !== '';
}

function readText(file: string): string | null {
  return orNull(() => readFileSync(file, 'utf8'));
}

export const VERSION = version;

let known: string | undefined;

/** `1.0.0+1f2e3d4c5b6a`, or `1.0.0+1f2e3d4c5b6a.modified` if files differ from the commit's; `1.0.0` if no commit is known. */
export function versionAndCommit(): string {
  known ??= withCommit(commitOf(PROJECT));
  return known;
}

export function withCommit(commit: Commit | null): string {
  if (commit === null) return version;
  return `${version}+${commit.hash.slice(0, SHORT)}${commit.modified ? `.${MODIFIED}` : ''}`;
}

/** `cathedral-data-service 1.0.0+1f2e3d4c5b6a`: identifies the software that made a release. */
export function software(): string {
  return `${name} ${versionAndCommit()}`;
}

/** For the metrics. */
export function buildInfo(): { version: string; commit: string | null } {
  return { version, commit: versionAndCommit().split('+')[1] ?? null };
}
