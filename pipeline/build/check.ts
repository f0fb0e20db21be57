import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasChartPdfs, hasCharts } from '../charts/files/render-charts.ts';
import { CathedralError } from '../errors.ts';
import type { Verifier } from '../ledger/note.ts';
import { storedAt } from '../release/format/manifest.ts';
import { type Published, readCurrent } from '../release/format/release.ts';
import { type Problem, verifyRelease } from '../release/staging/verify-release.ts';
import { compareManifests } from '../verify/compare-manifests.ts';
import { verifyLog } from '../verify/verify-log-folder.ts';
import { verifyProofs } from '../verify/verify-proofs.ts';
import { type BuildOptions, build } from './build.ts';
import { hasExtras } from './render-extras.ts';
import { verifySnapshots } from './snapshots/verify-published-snapshots.ts';

/** What a check needs of a build's options; without a ledger only the release itself is checked. */
export interface CheckOptions extends Omit<BuildOptions, Decided> {
  ledger: string | null;
  /** Of the publisher; null or left out: those that the release names. */
  publisherKeys?: readonly Verifier[] | null;
}

/** What a check decides by the release that it checks. */
type Decided =
  | 'ledger'
  | 'rebuild'
  | 'until'
  | 'publisher'
  | 'snapshots'
  | 'site'
  | 'extras'
  | 'charts'
  | 'print'
  | 'prints'
  | 'printCharts';

/**
 * Compares what is published with its manifest, byte for byte, and then with what the ledger gives when everything is
 * made again from genesis, up to the release's snapshot; the log with the tree over that ledger. A PDF depends on the browser that printed it: of PDFs only the
 * bytes are checked; their numbers stand in the JSON file beside them, which is made again. Pictures are drawn again.
 */
export async function check(options: CheckOptions): Promise<Problem[]> {
  const { out, ledger, log } = options;
  const dir = await realpath(join(out, 'current')).catch((cause) => {
    throw new CathedralError('release_invalid', {
      place: out,
      expected: 'a published release',
      found: 'none',
      cause,
    });
  });
  log(`checking every byte of ${dir}`);
  const problems = [...(await verifyRelease(dir)), ...(await checkLog(options))];
  if (problems.length > 0) return problems;
  const { manifest } = (await readCurrent(out))!;
  if (!manifest.signed) log('the release is not signed');
  const keys = {
    publisher: options.publisherKeys ?? null,
    ledger: ledger === null ? null : options.verifiers,
  };
  const unproved = await verifyProofs(dir, manifest, keys);
  log('checking every byte of the snapshots');
  unproved.push(...(await verifySnapshots(out, keys.publisher)));
  if (unproved.length > 0 || ledger === null) return unproved;
  return compareWithLedger({ ...options, ledger });
}

/** A release that cannot be read is a problem by itself; its log is then looked at when it can. */
async function checkLog({ out, verifiers, log }: CheckOptions): Promise<Problem[]> {
  const published = await readCurrent(out).catch(() => null);
  if (!published) return [];
  log('checking every tile and entry of the log');
  return verifyLog(out, published.manifest.ledger, verifiers);
}

async function compareWithLedger(options: CheckOptions & { ledger: string }): Promise<Problem[]> {
  const published = (await readCurrent(options.out))!;
  const { manifest } = published;
  const out = await mkdtemp(join(tmpdir(), 'cathedral-check-'));
  const site = manifest.files.some(({ kind }) => kind === 'page');
  try {
    const until = manifest.ledger.snapshot;
    options.log(`building again from the ledger, up to ${until}`);
    const extras = hasExtras(manifest);
    const charts = hasCharts(manifest);
    const again = {
      ...options,
      ...printedBefore(published),
      out,
      until,
      site,
      extras,
      charts,
      rebuild: true,
      publishesLog: false,
      publisher: manifest.signed ? { kind: 'shown' as const, keys: manifest.signed.keys } : null,
    };
    const rebuilt = await build(again);
    return compareManifests(manifest, rebuilt.manifest);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** In the place of a browser: the PDFs that the release has, whose bytes have been checked. */
function printedBefore({ dir, manifest }: Published): Pick<BuildOptions, 'print' | 'prints' | 'printCharts'> {
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const print = ({ path }: { path: string }) => readFile(join(dir, storedAt(files.get(path)!)));
  return {
    print,
    prints: (path) => files.has(path),
    printCharts: hasChartPdfs(manifest) ? (charts) => Promise.all(charts.map(print)) : null,
  };
}
