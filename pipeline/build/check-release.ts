import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ifThere } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError, type Finding, findingOf, orNull } from '../errors.ts';
import { MAX_BUNDLE_BYTES } from '../ledger/log/entry-bundle.ts';
import { type Bundle, bundlePath, fullTileOf, newTiles } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { listTree } from '../release/disk/list-tree.ts';
import type { Facts, Manifest } from '../release/format/manifest.ts';
import { type Provable, publicFiles, publicManifest, statementsOf } from '../release/format/proof-files.ts';
import {
  LATEST_PATH,
  MANIFEST_PATH,
  PROOF_PATHS,
  type PublicManifest,
  parsePublicManifest,
} from '../release/format/public-manifest.ts';
import { type Published, readCurrent } from '../release/format/release.ts';
import { LIST_PATH } from '../release/format/snapshot-index.ts';
import { ENTRIES_FOLDER, logFile, verifiedEntries } from '../release/log/log-folder.ts';
import { openLog } from '../release/log/open-log.ts';
import { assertPublicBundle, hasPublicBundles } from '../release/log/public-bundles.ts';
import { verifyRelease } from '../release/staging/verify-release.ts';
import type { CheckName, Trust } from '../verify/checks.ts';
import { FolderOrigin } from '../verify/folder-origin.ts';
import { verify } from '../verify/verify.ts';
import { publishedEntries } from './snapshots/read-published.ts';

export interface CheckReleaseOptions {
  out: string;
  /** Of the ledger; none: its signature is not verified. */
  verifiers: readonly Verifier[];
  /** Of the publisher; null or left out: those that the release names. */
  publisherKeys?: readonly Verifier[] | null;
  log: (line: string) => void;
}

/**
 * Verifies the folder of a publisher: what `verify` verifies of every copy, and what only the publisher has, which is the
 * release's own manifest with its restricted files, and the entries of the log. One finding per place.
 */
export async function checkRelease(dir: string, options: CheckReleaseOptions): Promise<Finding[]> {
  const { out, log } = options;
  log(`reading every byte of ${dir}`);
  const findings = await verifyRelease(dir);
  const published = await readCurrent(out).catch(() => null);
  if (published) findings.push(...(await verifyPublished(published, options, findings.length === 0)));
  return oncePerPlace(findings);
}

/** `isWhole`: its bytes are those of its manifest; otherwise the damage would be found again in the snapshots. */
async function verifyPublished(
  { dir, manifest }: Published,
  { out, verifiers, publisherKeys = null, log }: CheckReleaseOptions,
  isWhole: boolean,
): Promise<Finding[]> {
  if (!manifest.signed) log('the release is not signed');
  const trust = {
    keys: publisherKeys,
    ledgerKeys: verifiers.length > 0 ? verifiers : null,
    unsigned: manifest.signed ? null : unsignedManifest(manifest),
  };
  // `verifyRelease` has read the files.
  const checks: CheckName[] = isWhole ? ['signature', 'log', 'snapshots'] : ['signature', 'log'];
  const findings = await findingsOf(out, trust, checks, log);
  log('reading every entry of the log');
  findings.push(...(await checkEntries(out, manifest.ledger)));
  if (isWhole) findings.push(...(await compareProofs(dir, manifest)));
  if (findings.length === 0) findings.push(...(await unlisted(out, manifest)));
  return findings;
}

/** What `verify` finds, with places below OUT. */
export async function findingsOf(
  out: string,
  trust: Trust,
  checks: readonly CheckName[],
  log: (line: string) => void,
): Promise<Finding[]> {
  const origin = await FolderOrigin.at(out);
  const { findings } = await verify(origin, trust, {
    checks,
    stopAtFailure: true,
    parallel: availableParallelism(),
    now: () => 0,
    // Nobody else updates the folder.
    wait: async () => {},
    log,
  });
  return findings.map((finding) => ({ ...finding, place: placeBelow(out, finding.place) }));
}

/** `OUT/current/public/x` → `public/x`, `OUT/log/x` → `log/x`, `tile/0/000` → `log/tile/0/000` */
export function placeBelow(out: string, place: string): string {
  const base = join(out, '/');
  if (place.startsWith(base)) return place.slice(base.length).replace(/^current\//, '');
  return place.startsWith('tile/') ? `log/${place}` : place;
}

/**
 * Every entry has its hash in a tile, and nothing else is beside the entries. A log that is ahead of the release must extend it: the log is
 * published first.
 */
export async function checkEntries(out: string, ledger: Facts['ledger']): Promise<Finding[]> {
  const findings: Finding[] = [];
  await attempt(findings, out, async () => {
    const { checkpoint, reader } = await openLog(out);
    if (!checkpoint || !reader) return void findings.push(finding('log/checkpoint', 'a log', 'none'));
    const { size, origin } = checkpoint;
    if (size < ledger.size)
      findings.push(finding('log/checkpoint size', `${ledger.size} or more`, `${size}`));
    if (origin !== ledger.origin) findings.push(finding('log/checkpoint origin', ledger.origin, origin));
    // A log that an earlier version published has no public events until the next run.
    const isPublic = await hasPublicBundles(out);
    const tiles = [...newTiles(0, size)].filter(({ level }) => level === 0);
    await inParallel(tiles, availableParallelism(), (tile) =>
      attempt(findings, out, () => assertLeaves(out, tile, reader, isPublic)),
    );
    findings.push(...(await surplusEntries(out, size)));
  });
  return findings;
}

/**
 * Verifies a tile of level 0 against the checkpoint, its entries against their hashes, and if `isPublic`, the public events against the
 * entries. Throws log_invalid.
 */
async function assertLeaves(
  out: string,
  bundle: Bundle,
  reader: TileReader,
  isPublic: boolean,
): Promise<void> {
  const entries = await verifiedEntries(out, bundle, reader);
  if (isPublic) assertPublicBundle(out, bundle, entries);
}

/**
 * A partial bundle stays until the full one exists, and must be its beginning. What earlier versions compressed stays beside it, and must
 * decompress to it.
 */
async function surplusEntries(out: string, size: number): Promise<Finding[]> {
  const folder = join(out, ENTRIES_FOLDER);
  const { files, others } = await ifThere(listTree(folder), { files: [], others: [] });
  const surplus = [...others];
  for (const name of files) {
    const full = fullTileOf(`tile/entries/${name.replace(GZIP, '')}`, size);
    const whole = full?.kind === 'bundle' ? logFile(out, bundlePath(full.bundle)) : null;
    if (whole === null || !(await beginsWith(whole, join(folder, name)))) surplus.push(name);
  }
  return surplus.map((name) =>
    finding(`${ENTRIES_FOLDER}/${name}`, 'nothing', 'a file that does not belong to the log'),
  );
}

const GZIP = /\.gz$/;

/** A missing full file is a finding already. */
async function beginsWith(place: string, beginning: string): Promise<boolean> {
  if (place === beginning) return true;
  const whole = await readFile(place).catch(() => null);
  const bytes = await readFile(beginning);
  const part = GZIP.test(beginning)
    ? orNull(() => gunzipSync(bytes, { maxOutputLength: MAX_BUNDLE_BYTES }))
    : bytes;
  return whole === null || (part !== null && whole.subarray(0, part.length).equals(part));
}

/** The signed files must say what the release's own manifest says; an unsigned release has none. */
export async function compareProofs(dir: string, release: Manifest): Promise<Finding[]> {
  const { signed, files } = release;
  if (!signed) {
    const proofs = files.filter(({ path, kind }) => kind === 'proof' || PROOF_PATHS.includes(path));
    return proofs.map(({ path }) =>
      finding(`public/${path}`, 'no such file in an unsigned release', 'a file'),
    );
  }
  const findings: Finding[] = [];
  await attempt(findings, dir, async () => {
    const [manifest, latest] = await Promise.all(
      [MANIFEST_PATH, LATEST_PATH].map((path) => readFile(join(dir, 'public', path), 'utf8')),
    );
    const { checkpoint } = parsePublicManifest(manifest!, `public/${MANIFEST_PATH}`).log;
    const { version, expires, keys } = signed;
    const expected = statementsOf(release, { version, expires, checkpoint, keys });
    findings.push(
      ...compareLines(MANIFEST_PATH, expected.manifest, manifest!),
      ...compareLines(LATEST_PATH, expected.latest, latest!),
    );
  });
  return findings;
}

/** The first line that differs. */
function compareLines(path: string, expected: string, found: string): Finding[] {
  if (expected === found) return [];
  const [wanted, lines] = [expected.split('\n'), found.split('\n')];
  const at = Math.max(
    wanted.findIndex((line, index) => line !== lines[index]),
    0,
  );
  const lineAt = (texts: readonly string[]) => (texts[at] ?? 'the end of the file').trim();
  return [finding(`public/${path}:${at + 1}`, lineAt(wanted), lineAt(lines))];
}

/** A run lists a snapshot before it serves the release of that slot. */
async function unlisted(out: string, { ledger }: Manifest): Promise<Finding[]> {
  const findings: Finding[] = [];
  await attempt(findings, out, async () => {
    const { unlisted: entries } = await publishedEntries(out);
    for (const { id } of entries.filter(({ id }) => id <= ledger.snapshot))
      findings.push(finding(LIST_PATH, `${id}, whose folder exists`, 'no entry'));
  });
  return findings;
}

/** An unsigned release in the form of a public manifest. */
export function unsignedManifest(release: Provable): PublicManifest {
  const nothing = { version: 0, expires: release.timestamp, checkpoint: '', keys: [] };
  return publicManifest(release, nothing, publicFiles(release));
}

async function attempt(findings: Finding[], out: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    findings.push({ ...findingOf(error), place: placeBelow(out, error.place) });
  }
}

function finding(place: string, expected: string, found: string): Finding {
  return { code: 'release_invalid', place, expected, found };
}

export function oncePerPlace(findings: readonly Finding[]): Finding[] {
  const places = new Map(findings.toReversed().map((one) => [one.place, one]));
  return [...places.values()].reverse();
}
