import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { swapCurrent } from '../../pipeline/release/disk/swap-current.ts';
import {
  formatManifest,
  type Manifest,
  releaseFolder,
  sealWithText,
  sha256,
} from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  formatSnapshot,
  formatSnapshotIndex,
  LIST_PATH,
  parseSnapshot,
  parseSnapshotIndex,
} from '../../pipeline/release/format/snapshot-index.ts';
import { smallReleases } from './pushed-releases.ts';

/** A folder of a publisher, and what it is about to push. */
export interface Local {
  out: string;
  release: { dir: string; manifest: Manifest };
}

/** Those of smallReleases, with so few files that a push takes about 25 calls. */
export async function tinyReleases(folder: string): Promise<[Local, Local, Local]> {
  const { outs } = await smallReleases();
  const made = outs.map(async (out, at) => {
    const copy = join(folder, `tiny-${at + 1}`);
    await cp(out, copy, { recursive: true, verbatimSymlinks: true });
    return tiny(copy);
  });
  return (await Promise.all(made)) as [Local, Local, Local];
}

async function tiny(out: string): Promise<Local> {
  const { dir, manifest } = (await readCurrent(out))!;
  const { format: _, release: __, content: ___, digest: ____, ...body } = manifest;
  const isKept = (path: string) => /^(economy\/supply|publisher\.vkey|manifest\.json)$/.test(path);
  const [[path, parts]] = Object.entries(body.segments) as [[string, Manifest['segments'][string]]];
  const files = body.files.filter((file) => isKept(file.path));
  const segments = { [path]: parts.slice(0, 1) };
  await shortenSnapshots(out);
  const { manifest: sealed } = sealWithText({ ...body, files, segments });
  const folder = join(out, 'releases', releaseFolder(sealed));
  await rename(dir, folder);
  await writeFile(join(folder, 'manifest.json'), formatManifest(sealed));
  await swapCurrent(out, releaseFolder(sealed), null);
  return { out, release: { dir: folder, manifest: sealed } };
}

/** Leaves one file in each snapshot. */
async function shortenSnapshots(out: string): Promise<void> {
  const list = parseSnapshotIndex(await readFile(join(out, LIST_PATH), 'utf8'));
  const entries: typeof list = [];
  for (const entry of list) {
    const place = join(out, entry.index.path);
    const { files, ...snapshot } = parseSnapshot(await readFile(place, 'utf8'), place);
    const text = formatSnapshot({
      ...snapshot,
      files: files.filter((file) => file.path === 'economy/supply'),
    });
    await writeFile(place, text);
    const index = { ...entry.index, sha256: sha256(text), bytes: Buffer.byteLength(text) };
    entries.push({ ...entry, index });
  }
  await writeFile(join(out, LIST_PATH), formatSnapshotIndex(entries));
}
