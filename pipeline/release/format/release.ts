import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { type Manifest, parseManifest, releaseFolder, sha256, type storedAt } from './manifest.ts';

export interface Published {
  /** `OUT/releases/<id>`, so a later swap of `OUT/current` does not move it. */
  dir: string;
  /** Where a file is below `dir`; by default as in a release. A snapshot, which a restore goes on from, has no public/. */
  at?: typeof storedAt;
  manifest: Manifest;
  /** What `state.json` holds; the model parses it. Null for a rebuild, which does not read it. */
  state: unknown;
}

/** The name of the folder of the release that is served; null before the first. */
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
 * For a rebuild, which goes on from no state: what tells of the files that never change. That is the manifest of the
 * release that is served, or, where this is damaged, of another one that is still there; null where there is none.
 */
export async function recoverFinalFiles(out: string): Promise<Published | null> {
  const served = await currentId(out).catch(ifInvalid(null));
  const others = await readdir(join(out, 'releases')).catch(() => []);
  const ids = new Set([...(served === null ? [] : [served]), ...others.sort().reverse()]);
  for (const id of ids) {
    const dir = join(out, 'releases', id);
    const manifest = await readManifest(dir, id).catch(ifInvalid(null));
    if (manifest) return { dir, manifest, state: null };
  }
  return null;
}

function ifInvalid<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof CathedralError && error.code === 'release_invalid') return instead;
    throw error;
  };
}

async function readManifest(dir: string, id: string): Promise<Manifest> {
  const place = join(dir, 'manifest.json');
  const manifest = parseManifest(await readText(place), place);
  // Without a version in its name: made before releases were signed again.
  if (![manifest.release, releaseFolder(manifest)].includes(id))
    throw invalid(place, `release ${id}`, releaseFolder(manifest));
  return manifest;
}

async function readRelease(dir: string, id: string): Promise<Published> {
  const manifest = await readManifest(dir, id);
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
