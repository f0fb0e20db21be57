import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { type Manifest, parseManifest, sha256 } from './manifest.ts';

export interface Published {
  /** `OUT/releases/<id>`, so a later swap of `OUT/current` does not move it. */
  dir: string;
  manifest: Manifest;
  /** What `state.json` holds; the model parses it. */
  state: unknown;
}

/** Id of the release that is served; null before the first. */
export async function currentId(out: string): Promise<string | null> {
  const link = join(out, 'current');
  const target = await readlink(link).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw invalid(link, 'a link to releases/<id>', error.message);
  });
  if (target === null) return null;
  const [, id] = /^releases\/([\w-]+)$/.exec(target) ?? [];
  if (id === undefined) throw invalid(link, 'a link to releases/<id>', target);
  return id;
}

/**
 * The release that is served, null before the first. Its manifest and state are checked against their
 * digests, the other files are not read. Throws release_invalid.
 */
export async function readCurrent(out: string): Promise<Published | null> {
  const id = await currentId(out);
  return id === null ? null : readRelease(join(out, 'releases', id), id);
}

/**
 * For a rebuild: the same, but a release that is damaged counts as none, since a rebuild is what mends it.
 */
export async function salvageCurrent(out: string): Promise<Published | null> {
  try {
    return await readCurrent(out);
  } catch (error) {
    if (error instanceof CathedralError && error.code === 'release_invalid') return null;
    throw error;
  }
}

async function readRelease(dir: string, id: string): Promise<Published> {
  const manifest = parseManifest(await readText(join(dir, 'manifest.json')), join(dir, 'manifest.json'));
  if (manifest.release !== id) throw invalid(join(dir, 'manifest.json'), `release ${id}`, manifest.release);
  const place = join(dir, 'state.json');
  const text = await readText(place);
  const listed = manifest.unlisted.find(({ file }) => file === 'state.json');
  if (sha256(text) !== listed?.sha256) throw invalid(place, `SHA-256 ${listed?.sha256}`, sha256(text));
  return { dir, manifest, state: JSON.parse(text) as unknown };
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (cause) {
    throw invalid(path, 'a readable file of UTF-8', (cause as Error).message, cause);
  }
}

function invalid(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found, cause });
}
