import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { PROJECT } from '../../pipeline/config/config.ts';

const { name, version } = createRequire(import.meta.url)('../../package.json') as {
  name: string;
  version: string;
};

/** A commit hash. */
const HEX = /^[0-9a-f]{40,64}$/;
/** Long enough to tell commits apart. */
const SHORT = 12;

/**
 * The commit of a checkout or worktree in `folder`, as hexadecimal digits, read from `.git` without running git; in an archive made by
 * git, the commit in the file `COMMIT`. Null if neither names one.
 */
export function commitOf(folder: string): string | null {
  const [, pointed] = /^gitdir: (.+)\n$/.exec(readText(join(folder, '.git')) ?? '') ?? [];
  const own = pointed === undefined ? join(folder, '.git') : resolve(folder, pointed);
  const shared = resolve(own, readText(join(own, 'commondir'))?.trim() ?? '.');
  const head = readText(join(own, 'HEAD'))?.trim() ?? readText(join(folder, 'COMMIT'))?.trim() ?? '';
  const [, branch] = /^ref: (.+)$/.exec(head) ?? [];
  const commit = branch === undefined ? head : commitOfBranch(shared, branch);
  return commit !== null && HEX.test(commit) ? commit : null;
}

function commitOfBranch(git: string, branch: string): string | null {
  const loose = readText(join(git, branch))?.trim();
  if (loose !== undefined) return loose;
  const packed = readText(join(git, 'packed-refs'))?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0] ?? null;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const commit = commitOf(PROJECT);
export const VERSION = version;
/** `cathedral-data-service 0.1.0+1f2e3d4c5b6a`: identifies the software that made a release. */
export const SOFTWARE = `${name} ${version}${commit === null ? '' : `+${commit.slice(0, SHORT)}`}`;
