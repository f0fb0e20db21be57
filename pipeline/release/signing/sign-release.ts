import { realpath } from 'node:fs/promises';
import { withLock } from '../../disk/lock.ts';
import { CathedralError } from '../../errors.ts';
import { removeUnsettledKeys } from '../../ledger/note-keys.ts';
import type { Manifest } from '../format/manifest.ts';
import { type Proof, proofOf, type Signing } from '../format/proof-files.ts';
import { expiryOf, MANIFEST_PATH, needsRefresh } from '../format/public-manifest.ts';
import { currentId, type Published } from '../format/release.ts';
import {
  assertExtendsLast,
  type Ledgered,
  readSigningRecord,
  type Signed,
  signingFolder,
  signingRecordPath,
  writeSigningRecord,
} from './signing-record.ts';

export interface SigningPlace {
  keyFile: string;
  /** The output folder. */
  out: string;
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  previous: Published | null;
  /** How long to wait for another run that is signing with the same keys, ms. */
  waitMs: number;
  /** ms since 1970 */
  now: () => number;
}

/**
 * Signs a release under a version that no other bytes ever had. The record is written before anyone can read the release, so after a
 * kill the next run signs the same bytes again or uses the next version. Throws release_refused if the release contradicts one
 * that these keys signed for this address, or if another folder publishes under it.
 */
export async function signRelease(
  release: Manifest,
  signing: Omit<Signing, 'version' | 'expires'>,
  place: SigningPlace,
): Promise<Proof> {
  const { keyFile, baseUrl, previous, waitMs } = place;
  const holder = `signing, process ${process.pid}`;
  return withLock(signingFolder(keyFile), { waitMs, holder }, async () => {
    await removeUnsettledKeys(keyFile);
    const out = await realpath(place.out);
    const record = await readSigningRecord(keyFile);
    const recorded = record.services[baseUrl];
    if (recorded) await assertOneFolder(recorded, out, { keyFile, baseUrl });
    const last = newer(recorded, previous && signedBefore(previous, out));
    if (last) assertFollows(last, release, keyFile);
    const dated = { ...signing, expires: expiryOf(release.timestamp, place.now()) };
    const proof = sameAgain(release, dated, last) ?? nextProof(release, dated, last);
    const { timestamp, ledger } = release;
    const { origin, size, root } = ledger;
    const signed: Signed = {
      out,
      version: proof.version,
      release: release.release,
      sha256: proof.sha256,
      as_of: timestamp,
      ledger: { origin, size, root },
      snapshots: recorded?.snapshots ?? {},
      lost: recorded?.lost ?? {},
    };
    await writeSigningRecord(keyFile, { ...record, services: { ...record.services, [baseUrl]: signed } });
    return proof;
  });
}

/**
 * Whether the current release is the last one signed for its address and stays valid long enough. False after several slots without
 * news, after a later release was signed and lost, and after the record was lost.
 */
export async function isStillCurrent(
  served: Published,
  { keyFile, baseUrl, now }: Pick<SigningPlace, 'keyFile' | 'baseUrl' | 'now'>,
): Promise<boolean> {
  const recorded = (await readSigningRecord(keyFile)).services[baseUrl];
  const { signed, timestamp } = served.manifest;
  const expires = signed?.expires ?? expiryOf(timestamp, 0);
  return recorded?.sha256 === signedHash(served.manifest) && !needsRefresh(expires, now());
}

/** A release as it or its record describes it. */
type Statement = Omit<Signed, 'snapshots' | 'lost'>;

/** Versions follow the time of the data, so they increase even if all records are lost. */
function nextProof(release: Manifest, signing: Omit<Signing, 'version'>, last: Statement | null): Proof {
  const seconds = Math.max(1, Math.floor(Date.parse(release.timestamp) / 1000));
  return proofOf(release, { ...signing, version: Math.max(seconds, (last?.version ?? 0) + 1) });
}

/** A release that was already signed keeps its version if its bytes are the same. */
function sameAgain(
  release: Manifest,
  signing: Omit<Signing, 'version'>,
  last: Statement | null,
): Proof | null {
  if (last?.release !== release.release) return null;
  const proof = proofOf(release, { ...signing, version: last.version });
  return proof.sha256 === last.sha256 ? proof : null;
}

/** The previous release as it describes itself. The record may be lost or older. */
function signedBefore({ manifest }: Published, out: string): Statement | null {
  const { signed, release, timestamp, ledger } = manifest;
  const sha256 = signedHash(manifest);
  if (!signed || !sha256) return null;
  const { origin, size, root } = ledger;
  return {
    out,
    version: signed.version,
    release,
    sha256,
    as_of: timestamp,
    ledger: { origin, size, root },
  };
}

function signedHash({ files }: Manifest): string | undefined {
  return files.find(({ path, kind }) => kind === 'proof' && path === MANIFEST_PATH)?.sha256;
}

function newer(a: Statement | null | undefined, b: Statement | null | undefined): Statement | null {
  if (!a || !b) return a ?? b ?? null;
  return b.version > a.version ? b : a;
}

/** A release, or the end of the ledger, may only extend what was signed last. Throws release_refused. */
export function assertFollows(last: Statement, next: Ledgered, keyFile: string): void {
  const advice =
    `${last.release} was signed; nothing is published: restore the whole ledger or, if this address is to start ` +
    `afresh, remove ${signingRecordPath(keyFile)} and the whole output folder, and tell your readers`;
  assertExtendsLast({ timestamp: last.as_of, ledger: last.ledger }, next, 'the ledger', advice);
}

/** A folder that no longer exists or holds no release counts as abandoned. `out` has no links in it. Throws release_refused. */
export async function assertOneFolder(
  recorded: Signed,
  out: string,
  { keyFile, baseUrl }: Pick<SigningPlace, 'keyFile' | 'baseUrl'>,
): Promise<void> {
  if (recorded.out === out) return;
  if ((await currentId(recorded.out).catch(() => 'damaged')) === null) return;
  const expected =
    `one folder that publishes ${baseUrl} with the keys of ${keyFile}, which is ${recorded.out} (nothing is published: ` +
    'publish there, remove it, or give this one its own address or keys: --base-url, --publisher-key)';
  throw new CathedralError('release_refused', { place: out, expected, found: 'a second one' });
}
