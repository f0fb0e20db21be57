import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { replaceFile } from '../release/disk/durable.ts';
import { PublicManifest } from '../release/format/public-manifest.ts';
import { readText } from './origin/read-local.ts';

/** In bytes; a few keys and an address have some hundred. */
const LONGEST_STATE = 1 << 16;

const Keys = PublicManifest.shape.keys;

/** What a mirror remembers beside the release that it serves, in `mirror.json`. */
const MirrorState = z.strictObject({
  format: z.literal('cathedral-mirror/1'),
  /** The address that it was last brought from. */
  origin: z.string().max(2000),
  /** The keys that it was begun with: given by somebody, or the first that were seen. */
  anchors: z.strictObject({ given: z.boolean(), keys: Keys }),
  /** The keys that are trusted now: those, or what they have vouched for since. */
  keys: Keys,
  /** Of the release that all of is here, log and snapshots included. */
  version: PublicManifest.shape.version,
  /** Of `latest.json` at that address. */
  validator: z.strictObject({ etag: z.string().nullable(), lastModified: z.string().nullable() }),
});
export type MirrorState = z.infer<typeof MirrorState>;

const pathOf = (folder: string) => join(folder, 'mirror.json');

/** Null before the first run has ended. Throws release_invalid. */
export async function readMirrorState(folder: string): Promise<MirrorState | null> {
  const place = pathOf(folder);
  const text = await readText(place, LONGEST_STATE);
  return text === null ? null : parseJsonFile(text, MirrorState, place, 'release_invalid');
}

export async function writeMirrorState(folder: string, state: MirrorState): Promise<void> {
  await replaceFile(pathOf(folder), `${JSON.stringify(MirrorState.parse(state), null, 2)}\n`);
}
