import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CathedralError } from '../errors.ts';

interface Owner {
  /** The path itself, or the nearest folder above it that exists. */
  path: string;
  uid: number;
  gid: number;
}

export function ownerOf(path: string): Owner {
  const at = resolve(path);
  try {
    const { uid, gid } = statSync(at);
    return { path: at, uid, gid };
  } catch {
    // It does not exist, or this user may not see it.
    return ownerOf(dirname(at));
  }
}

/** `cathedral`; `#1001`, which sudo takes as well, for a user whom /etc/passwd does not name. */
export function nameOfUser(uid: number): string {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const known = lines.map((line) => line.split(':')).find(([, , id]) => id === String(uid));
  return known?.[0] ?? `#${uid}`;
}

/**
 * Root may write everywhere, but what it makes in the folder of another user is its own, and that user's next run fails. Throws wrong_user.
 */
export function assertOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = ownerOf(path);
  if (owner.uid === 0) return;
  const user = nameOfUser(owner.uid);
  throw new CathedralError('wrong_user', {
    place: owner.path,
    expected: `${user}, to whom it belongs (sudo -u '${user}' cathedral …, with the same settings)`,
    found: 'root',
  });
}
