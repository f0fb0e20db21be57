import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { ifThere, replaceFile } from '../disk/durable.ts';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { sha256 } from '../release/format/manifest.ts';
import {
  LONGEST,
  MANIFEST_PATH,
  PublicManifest,
  parsePublicManifest,
} from '../release/format/public-manifest.ts';
import { mismatchError } from '../verify/findings.ts';
import { CURRENT, openFile } from '../verify/folder-origin.ts';

/** Bytes; a few keys and an address take some hundred. */
const LONGEST_STATE = 1 << 16;
const Keys = PublicManifest.shape.keys;

/** `mirror.json`: what a mirror remembers besides the release that it serves. */
const MirrorState = z.strictObject({
  format: z.literal('cathedral-mirror/1'),
  /** The address of the last update. */
  origin: z.string().max(2000),
  /** The keys that trust began with: given by the operator, or the first ones seen. */
  anchors: z.strictObject({ given: z.boolean(), keys: Keys }),
  /** The keys that are trusted now: the anchors, or keys that they have vouched for since. */
  keys: Keys,
  /** The release whose files, log and snapshots are all here. */
  version: PublicManifest.shape.version,
  /** Of `latest.json` at that address. */
  validator: z.strictObject({ etag: z.string().nullable(), lastModified: z.string().nullable() }),
});
export type MirrorState = z.infer<typeof MirrorState>;

const pathOf = (folder: string) => join(folder, 'mirror.json');

/** Null before the first update has finished. Throws release_invalid. */
export async function readMirrorState(folder: string): Promise<MirrorState | null> {
  const place = pathOf(folder);
  const text = await readText(place, LONGEST_STATE);
  return text === null ? null : parseJsonFile(text, MirrorState, place, 'release_invalid');
}

export async function writeMirrorState(folder: string, state: MirrorState): Promise<void> {
  await replaceFile(pathOf(folder), `${JSON.stringify(MirrorState.parse(state), null, 2)}\n`);
}

/** The keys that may sign the next release; null: nobody has named any, so whoever signs it (trust on first use). */
export function trustedKeys(state: MirrorState | null, given: readonly Verifier[] | null): Verifier[] | null {
  if (!state || hasNewAnchors(state, given)) return given && [...given];
  return state.keys.map(parseVerifierKey);
}

/** Whether the operator gives other keys than before: trust begins anew then, and otherwise includes the keys learned since. */
export function hasNewAnchors(state: MirrorState, given: readonly Verifier[] | null): boolean {
  return given !== null && !isDeepStrictEqual(formatKeys(given), state.anchors.keys.toSorted());
}

/** What to remember of the keys once a release is in place. */
export function rememberedKeys(
  state: MirrorState | null,
  given: readonly Verifier[] | null,
  signers: readonly Verifier[],
): Pick<MirrorState, 'anchors' | 'keys'> {
  const anchors = given ? { given: true, keys: formatKeys(given) } : state?.anchors;
  const keys = signers.map(formatVerifierKey);
  return { anchors: anchors ?? { given: false, keys }, keys };
}

function formatKeys(keys: readonly Verifier[]): string[] {
  return keys.map(formatVerifierKey).sort();
}

/** The release that a mirror, or a publisher, serves. */
export interface LocalRelease {
  manifest: PublicManifest;
  /** Of its `manifest.json`, hex. */
  sha256: string;
  /** The folder of its files. */
  root: string;
}

/** Null before the first. Throws release_invalid if its manifest is damaged. */
export async function readLocalRelease(folder: string): Promise<LocalRelease | null> {
  const root = join(folder, CURRENT);
  const place = join(root, MANIFEST_PATH);
  const text = await readText(place, LONGEST[MANIFEST_PATH]);
  return text === null ? null : { manifest: parsePublicManifest(text, place), sha256: sha256(text), root };
}

/** Null if there is no such file. Throws mirror_mismatch for a file that is longer, or is not a file. */
async function readText(place: string, most: number): Promise<string | null> {
  const opened = await ifThere(openFile(place), null);
  if (!opened) return null;
  await using handle = opened.handle;
  if (opened.size > most) throw mismatchError(place, `at most ${most} bytes`, `${opened.size}`);
  return await handle.readFile('utf8');
}
