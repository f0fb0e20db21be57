import { CathedralError } from '../errors.ts';
import type { Staging } from '../release/staging/staging.ts';

/** Keeps a file of the previous release as it is. Throws release_invalid where it is missing or damaged. */
export async function linkFile(staging: Staging, path: string): Promise<void> {
  const before = staging.before(path);
  if (!before) {
    const expected = 'a file of the previous release';
    throw new CathedralError('release_invalid', { place: path, expected, found: 'none' });
  }
  if (!(await staging.link(before))) throw await staging.damage(before);
  const { modified: _, ...file } = before;
  staging.claim(path);
  staging.record(file);
}
