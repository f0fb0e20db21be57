import '../../reference/attestations/without-eval.ts';
import '../file-script.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { parseVerifierKey, type Verifier } from '../../../../pipeline/ledger/notes/note.ts';
import { INDEX, SNAPSHOTS, type SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import { dayAsOf } from '../../../../pipeline/release/format/version-at.ts';
import { readSmall } from '../../../../pipeline/verify/origin.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { assertSigned, type Stored } from '../../../../pipeline/verify/snapshots.ts';
import { compareVersions } from '../../../../pipeline/verify/versions/compare-versions.ts';
import { type FileVersion, readVersion } from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatBytes, formatNumber } from '../../../../pipeline/words/number.ts';
import { makeElement, makeLink } from '../../layout/make-element.ts';
import { element, Failed, Steps, Stopped, Uncheckable } from '../../verification/steps.ts';
import { addCopyButton, type Clipboard } from '../copy-button.ts';
import { csvRows, indentJson } from '../preview.ts';
import { limitDates } from './limit-dates.ts';
import { comparisonWords, showComparison } from './show-comparison.ts';
import { versionAddress, versionFileName } from './version-address.ts';
import { type FoundVersion, NoSuchVersion, wantedVersion } from './wanted-version.ts';

const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);

/** Of the file's beginning. */
const SHOWN_BYTES = 16_384;
const SHOWN_ROWS = 11;
const SHOWN_LINES = 30;
const LONGEST_KEYS = 16_384;

/** What the address asks for. */
interface Wanted {
  path: string;
  /** Empty: the newest one. */
  asOf: string;
  /** What to compare it with; empty: nothing. */
  other: string;
}

function wantedIn(query: URLSearchParams): Wanted | null {
  const [path, asOf = '', other = ''] = ['file', 'as_of', 'with'].map(
    (name) => query.get(name)?.trim() ?? '',
  );
  return path ? { path: path.replace(/^\//, ''), asOf, other } : null;
}

async function findVersion(steps: Steps, path: string, asOf: string, name: string): Promise<FoundVersion> {
  const near: SnapshotEntry[] = [];
  try {
    return await steps.need(name === 'as_of' ? 'Snapshot' : 'Compared with', async () => {
      const value = await wantedVersion(listed, origin, { path, asOf, name }).catch((error) => {
        if (error instanceof NoSuchVersion) near.push(...error.near);
        throw error;
      });
      const { id, as_of, log_size, release } = value.entry;
      const words = `${id}, as of ${formatMoment(as_of)}: ${formatNumber(log_size)} events of the log, release ${release}.`;
      return { words, value };
    });
  } catch (error) {
    if (error instanceof Uncheckable && near.length > 0) throw new Nearby(near);
    throw error;
  }
}

/** There is no such version, and these snapshots are the nearest. */
class Nearby extends Uncheckable {
  readonly snapshots: readonly SnapshotEntry[];

  constructor(snapshots: readonly SnapshotEntry[]) {
    super();
    this.snapshots = snapshots;
  }
}

function progressOf(steps: Steps, { file }: FileVersion) {
  return (bytes: number) => steps.say(`Reading: ${formatBytes(bytes)} of ${formatBytes(file.bytes)} …`);
}

async function readFile(steps: Steps, version: FoundVersion): Promise<Blob> {
  const { file, entry } = version;
  return steps.need('File', async () => {
    const value = await readVersion(origin, version, progressOf(steps, version));
    const from =
      'url' in file
        ? `from /${file.url}`
        : `from its header and the last ${formatNumber(file.range.last)} bytes of /${entry.histories?.[file.range.of] ?? file.range.of}`;
    return {
      words: `${formatBytes(file.bytes)}, ${from}. SHA-256 ${file.sha256}, computed here, is that of the snapshot’s index.`,
      value,
    };
  });
}

async function verifySignature(steps: Steps, { snapshot, entry }: FoundVersion): Promise<void> {
  const stored = snapshot.files.filter((file): file is Stored => 'url' in file);
  const name = 'Signature';
  if (!stored.some(({ path }) => path === 'manifest.json.sig'))
    return steps.skip(name, 'Nobody signed this snapshot: its release was not signed.');
  await steps.attempt(name, async () => {
    const keys = await publisherKeys();
    const voucher = await assertSigned(snapshot, stored, {
      keys,
      origin,
      place: origin.placeOf(entry.index.path),
    });
    const all = 'The signed manifest of its release has the hash of every file.';
    const by =
      voucher === 'known key'
        ? 'A key of /publisher.vkey signed it; compare that key with one that you got out of band.'
        : 'A key that the manifest itself names signed it, which is no longer in /publisher.vkey: compare it with one of that time.';
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

async function compare(steps: Steps, one: FoundVersion, other: FoundVersion) {
  const [newer, older] = one.entry.id >= other.entry.id ? [one, other] : [other, one];
  return steps.need('Comparison', async () => {
    const value = await compareVersions(origin, newer, older, progressOf(steps, newer));
    const [before, now] = [older, newer].map(({ entry }) => entry.id);
    return {
      words: `From ${before} to ${now}: ${comparisonWords(value)} The hashes of both versions were verified.`,
      value,
    };
  });
}

async function show(steps: Steps, { path, asOf, other }: Wanted): Promise<void> {
  const version = await findVersion(steps, path, asOf, 'as_of');
  if (other !== '') {
    const found = await compare(steps, version, await findVersion(steps, path, other, 'with'));
    return steps.end(`/${path}: ${comparisonWords(found)}`, 'valid', ...showComparison(found));
  }
  const blob = await readFile(steps, version);
  await verifySignature(steps, version);
  const words = `/${path} as of ${formatMoment(version.entry.as_of)}`;
  const extras = await extrasOf(version, blob);
  if (steps.failed > 0) steps.end(`${words}: do not rely on it, a step does not hold`, 'invalid', ...extras);
  else steps.end(words, steps.uncheckable > 0 ? 'open' : 'valid', ...extras);
}

async function extrasOf({ entry, file }: FoundVersion, blob: Blob): Promise<Node[]> {
  const save = makeElement(
    'a',
    'button',
    'Save this version',
    makeElement('span', 'size', formatBytes(blob.size)),
  );
  save.href = URL.createObjectURL(blob);
  save.download = versionFileName(file.path, entry.id, file.media_type);
  const [before, after] = await listed.neighbours(entry.id).catch(() => []);
  const links = [
    before && makeLink('Earlier', versionAddress(file.path, before.id)),
    after && makeLink('Later', versionAddress(file.path, after.id)),
    before && makeLink('What changed since the one before', versionAddress(file.path, entry.id, before.id)),
    makeLink(`Snapshot ${entry.id}`, `/${SNAPSHOTS}/${entry.id}/${INDEX}`),
  ].filter((one) => one !== undefined);
  return [
    makeElement('p', 'buttons', save, ...links),
    makeElement('h5', '', 'Permanent address'),
    ...addresses(entry, file),
    makeElement('h5', '', 'Beginning of the file'),
    await preview(file, blob),
  ];
}

/** As citations have it, and for a history, which only a service assembles, as any static host has it too. */
function addresses({ id }: SnapshotEntry, file: FoundVersion['file']): Node[] {
  const base = element('#version-outcome').dataset.base ?? location.origin;
  const permanent = copyable(`${base}/${SNAPSHOTS}/${id}/${file.path}`, 'the permanent address');
  if ('url' in file) return [permanent];
  const words = 'This page assembles it on every host, also on a static copy without the service:';
  return [
    permanent,
    makeElement('p', '', words),
    copyable(`${location.origin}${versionAddress(file.path, id)}`, 'the address of this page'),
  ];
}

function copyable(text: string, name: string): HTMLElement {
  const block = makeElement('div', 'copyable', makeElement('pre', '', makeElement('code', '', text)));
  block.dataset.copy = name;
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard) addCopyButton(block, clipboard);
  return block;
}

async function preview({ path, media_type: type }: FoundVersion['file'], blob: Blob): Promise<Node> {
  const text = await blob.slice(0, SHOWN_BYTES).text();
  if (/^text\/csv/.test(type)) return table(path, csvRows(text, SHOWN_ROWS));
  if (!/\bjson$|^text\/|bibtex/.test(type))
    return makeElement('p', 'muted', 'It is not text: save it to read it.');
  const lines = (/\bjson$/.test(type) ? indentJson(text) : text).split('\n');
  const shown = lines.slice(0, SHOWN_LINES).join('\n');
  const isCut = lines.length > SHOWN_LINES || blob.size > SHOWN_BYTES;
  const beginning = makeElement('pre', '', makeElement('code', '', isCut ? `${shown}\n…` : shown));
  beginning.tabIndex = 0;
  beginning.role = 'region';
  beginning.ariaLabel = `The beginning of ${path}`;
  return beginning;
}

function table(path: string, [columns = [], ...rows]: readonly string[][]): Node {
  const head = columns.map((name) => {
    const cell = makeElement('th', '', name);
    cell.scope = 'col';
    return cell;
  });
  const body = rows.map((row) =>
    makeElement('tr', '', ...row.map((cell) => makeElement('td', 'tight', cell))),
  );
  const scroll = makeElement(
    'div',
    'scroll',
    makeElement(
      'table',
      '',
      makeElement('thead', '', makeElement('tr', '', ...head)),
      makeElement('tbody', '', ...body),
    ),
  );
  scroll.tabIndex = 0;
  scroll.role = 'region';
  scroll.ariaLabel = `The first rows of ${path}`;
  return scroll;
}

async function run(wanted: Wanted): Promise<void> {
  const steps = new Steps(element('#version-outcome'));
  try {
    await show(steps, wanted);
  } catch (error) {
    if (error instanceof Stopped) steps.end('Stopped before the file was there', 'open');
    else if (error instanceof Failed)
      steps.end('This is not the file as it was: see the step that failed', 'invalid');
    else if (error instanceof Uncheckable) {
      const near = error instanceof Nearby ? error.snapshots : [];
      const links = near.map(({ id }) => makeLink(`As of ${id}`, versionAddress(wanted.path, id)));
      steps.end(
        'This version cannot be shown: see the step that says why',
        'open',
        ...(links.length > 0 ? [makeElement('p', 'buttons', ...links)] : []),
      );
    } else if (error instanceof CathedralError) steps.end(error.message, 'open');
    else steps.end(`This page failed: ${(error as Error).message}`, 'open');
  }
}

const form = element<HTMLFormElement>('#version-form');
const wanted = wantedIn(new URLSearchParams(location.search));
if (wanted) fillIn(wanted);
void (wanted ? run(wanted) : Promise.resolve()).then(() => limitDates(listed, form));

function fillIn({ path, asOf, other }: Wanted): void {
  const file = form.elements.namedItem('file') as HTMLSelectElement;
  // Also schemas and closed years have versions, and are not on the list.
  if (![...file.options].some(({ value }) => value === path)) file.add(new Option(path, path));
  file.value = path;
  const dates = { as_of: asOf, with: other };
  for (const [name, text] of Object.entries(dates))
    (form.elements.namedItem(name) as HTMLInputElement).value = dayAsOf(text) ?? '';
}
