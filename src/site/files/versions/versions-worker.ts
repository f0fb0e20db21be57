import { parseVerifierKey, type Verifier } from '../../../../pipeline/ledger/notes/note.ts';
import { INDEX, SNAPSHOTS, type SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import { readSmall } from '../../../../pipeline/verify/origin.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { assertSigned, type Stored } from '../../../../pipeline/verify/snapshots.ts';
import { readVersion } from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { type Ending, type StepNews, Steps, Uncheckable } from '../../layout/steps.ts';
import { answerJobs } from '../../layout/worker-jobs.ts';
import { codePart, linkPart, type Part, part, savePart, tablePart } from '../../layout/worker-parts.ts';
import { HEAD_BYTES, previewOf } from '../preview.ts';
import { type FoundVersion, NoSuchVersion, versionAddress, wantedVersion } from './wanted-version.ts';

/** What the address asks for. */
export interface VersionJob {
  path: string;
  /** Empty: the newest one. */
  asOf: string;
  /** Where the service is, for permanent addresses. */
  base: string;
}

const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);

const LONGEST_KEYS = 16_384;

const WORDS = {
  failed: 'This is not the file as it was: see the step that failed',
  uncheckable: 'This version cannot be shown: see the step that says why',
};

answerJobs<VersionJob, Ending, StepNews>((job, tell) => Steps.run(tell, (steps) => show(steps, job), WORDS));

async function show(steps: Steps, job: VersionJob): Promise<void> {
  let near: readonly SnapshotEntry[] = [];
  try {
    const version = await steps.need('Snapshot', async () => {
      const value = await wantedVersion(listed, origin, job).catch((error) => {
        if (error instanceof NoSuchVersion) ({ near } = error);
        throw error;
      });
      const { id, as_of, log_size, release } = value.entry;
      const words = `${id}, as of ${formatMoment(as_of)}: ${formatCount(log_size, 'event')} of the log, release ${release}.`;
      return { words, value };
    });
    await showVersion(steps, version, job);
  } catch (error) {
    if (!(error instanceof Uncheckable) || near.length === 0) throw error;
    const links = near.map(({ id }) => linkPart(`As of ${id}`, versionAddress(job.path, id)));
    steps.end(WORDS.uncheckable, 'open', part('p', { class: 'buttons' }, ...links));
  }
}

async function showVersion(steps: Steps, version: FoundVersion, { base }: VersionJob): Promise<void> {
  const { entry, file } = version;
  const blob = await steps.need('File', async () => {
    const value = await readVersion(origin, version, (bytes) =>
      steps.say(`Reading: ${formatBytes(bytes)} of ${formatBytes(file.bytes)} …`),
    );
    const from =
      'url' in file
        ? `from /${file.url}`
        : `from its header and the last ${formatNumber(file.range.last)} bytes of /${entry.histories?.[file.range.of] ?? file.range.of}`;
    return {
      words: `${formatBytes(file.bytes)}, ${from}. SHA-256 ${file.sha256}, computed here, is that of the snapshot’s index.`,
      value,
    };
  });
  await verifySignature(steps, version);
  const words = `/${file.path} as of ${formatMoment(entry.as_of)}`;
  const more = [
    part('p', { class: 'buttons' }, saveVersion(version, blob), ...(await linksFrom(version))),
    part('h3', {}, 'Permanent address'),
    ...addresses(version, base),
    part('h3', {}, 'Beginning of the file'),
    await preview(file, blob),
  ];
  if (steps.failed > 0) steps.end(`${words}: do not rely on it, a step does not hold`, 'invalid', ...more);
  else steps.end(words, steps.uncheckable > 0 ? 'open' : 'valid', ...more);
}

async function verifySignature(steps: Steps, { snapshot, entry }: FoundVersion): Promise<void> {
  const stored = snapshot.files.filter((file): file is Stored => 'url' in file);
  const name = 'Signature';
  if (!stored.some(({ path }) => path === 'manifest.json.sig'))
    return steps.skip(name, 'Nobody signed this snapshot: its release was not signed.');
  await steps.attempt(name, async () => {
    const keys = await publisherKeys();
    const place = origin.placeOf(entry.index.path);
    const voucher = await assertSigned(snapshot, stored, { keys, origin, place });
    const all = 'The signed manifest of its release has the hash of every file.';
    const by =
      voucher === 'known key'
        ? 'A key of /publisher.vkey signed it; compare that key with one that you got out of band.'
        : 'It was signed by a key that the manifest names and that is no longer in /publisher.vkey: compare it with a key of that time.';
    return { words: `${all} ${by}`, value: null };
  });
}

async function publisherKeys(): Promise<Verifier[]> {
  const found = await readSmall(origin, 'publisher.vkey', { most: LONGEST_KEYS });
  const text = found ? new TextDecoder().decode(found.bytes) : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseVerifierKey);
}

/** `economy/mic-history.csv` → `mic-history_2026-06-10T06Z.csv`; a file without an ending gets that of its media type. */
function versionFileName(path: string, id: string, mediaType: string): string {
  const [, name = path, ending = ''] = /([^/]+?)(\.\w+)?$/.exec(path) ?? [];
  return `${name}_${id}${ending || (/\bjson$/.test(mediaType) ? '.json' : '')}`;
}

function saveVersion({ file, entry }: FoundVersion, blob: Blob): Part {
  const name = versionFileName(file.path, entry.id, file.media_type);
  const link = savePart('Save this version', name, blob, { class: 'button' });
  return {
    ...link,
    children: [...link.children, ' ', part('span', { class: 'size' }, formatBytes(blob.size))],
  };
}

async function linksFrom({ file, entry }: FoundVersion): Promise<Part[]> {
  const [before, after] = await listed.neighbours(entry.id).catch(() => []);
  return [
    ...(before ? [linkPart('Earlier', versionAddress(file.path, before.id))] : []),
    ...(after ? [linkPart('Later', versionAddress(file.path, after.id))] : []),
    linkPart(`Snapshot ${entry.id}`, `/${SNAPSHOTS}/${entry.id}/${INDEX}`),
  ];
}

/** As citations have it, and for a history, which only a service assembles, as any static host has it too. */
function addresses({ entry: { id }, file }: FoundVersion, base: string): Part[] {
  const permanent = copyPart(`${base}/${SNAPSHOTS}/${id}/${file.path}`, 'the permanent address');
  if ('url' in file) return [permanent];
  const words = 'This page assembles it on any host, even on a static copy without the service:';
  const own = `${location.origin}${versionAddress(file.path, id)}`;
  return [permanent, part('p', {}, words), copyPart(own, 'the address of this page')];
}

/** The page adds a button that copies it. */
function copyPart(text: string, name: string): Part {
  return part('div', { class: 'copyable', 'data-copy': name }, part('pre', {}, part('code', {}, text)));
}

async function preview(file: FoundVersion['file'], blob: Blob): Promise<Part> {
  const shown = previewOf(await blob.slice(0, HEAD_BYTES).text(), file);
  if (shown === null) return part('p', { class: 'muted' }, 'This file is not text: save it to read it.');
  if (shown.kind === 'table') return tablePart(`The first rows of ${file.path}`, shown.columns, shown.rows);
  return codePart(`The beginning of ${file.path}`, shown.whole ? shown.text : `${shown.text}\n…`);
}
