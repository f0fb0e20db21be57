import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseResume, type Resume } from '../../../pipeline/build/resume.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import type { ServedRelease } from '../files/releases.ts';

/** The state of a release, read anew: whoever gets it may change it. Throws `release_invalid`. */
export async function releaseResume({
  dir,
  manifest,
}: Pick<ServedRelease, 'dir' | 'manifest'>): Promise<Resume> {
  const place = join(dir, 'state.json');
  const bytes = await readFile(place).catch((cause: NodeJS.ErrnoException) => {
    throw invalid(place, 'a readable file', cause.code ?? cause.message, cause);
  });
  const listed = manifest.unlisted.find(({ file }) => file === 'state.json');
  const found = sha256(bytes);
  if (found !== listed?.sha256) throw invalid(place, `SHA-256 ${listed?.sha256}`, found);
  return parseResume(JSON.parse(bytes.toString()));
}

function invalid(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found, cause });
}
