import { join } from 'node:path';
import { sha256 } from '../../release/format/manifest.ts';
import {
  LONGEST,
  MANIFEST_PATH,
  type PublicManifest,
  parsePublicManifest,
} from '../../release/format/public-manifest.ts';
import { CURRENT } from './folder-origin.ts';
import { readText } from './read-local.ts';

/** The release that a mirror serves. */
export interface Held {
  manifest: PublicManifest;
  /** Of its `manifest.json`, hex. */
  sha256: string;
  /** Its files are below it. */
  root: string;
}

/** Null before the first. Throws release_invalid where its manifest is damaged. */
export async function readHeld(folder: string): Promise<Held | null> {
  const root = join(folder, CURRENT);
  const place = join(root, MANIFEST_PATH);
  const text = await readText(place, LONGEST[MANIFEST_PATH]);
  return text === null ? null : { manifest: parsePublicManifest(text, place), sha256: sha256(text), root };
}
