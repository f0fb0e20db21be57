import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Verifier } from '../ledger/note.ts';
import { LATEST_PATH, MANIFEST_PATH, type PublicManifest } from '../release/format/public-manifest.ts';
import { mirrorWarning } from './assert-placeable.ts';
import { assertBeginsWith, openCheckpoint } from './log-head.ts';
import { type Looking, lookingAgain } from './origin/looking-again.ts';
import type { Origin } from './origin/origin.ts';
import { assertFresh } from './rules.ts';
import { readLatest, readSigned, type SignedRelease } from './signed-release.ts';
import { CHECKS, Findings, type Verification } from './verification.ts';
import { verifyFiles } from './verify-files.ts';
import { openLog, readCheckpoint, verifyOwnCheckpoint, verifyTiles } from './verify-log.ts';
import { verifyLogNames, verifyReleaseNames } from './verify-names.ts';
import { verifySnapshots } from './verify-snapshots.ts';

export interface VerifyOptions extends Looking {
  origin: Origin;
  /** The folder that is served, where nothing else should be; null: it cannot be listed. */
  root: string | null;
  /** Who may have signed; null: those whom the manifest names. */
  keys: readonly Verifier[] | null;
  /** Who may have signed the ledger's checkpoint; null: that signature is left to others. */
  ledgerKeys: readonly Verifier[] | null;
  /** A checkpoint that the log has to go on from, a signed note; null: none is held. */
  held: { note: string; place: string } | null;
  /** Of a list what is read of it. */
  choose: <T>(all: readonly T[]) => readonly T[];
  acceptExpired: boolean;
  parallel: number;
  /** ms since 1970. */
  now: () => number;
}

/** A release that is published while one reads would look like a damaged one. */
const LOOKS = 3;

/**
 * Compares all that an origin has, or what is chosen of it, with what its publisher and its ledger have signed. What is
 * wrong is a finding; throws nothing but what the disk throws.
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  for (let look = 1; ; look += 1) {
    const verification = await verifyOnce(options);
    const isSettled = verification.findings.length === 0 || look === LOOKS;
    if (isSettled || !(await hasMoved(options.origin, verification))) return verification;
    options.log('another release was published meanwhile; looking again');
  }
}

async function hasMoved(origin: Origin, { manifest }: Verification): Promise<boolean> {
  const announced = manifest && (await readLatest(origin).catch(() => null));
  return !!announced && announced !== 'unchanged' && announced.latest.version !== manifest.version;
}

async function verifyOnce(options: VerifyOptions): Promise<Verification> {
  const { origin, keys, acceptExpired, now } = options;
  const findings = new Findings();
  let release: SignedRelease | null = null;
  await findings.check('signature', async () => {
    release = await lookingAgain(options, () => readRelease(origin, keys));
    const { name, id } = release.signedBy;
    const whose = keys ? '' : ', a key that the manifest names itself';
    return `${name}+${id} signed version ${release.manifest.version}${whose}`;
  });
  const signed = release as SignedRelease | null;
  if (!signed) {
    for (const check of CHECKS.slice(1)) findings.skip(check, 'nothing is known to be signed');
    return { manifest: null, ...findings.result() };
  }
  const { manifest } = signed;
  const warning = mirrorWarning(
    manifest.files.map(({ path }) => path),
    origin.placeOf(MANIFEST_PATH),
  );
  if (warning !== null) findings.warn(warning);
  await findings.check('freshness', async () => {
    if (!acceptExpired) assertFresh(manifest, now(), origin.placeOf(LATEST_PATH));
    return `of ${manifest.as_of}, good until ${manifest.expires}`;
  });
  await findings.check('files', () => checkFiles(manifest, options, findings));
  await checkLog(signed, options, findings);
  return { manifest, ...findings.result() };
}

async function readRelease(origin: Origin, keys: VerifyOptions['keys']): Promise<SignedRelease> {
  const announced = await readLatest(origin);
  if (announced === 'unchanged') throw new Error('nothing was held that could be unchanged');
  return readSigned(origin, announced, keys);
}

async function checkFiles(
  manifest: PublicManifest,
  { origin, root, choose, parallel, log }: VerifyOptions,
  findings: Findings,
): Promise<string> {
  const chosen = choose(manifest.files);
  log(`${chosen.length} of ${manifest.files.length} files`);
  const { bytes, notProven } = await verifyFiles(origin, chosen, manifest, { findings, parallel, log });
  findings.leaveOpen(notProven);
  if (root !== null) await verifyReleaseNames(root, manifest, { origin, findings });
  const read = chosen.length - notProven.length;
  return `${read} of ${manifest.files.length} read, ${(bytes / 1e6).toFixed(1)} MB, as listed`;
}

/** The log, and with it the checkpoint that was held, and the snapshots, which have their places in it. */
async function checkLog(release: SignedRelease, options: VerifyOptions, findings: Findings): Promise<void> {
  const { manifest } = release;
  const { origin, ledgerKeys, held, choose, parallel, log } = options;
  const ledger = { origin: manifest.log.origin, keys: ledgerKeys };
  let opened: TileReader | null = null;
  await findings.check('log', async () => {
    const reader = await openManifestLog(manifest, options);
    opened = reader;
    log(`log of ${reader.head.size} events`);
    const { read, all } = await verifyTiles(reader, choose, parallel);
    const newest = await verifyOwnCheckpoint(origin, reader, ledger);
    if (options.root !== null) await verifyLogNames(newest, { origin, findings });
    const whose = ledgerKeys ? 'signed by the ledger' : 'the ledger’s own signature not looked at';
    return `${reader.head.size} events, ${read} of ${all} tiles have the root that is signed; ${whose}`;
  });
  const reader = opened as TileReader | null;
  if (!reader || !held)
    findings.skip('checkpoint', held ? 'the log cannot be read' : 'no earlier one is given');
  else
    await findings.check('checkpoint', async () => {
      const before = await readCheckpoint(held.note, ledger, held.place);
      await assertBeginsWith(reader, before, held.place);
      return `the log goes on from the ${before.size} events of ${held.place}`;
    });
  if (reader) await checkSnapshots(reader, release, options, findings);
  else findings.skip('snapshots', 'the log cannot be read');
}

async function openManifestLog(
  manifest: PublicManifest,
  { origin, ledgerKeys }: VerifyOptions,
): Promise<TileReader> {
  const place = `${origin.placeOf(MANIFEST_PATH)}: log.checkpoint`;
  return openLog(origin, await openCheckpoint(manifest, ledgerKeys, place));
}

async function checkSnapshots(
  reader: TileReader,
  { manifest, keys, known }: SignedRelease,
  { origin, root, choose, parallel, wait, log }: VerifyOptions,
  findings: Findings,
): Promise<void> {
  log('snapshots');
  await findings.check('snapshots', async () => {
    const isFolder = root !== null;
    const work = { origin, isFolder, reader, manifest, keys, known, choose, findings, parallel, wait, log };
    const done = await verifySnapshots(work);
    const others = done.read - done.vouched;
    const whose = others > 0 ? `; ${others} signed by none of the keys of now` : '';
    return `${done.read} of ${done.all} read, the list signed, all of their files as listed${whose}`;
  });
}
