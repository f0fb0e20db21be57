import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { ORGANISATION_FILE } from '../artifacts/documents/organisation.ts';
import { ARTIFACTS } from '../artifacts/table.ts';
import { printCharts, renderCharts } from '../charts/files/render-charts.ts';
import { diskFull, isDiskFull } from '../disk/durable.ts';
import { withLock } from '../disk/lock.ts';
import { CathedralError, firstError } from '../errors.ts';
import { renderExtras, renderSitemap } from '../formats/render-catalogue.ts';
import { isYearFile } from '../formats/tables.ts';
import { type LedgerDirectory, openListed, type SnapshotFile } from '../ledger/reading/directory.ts';
import { recentCheckpoints } from '../ledger/reading/read-checkpoint.ts';
import { removeLeftOvers, removesLeftOversAtExit } from '../release/disk/remove-left-overs.ts';
import type { Manifest } from '../release/format/manifest.ts';
import { type Published, readCurrent, recoverFinalFiles } from '../release/format/release.ts';
import type { SnapshotIndex } from '../release/format/snapshot-index.ts';
import type { Part } from '../release/format/status.ts';
import { openStaging, type Publication, type Staging } from '../release/staging/staging.ts';
import { checkpointOf } from './checkpoint-of.ts';
import { prepareLog, type RunLog } from './extend-log.ts';
import { foldSnapshots, withForkHint } from './fold-snapshots.ts';
import { type InputOptions, type Inputs, openInputs } from './inputs.ts';
import { ledgerKeyFile } from './keys-file.ts';
import { makePdf, pdfJobs } from './pdf/pdfs.ts';
import { partsAsked, partsOf } from './plan.ts';
import { keyFilesOf, type Publisher } from './publisher.ts';
import { refreshRelease } from './refresh-release.ts';
import { renderDocuments } from './render-documents.ts';
import { formatResume, parseResume, type Resume, readResume, START } from './resume.ts';
import { renderSite } from './site/render-site.ts';
import { publishMissedSnapshots } from './snapshots/publish-missed-snapshots.ts';
import { publishSnapshots, upcomingList } from './snapshots/publish-snapshots.ts';
import { publishedEntries } from './snapshots/read-published.ts';
import { assertListReadable, assertNotRepublished, hashesOf, restoredRelease } from './snapshots/restore.ts';

/** Of ten years. */
const MANY_SNAPSHOTS = 10 * 365 * 4;
/** One more than the page about the log lists: its last row says how many events are new. */
const RECENT_CHECKPOINTS = 21;

export interface BuildOptions extends InputOptions {
  /** Ledger folder. */
  ledger: string;
  /** Receives one line per stage, and findings. */
  log: (line: string) => void;
}

export interface BuildReport {
  outcome: 'published' | 'unchanged';
  manifest: Manifest;
  snapshots: number;
  events: number;
  /** Contradictions in the ledger that this run found; the last sentence of the fold may stand for several. */
  findings: string[];
  /** How many they are. */
  findingCount: number;
  /** Why this run rebuilt the release of an earlier version from genesis; null if it did not. */
  migrated: string | null;
  /** What the release should have as well, and does not; see publish-parts.ts. Omitted: nothing. */
  lacks?: readonly Part[];
  /** Why; null while it is still being made. Omitted: it is complete. */
  failure?: CathedralError | null;
}

/**
 * One run: verifies, folds, renders and publishes the new ledger snapshots. Does nothing if there are none. Throws CathedralError; the
 * current release stays as it is until the new one is complete.
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  const { out, waitMs } = options;
  return withLock(out, { waitMs, holder: `build, process ${process.pid}` }, async () => {
    // Only here: later, the log or a snapshot may be staged already.
    await removeLeftOvers(out);
    using _ = removesLeftOversAtExit(out);
    if (options.plan.snapshots || options.plan.publisher?.kind === 'signs') await assertListReadable(out);
    return await run(options);
  }).catch((thrown: Error) => {
    const error = firstError(thrown);
    // Thrown by a library or by a program that a run starts.
    if (error instanceof CathedralError || !isDiskFull(thrown)) throw error;
    throw diskFull(out, (error as Error).message, thrown);
  });
}

async function run(options: BuildOptions): Promise<BuildReport> {
  const { out, plan, log } = options;
  const ledger = openListed(options.ledger);
  const current = plan.from === 'genesis' ? await recoverFinalFiles(out) : await readCurrent(out);
  const previous = current ?? (plan.snapshots ? await restoredRelease(out) : null);
  if (previous && !current) log(`no release found: resuming from the snapshots in ${out}`);
  const startsOver = plan.from === 'genesis' || current === null;
  const found = startsOver ? START : readResume(current.state);
  const migrated = 'outdated' in found ? found.outdated : null;
  if (migrated !== null) log(`rebuilding the release of an earlier version from genesis: ${migrated}`);
  const resume = 'outdated' in found ? START : found;
  const rebuild = startsOver || migrated !== null;
  await using runLog = await prepareLog(
    { ...options, ledger, rebuild: startsOver, publishesLog: plan.purpose === 'publish' },
    previous,
  );
  const inputs = await openInputs(options, ledger, previous);
  const prepare = snapshotPublisher(options, inputs);
  const snapshots = await newSnapshots(ledger, options, resume);
  // V8 lets old objects grow to a multiple of what was in use before it looks for garbage among them. With 40 % more, a run over a long ledger
  // needs less memory and more time; see docs/performance.md.
  const isLong = (await ledger.snapshots(null)).length > MANY_SNAPSHOTS;
  if (isLong) setFlagsFromString('--heap-growing-percent=40');
  if (previous && !rebuild && snapshots.length === 0 && isUpToDate(previous, inputs.digest, options)) {
    // Awaited, so that what the log stages is removed afterwards and not before.
    return await runLog.extend(previous.manifest.ledger, (publishLog) =>
      stand(previous, inputs.publisher, options, prepare(publishLog)),
    );
  }

  const lost = inputs.publisher?.signing?.lost ?? {};
  for (const { id } of snapshots.slice(-1)) assertNotRepublished(id, lost);
  const base = previous && (rebuild ? { ...previous, state: null } : previous);
  const missing = {
    ...options,
    ...inputs,
    ...plan,
    lost,
    onPublished: () => shareSnapshots(options, inputs),
  };
  await publishMissedSnapshots(base, snapshots, missing, (before, upTo, keep) =>
    buildMissed(before, upTo, keep, options, inputs),
  );
  await using staging = await openStaging(out, previous ?? plan.earlier ?? null, {
    reuse: !rebuild,
    inputs: inputs.digest,
  });
  const read = { ledger, snapshots, resume, runLog };
  const { folded, facts, page } = await stageContents(staging, read, options, inputs);
  const sign = signerOf(inputs.publisher, options);
  // A run without other formats publishes none of their closed years either.
  const mayLose = partsAsked(plan.contents).includes('formats') ? undefined : isYearFile;
  const publication = { facts, state: formatResume(folded), sign, mayLose };
  const { outcome, release } = await runLog.extend(folded.ledger, (publishLog) =>
    staging.publish({ ...publication, prepare: prepare(publishLog, page) }),
  );
  nameDamaged(staging, log);
  const { manifest } = release;
  const { events, findings, findingCount } = folded;
  log(`${outcome} ${manifest.release}`);
  return { outcome, manifest, snapshots: snapshots.length, events, findings, findingCount, migrated };
}

const MOST_NAMED = 5;

/** A failing disk shows itself first in files that the run could make again. */
function nameDamaged({ folder: { damaged } }: Staging, log: BuildOptions['log']): void {
  if (damaged.length === 0) return;
  const more = damaged.length > MOST_NAMED ? ` and ${damaged.length - MOST_NAMED} more` : '';
  log(
    `damaged or missing in the previous release, and made again: ${damaged.slice(0, MOST_NAMED).join(', ')}${more}`,
  );
}

/** What a run reads of the ledger, and from where on. */
interface Read {
  snapshots: SnapshotFile[];
  resume: Resume;
  /** Null: the log is not extended. */
  runLog: RunLog | null;
}

/** Stages what the plan asks for. `page`: of the snapshot list, which is no part of the release; null for none. */
async function stageContents(
  staging: Staging,
  read: Read & { ledger: LedgerDirectory },
  options: BuildOptions,
  inputs: Inputs,
) {
  const { out, baseUrl, plan, log, verifiers } = options;
  const asked = new Set(partsAsked(plan.contents));
  const { printing } = plan.contents;
  const { folded, facts, view } = await stageData(staging, read, options, inputs);
  const pdfs = await pdfJobs(staging, folded, { printing });
  const reports = pdfs.map(({ path }) => path);
  const { program, documents } = inputs;
  const { organisation } = documents;
  if (asked.has('formats')) await renderExtras(staging, facts, view, reports);
  const charts = { facts, baseUrl, organisation, log, print: printing?.charts ?? null };
  const prints = asked.has('charts') ? await renderCharts(staging, charts) : [];
  const { snapshot: id, size: log_size } = facts.ledger;
  const checkpoints = asked.has('pages')
    ? await recentCheckpoints(read.ledger, id, verifiers, RECENT_CHECKPOINTS)
    : [];
  const next = { id, as_of: facts.timestamp, log_size };
  const listed = plan.snapshots && {
    index: await upcomingList(out, next, plan.snapshots),
    ...plan.snapshots,
  };
  const printed = [...reports, ...prints.map(({ about }) => about.path)];
  const about = { program, documents, checkpoints, printed, snapshots: listed };
  const page = await renderSite(staging, facts, { ...options, ...about });
  await printCharts(staging, prints, charts);
  for (const pdf of pdfs) await makePdf(staging, pdf, { ...options, organisation, printing });
  const sitemapped = { baseUrl, asOf: facts.timestamp };
  if (asked.has('formats')) await renderSitemap(staging, sitemapped, view.state);
  return { folded, facts, page };
}

/** Folds the ledger and stages all text data files. */
async function stageData(
  staging: Staging,
  read: Read,
  options: BuildOptions,
  { documents, companions, publisher, digest }: Inputs,
) {
  const { software, baseUrl, log } = options;
  const folding = { ...options, staging, documents, companions, ...read };
  const folded = await foldSnapshots(folding).catch((cause) => {
    throw withForkHint(cause, options.ledger, read.resume.position);
  });
  const { state, ledger } = folded;
  log(`rendering ${ARTIFACTS.length} files as of ${state.asOf}`);
  const view = { state, documents, companions, baseUrl };
  await renderDocuments(staging, view, folded);
  for (const file of publisher ? keyFilesOf(publisher) : []) await staging.write(file);
  await staging.write(ledgerKeyFile(options.ledger, ledger, options.verifiers));
  const about = Buffer.from(`${JSON.stringify(documents.organisation)}\n`);
  await staging.keepBytes(ORGANISATION_FILE, about);
  return { folded, view, facts: { timestamp: state.asOf, ledger, software, inputs: digest } };
}

/**
 * Publishes the log, the snapshot and the snapshot list before their release becomes current, so its readers find them; and then all of it
 * to other machines.
 */
function snapshotPublisher(
  { out, plan: { snapshots, share } }: BuildOptions,
  { publisher }: Inputs,
): (publishLog: () => Promise<void>, page?: string | null) => (release: Published) => Promise<void> {
  if (!snapshots) return (publishLog) => publishLog;
  const record = async (index: SnapshotIndex) => {
    await share?.snapshots(index);
    await publisher?.signing?.record(hashesOf(index));
  };
  const sign = publisher?.signing?.signText ?? null;
  return (publishLog, page) => async (release) => {
    await publishLog();
    await publishSnapshots(out, release, { ...snapshots, sign, page, record });
    await share?.release(release);
  };
}

/**
 * Gives other machines the snapshots that OUT has so far. Whoever goes on after a kill could not make them: a release of later events
 * may have been signed by then.
 */
async function shareSnapshots({ out, plan: { share } }: BuildOptions, { publisher }: Inputs): Promise<void> {
  if (!share) return;
  const { known, unlisted } = await publishedEntries(out);
  const index = [...known, ...unlisted];
  await share.snapshots(index);
  await publisher?.signing?.record(hashesOf(index));
}

/**
 * For a run without news: completes what a killed run left undone, and refreshes the release if it would expire soon or is not the
 * last one signed.
 */
async function stand(
  served: Published,
  publisher: Publisher | null,
  options: BuildOptions,
  prepare: (release: Published) => Promise<void>,
): Promise<BuildReport> {
  const nothing = { snapshots: 0, events: 0, findings: [], findingCount: 0, migrated: null };
  if (!publisher?.signing || (await publisher.signing.isStillCurrent(served))) {
    await prepare(served);
    return { outcome: 'unchanged', manifest: served.manifest, ...nothing };
  }
  await using staging = await openStaging(options.out, served, { reuse: true });
  await refreshRelease(staging, served);
  const { timestamp, ledger, software, inputs } = served.manifest;
  const facts = { timestamp, ledger, software, inputs };
  const state = await readFile(join(served.dir, 'state.json'), 'utf8');
  const sign = signerOf(publisher, options);
  const { outcome, release } = await staging.publish({ facts, state, sign, prepare });
  const { manifest } = release;
  options.log(`nothing new: ${manifest.release} is refreshed, valid until ${manifest.signed!.expires}`);
  return { outcome, manifest, ...nothing };
}

/** Makes a release of data files only, up to the last of these snapshots. It is signed but never current. */
async function buildMissed(
  base: Published,
  after: readonly SnapshotFile[],
  prepare: (release: Published) => Promise<void>,
  given: BuildOptions,
  inputs: Inputs,
): Promise<Published> {
  // Data files only, and PDFs of closed years that exist already.
  const options = { ...given, log: () => {}, printing: null };
  const resume = base.state === null ? START : parseResume(base.state);
  const snapshots = after.filter(
    ({ id }) => resume.position.snapshot === null || id > resume.position.snapshot,
  );
  await using staging = await openStaging(options.out, base, { reuse: base.state !== null, isServed: false });
  const { folded, facts } = await stageData(staging, { snapshots, resume, runLog: null }, options, inputs);
  const { organisation } = inputs.documents;
  for (const pdf of await pdfJobs(staging, folded, options))
    await makePdf(staging, pdf, { ...options, organisation });
  const sign = signerOf(inputs.publisher, options, { isServed: false });
  const publication = { facts, state: formatResume(folded), sign, prepare };
  return (await staging.publish(publication)).release;
}

async function newSnapshots(
  ledger: LedgerDirectory,
  { plan: { until } }: BuildOptions,
  { position }: Resume,
): Promise<SnapshotFile[]> {
  const snapshots = await ledger.snapshots(position.snapshot);
  return until === undefined ? snapshots : snapshots.filter(({ id }) => id <= until);
}

/** Signs a release and adds the ledger's own signed checkpoint. Null: the release is not signed. */
function signerOf(
  publisher: Publisher | null,
  { ledger, verifiers }: BuildOptions,
  { isServed } = { isServed: true },
): Exclude<Publication['sign'], undefined> {
  const sign = publisher?.signing?.sign;
  if (!sign) return null;
  return (release) =>
    sign(release, { checkpoint: checkpointOf(ledger, release.ledger, verifiers), isServed });
}

/** Whether a release was made from the same documents and settings, and has the contents that the plan asks for. */
function isUpToDate({ manifest }: Published, inputs: string, { plan }: BuildOptions): boolean {
  return manifest.inputs === inputs && partsOf(manifest).join() === partsAsked(plan.contents).join();
}
