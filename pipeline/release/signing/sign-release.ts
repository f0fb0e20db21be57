import { CathedralError } from '../../errors.ts';
import { formatVerifierKey } from '../../ledger/notes/note.ts';
import { removeUnsettledKeys } from '../../ledger/notes/note-keys.ts';
import { counted } from '../../words/number.ts';
import type { Facts, Manifest } from '../format/manifest.ts';
import { type Proof, type Provable, proofOf, type Signing, statementsOf } from '../format/proof-files.ts';
import { expiryOf, MANIFEST_PATH, needsRefresh } from '../format/public-manifest.ts';
import type { Published } from '../format/release.ts';
import { withSharedKeys } from './shared-keys.ts';
import type { Signed, SigningRecords } from './signing-record.ts';

export interface SigningPlace {
  keyFile: string;
  records: SigningRecords;
  /** The output folder. */
  out: string;
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  previous: Published | null;
  /** ms since 1970 */
  now: () => number;
}

/**
 * Signs a release under a version that no other bytes ever had. The record is kept before the signature is made, so after a kill the
 * next run signs the same bytes again or uses the next version. Throws release_refused if the release contradicts one that was
 * signed for this address, or if another folder publishes under it.
 */
export async function signRelease(
  release: Provable,
  signing: Omit<Signing, 'version' | 'expires'>,
  place: SigningPlace,
): Promise<Proof> {
  const { keyFile, records, baseUrl, previous } = place;
  const { signers, checkpoint } = signing;
  const keys = signers.map(({ verifier }) => formatVerifierKey(verifier));
  const dated = { checkpoint, keys, expires: expiryOf(release.timestamp, place.now()) };
  const version = await records.change('signing', async (record) => {
    await removeUnsettledKeys(keyFile);
    const out = await records.nameOf(place.out);
    const recorded = record.services[baseUrl];
    if (recorded) await assertOneFolder(recorded, out, place);
    const last = newer(recorded, previous && signedBefore(previous, out));
    if (last) assertExtendsLast(last, release, records);
    const next = sameAgain(release, dated, last) ?? nextStatement(release, dated, last);
    const { timestamp, ledger } = release;
    const { origin, size, root } = ledger;
    const signed: Signed = {
      out,
      ...next,
      release: release.release,
      as_of: timestamp,
      ledger: { origin, size, root },
      snapshots: recorded?.snapshots ?? {},
      lost: recorded?.lost ?? {},
    };
    const known = records.isShared ? withSharedKeys(record, keys, keyFile) : record;
    const services = { ...record.services, [baseUrl]: signed };
    return { record: { ...known, services }, result: next.version };
  });
  return proofOf(release, { ...signing, expires: dated.expires, version });
}

/**
 * Whether the current release is the last one signed for its address and stays valid long enough. False after several slots without
 * news, after a later release was signed and lost, and after the record was lost.
 */
export async function isStillCurrent(
  served: Published,
  { records, baseUrl, now }: Pick<SigningPlace, 'records' | 'baseUrl' | 'now'>,
): Promise<boolean> {
  const recorded = (await records.read()).services[baseUrl];
  const { signed, timestamp } = served.manifest;
  if (!signed || recorded?.sha256 !== signedHash(served.manifest)) return false;
  return !needsRefresh(signed.expires, timestamp, now());
}

/** A release as it or its record describes it. */
type Statement = Omit<Signed, 'snapshots' | 'lost'>;

/** What a release states besides its version. */
type Dated = Omit<Parameters<typeof statementsOf>[1], 'version'>;

/** Versions follow the time of the data, so they increase even if all records are lost. */
function nextStatement(release: Provable, dated: Dated, last: Statement | null) {
  const seconds = Math.max(1, Math.floor(Date.parse(release.timestamp) / 1000));
  const version = Math.max(seconds, (last?.version ?? 0) + 1);
  return { version, sha256: hashOf(release, dated, version) };
}

/** A release that was already signed keeps its version if its bytes are the same. */
function sameAgain(release: Provable, dated: Dated, last: Statement | null) {
  if (last?.release !== release.release) return null;
  const { version, sha256 } = last;
  return hashOf(release, dated, version) === sha256 ? { version, sha256 } : null;
}

/** Of its `manifest.json`. */
function hashOf(release: Provable, dated: Dated, version: number): string {
  return statementsOf(release, { ...dated, version }).blob.sha256;
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

/** The part of the ledger that a release is made from. */
type Ledgered = Pick<Facts, 'timestamp'> & { ledger: Pick<Facts['ledger'], 'origin' | 'size' | 'root'> };

/**
 * A release, or the end of the ledger, may only extend what was signed last: readers have that and treat a contradiction as an attack. Throws
 * release_refused.
 */
export function assertExtendsLast(
  last: Statement,
  next: Ledgered,
  { place }: Pick<SigningRecords, 'place'>,
): void {
  const advice =
    `${last.release} was signed; nothing is published: restore the whole ledger or, if this address is to start ` +
    `afresh, remove ${place} and the whole output folder, and tell your readers`;
  const refuse = (expected: string, found: string) => {
    throw new CathedralError('release_refused', {
      place: 'the ledger',
      expected: `${expected} (${advice})`,
      found,
    });
  };
  const [old, now] = [last.ledger, next.ledger];
  if (old.origin !== now.origin) refuse(`the ledger ${old.origin}`, now.origin);
  if (now.size < old.size)
    refuse(`at least the ${counted(old.size, 'event')} published`, `a ledger of ${now.size}`);
  if (now.size === old.size && now.root !== old.root)
    refuse(`root ${old.root} of the ${counted(old.size, 'event')} published`, `root ${now.root}`);
  if (Date.parse(next.timestamp) < Date.parse(last.as_of))
    refuse(`a last event of ${last.as_of} or later`, next.timestamp);
}

/** A folder that no longer exists or holds no release counts as abandoned. `out`: its name in the record. Throws release_refused. */
export async function assertOneFolder(
  recorded: Signed,
  out: string,
  { keyFile, records, baseUrl }: Pick<SigningPlace, 'keyFile' | 'records' | 'baseUrl'>,
): Promise<void> {
  if (recorded.out === out || (await records.isAbandoned(recorded.out))) return;
  const expected =
    `one folder that publishes ${baseUrl} with the keys of ${keyFile}, which is ${recorded.out} (nothing is published: ` +
    'publish there, remove it, or give this one its own address or keys: --base-url, --publisher-key)';
  throw new CathedralError('release_refused', { place: out, expected, found: 'a second one' });
}
