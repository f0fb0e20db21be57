import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError, errorOf } from '../../errors.ts';
import { readJson } from '../../ledger/events/json.ts';
import { type Manifest, parseManifest, releaseFolder, sha256, type storedAt } from './manifest.ts';

const invalid = errorOf('release_invalid');

export interface Published {
  /** `OUT/releases/<id>`, which a later swap of `OUT/current` does not change. */
  dir: string;
  /** Path of a file below `dir`. The default is that of a release; a snapshot, from which a restore resumes, has no public/. */
  at?: typeof storedAt;
  manifest: Manifest;
  /** Content of `state.json`, which the model parses. Null for a rebuild, which does not read it. */
  state: unknown;
}

/** Folder name of the current release; null before the first. */
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
 * The current release, null before the first. Verifies its manifest and state against their digests and reads no other file.
 * Throws release_invalid.
 */
export async function readCurrent(out: string): Promise<Published | null> {
  const id = await currentId(out);
  return id === null ? null : readRelease(join(out, 'releases', id), id);
}

/**
 * For a rebuild, which resumes from no state but must know the immutable files: the manifest of the current release or, if that
 * is damaged, of another release that still exists; null if there is none.
 */
export async function recoverFinalFiles(out: string): Promise<Published | null> {
  const served = await currentId(out).catch(nullIfInvalid);
  const others = await readdir(join(out, 'releases')).catch(() => []);
  const ids = new Set([...(served === null ? [] : [served]), ...others.sort().reverse()]);
  for (const id of ids) {
    const dir = join(out, 'releases', id);
    const manifest = await readManifest(dir, id).catch(nullIfInvalid);
    if (manifest) return { dir, manifest, state: null };
  }
  return null;
}

function nullIfInvalid(error: unknown): null {
  if (error instanceof CathedralError && error.code === 'release_invalid') return null;
  throw error;
}

async function readManifest(dir: string, id: string): Promise<Manifest> {
  const place = join(dir, 'manifest.json');
  const manifest = parseManifest(await readText(place), place);
  const name = releaseFolder(manifest);
  if (name !== id) throw invalid(place, `release ${id}`, name);
  return manifest;
}

async function readRelease(dir: string, id: string): Promise<Published> {
  const manifest = await readManifest(dir, id);
  const place = join(dir, 'state.json');
  const text = await readText(place);
  const listed = manifest.unlisted.find(({ file }) => file === 'state.json');
  if (sha256(text) !== listed?.sha256) throw invalid(place, `SHA-256 ${listed?.sha256}`, sha256(text));
  return { dir, manifest, state: readJson(text) };
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (cause) {
    throw invalid(path, 'a readable UTF-8 file', (cause as Error).message, cause);
  }
}
