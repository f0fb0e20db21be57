import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Verifier } from '../ledger/note.ts';
import { asDiskErrors, exists, sync } from '../release/disk/durable.ts';
import { withLock } from '../release/disk/lock.ts';
import { LATEST_PATH, type PublicManifest } from '../release/format/public-manifest.ts';
import { LIST_SIGNATURE_PATH } from '../release/format/snapshot-index.ts';
import { type MirrorState, readMirrorState, writeMirrorState } from '../verify/mirror-state.ts';
import { restoreCurrent } from '../verify/origin/generation.ts';
import { type Held, readHeld } from '../verify/origin/held.ts';
import { type Looking, lookingAgain } from '../verify/origin/looking-again.ts';
import type { Validator } from '../verify/origin/origin.ts';
import { assertFresh, assertNoRollback } from '../verify/rules.ts';
import { readLatest, readSigned } from '../verify/signed-release.ts';
import { hasNewAnchors, rememberedKeys, trustedKeys } from '../verify/trust.ts';
import { type BringOptions, type Brought, bringRelease, stagingOf } from './bring-release.ts';
import { refreshNotes } from './refresh-notes.ts';

export interface MirrorOptions extends BringOptions, Looking {
  /** The origin's address, for what is remembered of it. */
  address: string;
  /** Who may have signed; null: those who are remembered, or at first whoever did. */
  keys: readonly Verifier[] | null;
  acceptExpired: boolean;
  /** How long to wait for another run on this folder, ms. */
  waitMs: number;
  /** ms since 1970. */
  now: () => number;
}

export interface Mirrored extends Brought {
  outcome: 'mirrored' | 'unchanged';
  manifest: PublicManifest;
  /** Who signed, where that was looked at. */
  signedBy: Verifier | null;
  /** Nobody had said which key to trust. */
  firstUse: boolean;
}

/**
 * Brings a folder to the newest release of an origin, or leaves it as it is and throws the reason: mirror_unreachable,
 * mirror_untrusted, mirror_rollback, mirror_forked, mirror_expired, mirror_mismatch, mirror_invalid, publish_failed or locked.
 */
export async function mirror(options: MirrorOptions): Promise<Mirrored> {
  const { folder, waitMs } = options;
  return withLock(folder, { waitMs, holder: `mirror, process ${process.pid}` }, async () => {
    await restoreCurrent(folder);
    return lookingAgain(options, () => bring(options));
  });
}

async function bring(options: MirrorOptions): Promise<Mirrored> {
  const { origin, address, folder, keys, recheck, acceptExpired, now } = options;
  const held = await readHeld(folder);
  const state = await readMirrorState(folder);
  // Mirrors that were made when lists of snapshots had no signature look at all of a release once more.
  const isListed = await exists(join(folder, LIST_SIGNATURE_PATH));
  // Not so after a run that was killed while it put the last pieces in their places.
  const isWhole = held !== null && state?.version === held.manifest.version && !recheck && isListed;
  const isSettled = isWhole && !hasNewAnchors(state, keys);
  const announced = await readLatest(origin, isSettled ? validatorFor(state, address) : undefined);
  const place = origin.placeOf(LATEST_PATH);
  if (announced === 'unchanged' || (isSettled && announced.latest.manifest.sha256 === held.sha256)) {
    if (!acceptExpired) assertFresh(held!.manifest, now(), place);
    await refreshNotes(origin, folder, held!);
    return unchanged(held!);
  }
  if (held) assertNoRollback(held, announced.latest, place);
  const trusted = trustedKeys(state, keys);
  const release = await readSigned(origin, announced, trusted);
  if (!acceptExpired) assertFresh(release.manifest, now(), place);
  const brought = await bringRelease(release, { held, isWhole }, options);
  await asDiskErrors(folder, async () => {
    await rm(stagingOf(folder), { recursive: true, force: true });
    await sync(folder);
  });
  // The last of all: until then the next run looks at everything again.
  await writeMirrorState(folder, {
    format: 'cathedral-mirror/1',
    origin: address,
    ...rememberedKeys(state, keys, release),
    version: release.manifest.version,
    validator: announced.validator,
  });
  const { manifest, signedBy } = release;
  return { outcome: 'mirrored', manifest, signedBy, firstUse: trusted === null, ...brought };
}

function unchanged({ manifest }: Held): Mirrored {
  const nothing = { files: { files: 0, bytes: 0 }, tiles: 0, snapshots: 0, unvouched: 0 };
  return { outcome: 'unchanged', manifest, signedBy: null, firstUse: false, ...nothing };
}

/** Of another address the same tag may stand for other bytes. */
function validatorFor(state: MirrorState, address: string): Validator | undefined {
  return state.origin === address ? state.validator : undefined;
}
