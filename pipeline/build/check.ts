import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrintCharts } from '../charts/files/print-charts.ts';
import { makeTemporaryFolder } from '../disk/temporary-folder.ts';
import { CathedralError, type Finding } from '../errors.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { listSnapshots } from '../ledger/reading/directory.ts';
import { storedAt } from '../release/format/manifest.ts';
import { type Published, readCurrent } from '../release/format/release.ts';
import { type BuildOptions, build } from './build.ts';
import { checkRelease } from './check-release.ts';
import { compareManifests } from './compare-manifests.ts';
import { type BuildPlan, partsOf } from './plan.ts';
import { shownBy } from './publisher.ts';
import { publishedIds, readPublished } from './snapshots/read-published.ts';

/** The options of a build, as far as a check does not take them from the release. Without a ledger nothing is rebuilt. */
export interface CheckOptions extends Omit<BuildOptions, 'ledger' | 'plan'> {
  ledger: string | null;
  /** Keys of the publisher; null or omitted: those that the release names. */
  publisherKeys?: readonly Verifier[] | null;
}

/**
 * Verifies what is published, including the restricted files, and then compares it with a rebuild from the ledger, up to the
 * release's snapshot. The bytes of a PDF depend on the browser that printed it, so PDFs are only verified: the rebuild covers
 * the JSON files beside them, which have the same numbers. Pictures are drawn again.
 */
export async function check(options: CheckOptions): Promise<Finding[]> {
  const { out, ledger } = options;
  const dir = await realpath(join(out, 'current')).catch((cause) => {
    const fault = { place: out, expected: 'a published release', found: 'none', cause };
    throw new CathedralError('release_invalid', fault);
  });
  // A ledger that cannot be read is an error now, and not after every byte of the release has been read.
  if (ledger !== null) await listSnapshots(ledger);
  const findings = await checkRelease(dir, options);
  if (findings.length > 0 || ledger === null) return findings;
  return compareWithLedger({ ...options, ledger });
}

async function compareWithLedger(options: CheckOptions & { ledger: string }): Promise<Finding[]> {
  const published = (await readCurrent(options.out))!;
  const { manifest } = published;
  await using folder = makeTemporaryFolder();
  options.log(`rebuilding from the ledger, up to ${manifest.ledger.snapshot}`);
  const earlier = await publishedEarlier(published, options.out);
  for (const { path } of earlier?.manifest.files ?? [])
    options.log(`${path} is not rebuilt: an earlier version published it, and it never changes`);
  const rebuilt = await build({
    ...options,
    out: folder.path,
    plan: { ...(await planOf(published)), earlier },
  });
  return compareManifests(manifest, rebuilt.manifest);
}

/**
 * The files of closed years that an earlier version published. They never change, even if this version would write them differently,
 * so a rebuild takes them as they are; their bytes are verified. Null if there are none.
 */
async function publishedEarlier({ dir, manifest }: Published, out: string): Promise<Published | null> {
  let last = '';
  for (const id of await publishedIds(out)) {
    const { snapshot } = await readPublished(out, id);
    if (snapshot.software !== manifest.software && snapshot.as_of > last) last = snapshot.as_of;
  }
  const files = manifest.files.filter(
    ({ kind, immutable, modified }) => kind === 'data' && immutable && modified <= last,
  );
  const nothing = { segments: {}, unlisted: [] };
  return files.length === 0 ? null : { dir, manifest: { ...manifest, ...nothing, files }, state: null };
}

/** Rebuilds what the release contains. Its PDFs, whose bytes are verified, stand for those of a browser. */
async function planOf({ dir, manifest }: Published): Promise<BuildPlan> {
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const parts = partsOf(manifest);
  const print = ({ path }: { path: string }) => readFile(join(dir, storedAt(files.get(path)!)));
  const charts: PrintCharts = (charts) => Promise.all(charts.map(print));
  return {
    purpose: 'compare',
    from: 'genesis',
    until: manifest.ledger.snapshot,
    contents: {
      upTo: parts.findLast((part) => part !== 'pdfs')!,
      printing: {
        charts: parts.includes('pdfs') ? charts : null,
        page: print,
        prints: (path) => files.has(path),
      },
    },
    publisher: await shownBy(manifest.signed?.keys ?? [], join(dir, 'public')),
    snapshots: null,
  };
}

/** The software that the manifest of a release names, even a damaged one; null if it names none. */
export async function softwareOf(out: string): Promise<string | null> {
  const text = await readFile(join(out, 'current/manifest.json'), 'utf8').catch(() => '');
  return /^ *"software": *"([^"]*)"/m.exec(text)?.[1] ?? null;
}
