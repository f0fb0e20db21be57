import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, sync } from '../disk/durable.ts';
import { withLock } from '../disk/lock.ts';
import { assertOwner } from '../disk/owner.ts';
import { CathedralError } from '../errors.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import type { Witnessing } from '../ledger/notes/witness-quorum.ts';
import { LATEST_PATH, MANIFEST_PATH, type PublicManifest } from '../release/format/public-manifest.ts';
import { LIST_PATH } from '../release/format/snapshot-index.ts';
import { type Retries, retryWhileInconsistent } from '../verify/findings.ts';
import { CURRENT } from '../verify/folder-origin.ts';
import { LOG, type Validator } from '../verify/origin.ts';
import {
  type Announced,
  assertFresh,
  assertNoRollback,
  readLatest,
  readSigned,
  rollbackError,
  type SignedRelease,
} from '../verify/signed-release.ts';
import { type Verification, verify } from '../verify/verify.ts';
import { makeWayAbove } from './blobs.ts';
import { type Fetched, Keeper, type KeeperOptions, type LocalCopy, stagingOf } from './keep.ts';
import {
  hasNewAnchors,
  type LocalRelease,
  type MirrorState,
  readLocalRelease,
  readMirrorState,
  rememberedKeys,
  trustedKeys,
  writeMirrorState,
} from './mirror-state.ts';
import { restoreCurrent } from './place-release.ts';
import { refreshNotes } from './refresh-notes.ts';

export interface MirrorOptions extends KeeperOptions, Retries {
  /** The origin's address, to be remembered. */
  address: string;
  /** Keys that may have signed; null: the remembered ones, or on first use whoever signed. */
  keys: readonly Verifier[] | null;
  /** Keys that may have signed the ledger's checkpoint; null: that signature is not verified. */
  ledgerKeys: readonly Verifier[] | null;
  acceptExpired: boolean;
  /** How long to wait for another update of this folder, ms. */
  waitMs: number;
  /** ms since 1970. */
  now: () => number;
}

export interface Mirrored extends Fetched {
  outcome: 'mirrored' | 'unchanged';
  manifest: PublicManifest;
  /** Who signed; null if the release is unchanged. */
  signedBy: Verifier | null;
  /** Nobody had named a key to trust. */
  firstUse: boolean;
  /** The witnesses of the policy; null: none was given. */
  witnessing: Witnessing | null;
}

/**
 * Updates a folder to the current release of an origin: runs `verify` and keeps what passes. On failure the folder keeps serving
 * its release. Throws mirror_unreachable, mirror_stopped, mirror_untrusted, mirror_rollback, mirror_forked, mirror_expired,
 * mirror_mismatch, mirror_invalid, witness_quorum, witness_signature, publish_failed, locked and wrong_user.
 */
export async function mirror(options: MirrorOptions): Promise<Mirrored> {
  const { folder, waitMs } = options;
  // Before anything is fetched.
  assertOwner(folder);
  // Taking the lock makes a folder, which a refused first update would leave.
  if (!(await exists(folder))) await retryWhileInconsistent(options, () => readAcceptable(options));
  return withLock(folder, { waitMs, holder: `mirror, process ${process.pid}` }, async () => {
    await restoreCurrent(folder);
    return retryWhileInconsistent(options, () => update(options));
  });
}

/** What is read of a mirror before it is known what belongs there, and where files wait. */
const FIRST_READ = [
  join(CURRENT, MANIFEST_PATH),
  join(LOG, POLICY_PATH),
  LIST_PATH,
  'releases/folder',
  'staging/file',
];

/** What can be refused before anything is kept. */
async function readAcceptable({ origin, keys, acceptExpired, now }: MirrorOptions): Promise<void> {
  const { manifest } = await readSigned(origin, await readLatest(origin), keys);
  if (!acceptExpired) assertFresh(manifest, now(), origin.placeOf(LATEST_PATH));
}

async function update(options: MirrorOptions): Promise<Mirrored> {
  const { origin, address, folder, keys, recheck, acceptExpired, now } = options;
  if (recheck) await makeWayAbove(folder, FIRST_READ);
  const local = await readLocalRelease(folder).catch((error) => {
    if (recheck && error instanceof CathedralError) return null;
    throw error;
  });
  const state = await readMirrorState(folder);
  // An update that was killed while it placed the last files does not count as whole.
  const isWhole = local !== null && state?.version === local.manifest.version && !recheck;
  const isSettled = isWhole && !hasNewAnchors(state, keys);
  const announced = await readLatest(origin, isSettled ? validatorFor(state, address) : undefined);
  const place = origin.placeOf(LATEST_PATH);
  if (announced === 'unchanged' || (isSettled && announced.latest.manifest.sha256 === local.sha256)) {
    if (!acceptExpired) assertFresh(local!.manifest, now(), place);
    return unchanged(local!, await refreshNotes(options, local!));
  }
  // Found before anything else is fetched.
  const { version } = announced.latest;
  if (local) assertNoRollback(acceptedOf(local), announced.latest, place);
  else if (state && version < state.version)
    throw rollbackError(place, `version ${state.version} or later`, `version ${version}`);
  const trusted = trustedKeys(state, keys);
  const { release, witnessing, fetched } = await verifyAndKeep(
    announced,
    trusted,
    { release: local, isWhole },
    options,
  );
  await asDiskErrors(folder, async () => {
    await rm(stagingOf(folder), { recursive: true, force: true });
    await sync(folder);
  });
  const { manifest, signedBy } = release;
  // Written last: until then the next update verifies everything again.
  await writeMirrorState(folder, {
    format: 'cathedral-mirror/1',
    origin: address,
    ...rememberedKeys(state, keys, release.keys),
    version: manifest.version,
    validator: announced.validator,
  });
  return { outcome: 'mirrored', manifest, signedBy, firstUse: trusted === null, witnessing, ...fetched };
}

async function verifyAndKeep(
  announced: Announced,
  keys: readonly Verifier[] | null,
  local: Omit<LocalCopy, 'hasDamagedTiles'>,
  options: MirrorOptions,
  hasDamagedTiles = false,
): Promise<Pick<Verification, 'witnessing'> & { release: SignedRelease; fetched: Fetched }> {
  const { origin, ledgerKeys, policy } = options;
  const keeper = await Keeper.open(options, { ...local, hasDamagedTiles });
  const earlier = local.release && acceptedOf(local.release);
  const log = local.release?.manifest.log;
  const checkpoint = log ? { place: origin.placeOf(LOG), log } : null;
  const trust = { keys, ledgerKeys, earlier, checkpoint, policy };
  const { wait, now, parallel, acceptExpired } = options;
  const kept = { announced, isStrict: true, keep: keeper, choose: keeper.choice };
  try {
    const given = { wait, now, parallel, acceptExpired, log: options.log };
    const { release, witnessing } = await verify(keeper.origin, trust, { ...given, ...kept });
    return { release: release!, witnessing, fetched: await keeper.finish() };
  } catch (error) {
    // A tile on this disk may be the one that is wrong.
    if (keeper.origin.tiles.reused === 0 || !isLogInvalid(error))
      throw withFormerRelease(error, local.release);
    return verifyAndKeep(announced, keys, local, options, true);
  }
}

/** Says what the mirror does while witnesses are being asked, which happens after publication. */
function withFormerRelease(error: unknown, release: LocalRelease | null): unknown {
  if (!release || !(error instanceof CathedralError && error.code === 'witness_quorum')) return error;
  const { version, release: name } = release.manifest;
  const expected = `${error.expected} (until then the mirror keeps version ${version}, ${name})`;
  return new CathedralError(error.code, { ...error, expected, cause: error });
}

function isLogInvalid(error: unknown): boolean {
  if (!(error instanceof CathedralError)) return false;
  return error.code === 'log_invalid' || isLogInvalid(error.cause);
}

function acceptedOf({ manifest: { version, log }, sha256 }: LocalRelease) {
  return { version, log, sha256 };
}

function unchanged({ manifest }: LocalRelease, witnessing: Witnessing | null): Mirrored {
  const nothing = { files: { files: 0, bytes: 0 }, tiles: 0, snapshots: 0, unvouched: 0 };
  return { outcome: 'unchanged', manifest, signedBy: null, firstUse: false, witnessing, ...nothing };
}

/** At another address the same tag may stand for other bytes. */
function validatorFor(state: MirrorState, address: string): Validator | undefined {
  return state.origin === address ? state.validator : undefined;
}
