import { createHash } from 'node:crypto';
import { type Documents, readDocuments } from './artifacts/documents.ts';
import { readCompanions } from './artifacts/read-companions.ts';
import { ARTIFACTS, PRINTED } from './artifacts/table.ts';
import type { Companions } from './attestation/companions.ts';
import type { PrintCharts } from './charts/print-charts.ts';
import { type ChartsOptions, hasChartPdfs, hasCharts, renderCharts } from './charts/render-charts.ts';
import { renderSitemap } from './extras/render-catalogue.ts';
import { openDirectory, type SnapshotFile } from './ledger/directory.ts';
import type { Verifier } from './ledger/note.ts';
import { withLock } from './publish/lock.ts';
import type { Facts, Manifest } from './publish/manifest.ts';
import { type Published, readCurrent, salvageCurrent } from './publish/release.ts';
import type { SnapshotHashes } from './publish/signing-record.ts';
import type { SnapshotIndex } from './publish/snapshot-index.ts';
import { openStaging, type Publication } from './publish/staging.ts';
import { checkpointOf } from './run/checkpoint-of.ts';
import { prepareLog } from './run/extend-log.ts';
import { foldSnapshots } from './run/fold-snapshots.ts';
import { ledgerKeyFile } from './run/ledger-key-file.ts';
import { openPublisher, type Publisher, type PublisherOptions, publisherKeysFile } from './run/publisher.ts';
import { renderDocuments } from './run/render-documents.ts';
import { hasExtras, renderExtras } from './run/render-extras.ts';
import { renderSite, type SiteOptions } from './run/render-site.ts';
import { formatResume, parseResume, type Resume, START } from './run/resume.ts';
import { withForkAdvice } from './run/with-fork-advice.ts';
import { publishSnapshots, type SnapshotOptions } from './snapshots/publish-snapshots.ts';
import { assertKept, assertListReadable, assertNotLost, keptRelease } from './snapshots/restore.ts';

export interface BuildOptions extends SiteOptions {
  /** Ledger folder. */
  ledger: string;
  out: string;
  /** A JSON file: who may attest, and the wallets behind ledger ids. Null: nobody, but in a sample ledger. */
  companions: string | null;
  /** Keys of which one must have signed each checkpoint. */
  verifiers: Verifier[];
  /** Name and version of this software; a new one means a new release. */
  software: string;
  /** From genesis, taking nothing over from the release before. */
  rebuild: boolean;
  /** Every table in other forms too, and catalogues of the files. By default with the site: false is data files alone. */
  extras?: boolean;
  /** Every chart as files. By default with the site. */
  charts?: boolean;
  /** Null or left out: charts have no PDF. */
  printCharts?: PrintCharts | null;
  /** The last snapshot to read, where it is not the newest one. */
  until?: string;
  /** False: OUT/log is neither looked at nor extended, as where the release is made to be compared. Default true. */
  publishesLog?: boolean;
  /** Null or left out: the release is not signed. */
  publisher?: PublisherOptions | null;
  /** Null or left out: no snapshots are kept. */
  snapshots?: SnapshotOptions | null;
  /** How long to wait for another run, in ms. */
  waitMs: number;
  /** One line per stage, and lines about findings. */
  log: (line: string) => void;
}

export interface BuildReport {
  outcome: 'published' | 'unchanged';
  manifest: Manifest;
  snapshots: number;
  events: number;
  /** Contradictions that this run found in the ledger. */
  findings: string[];
}

/**
 * One run: the snapshots that are new, verified, folded, rendered and published; or nothing, where nothing is new.
 * Throws CathedralError; what was published stays as it is until the new release is whole.
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  const { out, waitMs } = options;
  return withLock(out, { waitMs, holder: `build, process ${process.pid}` }, async () => {
    if (options.snapshots) await assertListReadable(out);
    const { report, publisher, lost } = await run(options);
    // What a run that was killed had left to do is done by the next one, whether that finds something new or not.
    if (options.snapshots)
      await publishSnapshots(out, report.manifest, {
        ...options.snapshots,
        baseUrl: options.baseUrl,
        sign: publisher?.signText ?? null,
        record: (index) => recordListed(publisher, index, lost),
      });
    return report;
  });
}

interface Ran {
  report: BuildReport;
  publisher: Publisher | null;
  /** Snapshots that were signed and that nobody has any more. */
  lost: SnapshotHashes;
}

async function run(options: BuildOptions): Promise<Ran> {
  const { out, baseUrl, software, log } = options;
  const documents = await readDocuments(options.documents);
  const companions = await readCompanions(options.companions, options.verifiers);
  const current = options.rebuild ? await salvageCurrent(out) : await readCurrent(out);
  const previous = current ?? (options.snapshots ? await keptRelease(out) : null);
  if (previous && !current) log(`no release is there: going on from the snapshots in ${out}`);
  const rebuild = options.rebuild || current === null;
  const extendLog = await prepareLog({ ...options, rebuild }, previous);
  const resume = rebuild ? START : parseResume(previous!.state);
  const publisher = await openPublisher(options.publisher ?? null, { ...options, previous });
  const lost = await lostSnapshots(options, publisher);
  const snapshots = await newSnapshots(options, resume);
  const inputs = digestInputs(options, { documents, companions, publisher });
  const nothingNew = !rebuild && snapshots.length === 0;
  if (previous && nothingNew && isMadeOf(previous, inputs, options)) {
    const report = unchanged(previous);
    return extendLog(previous.manifest.ledger, async () => ({ report, publisher, lost }));
  }

  for (const { id } of snapshots.slice(-1)) assertNotLost(id, lost);
  await using staging = await openStaging(out, previous, { reuse: !rebuild });
  const folding = { ...options, staging, documents, companions, snapshots, resume };
  const folded = await foldSnapshots(folding).catch((cause) => {
    throw withForkAdvice(cause, resume.position);
  });
  const { state, ledger, events, findings } = folded;
  log(`rendering ${ARTIFACTS.length} files as of ${state.asOf}`);
  const view = { state, documents, companions, baseUrl };
  await renderDocuments(staging, view, folded);
  if (publisher) await staging.write(publisherKeysFile(publisher));
  await staging.write(ledgerKeyFile(options.ledger, ledger, options.verifiers));
  const facts = { timestamp: state.asOf, ledger, software, inputs };
  if (withExtras(options)) await renderExtras(staging, facts, view);
  if (withCharts(options)) await renderCharts(staging, chartsOptions(options, facts, documents));
  await renderSite(staging, facts, folded, options);
  if (withExtras(options)) await renderSitemap(staging, baseUrl, state.asOf);
  const publication = { facts, state: formatResume(folded), sign: signerOf(publisher, options) };
  const { outcome, release } = await extendLog(ledger, () => staging.publish(publication));
  const { manifest } = release;
  log(`${outcome} ${manifest.release}`);
  return { report: { outcome, manifest, snapshots: snapshots.length, events, findings }, publisher, lost };
}

async function lostSnapshots(
  { out, snapshots }: BuildOptions,
  publisher: Publisher | null,
): Promise<SnapshotHashes> {
  if (!snapshots || !publisher?.snapshots) return {};
  return assertKept(out, publisher.snapshots.recorded, snapshots.givesUp ?? false);
}

async function recordListed(
  publisher: Publisher | null,
  index: SnapshotIndex,
  lost: SnapshotHashes,
): Promise<void> {
  const snapshots = Object.fromEntries(index.map((entry) => [entry.id, entry.index.sha256]));
  await publisher?.snapshots?.record({ snapshots, lost });
}

async function newSnapshots({ ledger, until }: BuildOptions, { position }: Resume): Promise<SnapshotFile[]> {
  const snapshots = await openDirectory(ledger).snapshots(position.snapshot);
  return until === undefined ? snapshots : snapshots.filter(({ id }) => id <= until);
}

/** Signs with the ledger's own note over what the release was made from; null: the release is not signed. */
function signerOf(
  publisher: Publisher | null,
  { ledger, verifiers }: BuildOptions,
): Exclude<Publication['sign'], undefined> {
  const sign = publisher?.sign;
  if (!sign) return null;
  return (release) => sign(release, checkpointOf(ledger, release.ledger, verifiers));
}

function unchanged({ manifest }: Published): BuildReport {
  return { outcome: 'unchanged', manifest, snapshots: 0, events: 0, findings: [] };
}

function withExtras({ extras, site }: BuildOptions): boolean {
  return extras ?? site;
}

function withCharts({ charts, site }: BuildOptions): boolean {
  return charts ?? site;
}

function chartsOptions(
  { baseUrl, printCharts, log }: BuildOptions,
  facts: Facts,
  { citations }: Documents,
): ChartsOptions {
  return { facts, baseUrl, author: citations.author, print: printCharts ?? null, log };
}

/** Whether a release is of the same documents and settings, and has what is asked for: extras, charts, the site, PDFs. */
function isMadeOf({ manifest }: Published, inputs: string, options: BuildOptions): boolean {
  const { files } = manifest;
  const { site, print } = options;
  if (hasExtras(manifest) !== withExtras(options) || hasCharts(manifest) !== withCharts(options))
    return false;
  if (hasChartPdfs(manifest) !== (withCharts(options) && Boolean(options.printCharts))) return false;
  const hasSite = files.some(({ kind }) => kind === 'page');
  const hasPdf = PRINTED.every((artifact) => files.some(({ path }) => path === artifact.path));
  return manifest.inputs === inputs && hasSite === site && hasPdf === (site && print !== null);
}

/** Whatever shows in the files and is not the ledger. */
function digestInputs(
  { software, baseUrl, contact }: BuildOptions,
  {
    documents,
    companions,
    publisher,
  }: { documents: Documents; companions: Companions; publisher: Publisher | null },
): string {
  const keys = publisher ? [publisher.keys] : [];
  return createHash('sha256')
    .update(JSON.stringify([software, documents.digest, companions, baseUrl, contact, ...keys]))
    .digest('hex');
}
