import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  formatManifest,
  type Manifest,
  sealManifest,
  sha256,
} from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { KEYS } from '../../pipeline/release/staging/keys.ts';

/** Gives a file of the current release the key that it has in another one, so that the next run takes it over wrongly. */
export async function plantKey(out: string, place: string, from: { dir: string }): Promise<void> {
  const keysOf = async (dir: string) => JSON.parse(await readFile(join(dir, KEYS), 'utf8'));
  const { dir, manifest } = (await readCurrent(out))!;
  const known = await keysOf(dir);
  known.keys[place] = (await keysOf(from.dir)).keys[place];
  const text = `${JSON.stringify(known, null, 1)}\n`;
  const planted = { file: KEYS, bytes: Buffer.byteLength(text), sha256: sha256(text) };
  const unlisted = manifest.unlisted.map((kept) => (kept.file === KEYS ? planted : kept));
  const sealed = sealManifest({ ...bodyOf(manifest), unlisted });
  const target = join(out, 'releases', sealed.release);
  await cp(dir, target, { recursive: true });
  await writeFile(join(target, KEYS), text);
  await writeFile(join(target, 'manifest.json'), formatManifest(sealed));
  await rm(join(out, 'current'));
  await symlink(join('releases', sealed.release), join(out, 'current'));
}

function bodyOf({ format: _, release: __, content: ___, digest: ____, ...body }: Manifest) {
  return body;
}
