import '../../reference/attestations/without-eval.ts';
import type { Origin } from '../../../../pipeline/verify/origin.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { elementsIn, recordsIn } from '../../../../pipeline/verify/versions/compare-versions.ts';
import {
  continues,
  type FileVersion,
  findVersion,
} from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatCount } from '../../../../pipeline/words/number.ts';
import { makeElement, makeLink } from '../../layout/make-element.ts';
import { limitDates } from './limit-dates.ts';
import { versionAddress } from './version-address.ts';

/** Releases that are read at once: an index has some 27 kB, 6 kB compressed. */
const AT_ONCE = 8;
/** Rows of longer additions are not counted. */
const MOST_COUNTED = 1 << 18;

const place = document.querySelector<HTMLElement>('#file-versions')!;
const path = place.dataset.path!;
const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);

const rows = makeElement('tbody', '');
const more = makeElement('button', 'quiet', 'Show earlier ones');
more.type = 'button';
const status = makeElement('p', 'muted');
status.setAttribute('role', 'status');
more.addEventListener('click', () => void show(rows.lastElementChild?.id ?? ''));

/** Adds the releases before a snapshot, or the newest ones. One more is read, to say what changed in the last one shown. */
async function show(before: string): Promise<void> {
  more.disabled = true;
  status.textContent = 'Reading the releases …';
  try {
    const entries = await (before === '' ? listed.newest(AT_ONCE + 1) : listed.before(before, AT_ONCE + 1));
    const versions = await Promise.all(
      entries.map(async (entry) => ({ entry, ...(await findVersion(origin, entry, path)) })),
    );
    const added = await countAdded(origin, versions);
    const isEnd = entries.length <= AT_ONCE;
    versions.slice(0, isEnd ? undefined : AT_ONCE).forEach((version, at) => {
      rows.append(rowOf(version, changeWords(version, versions[at + 1], added[at] ?? null)));
    });
    more.hidden = isEnd;
    status.textContent = isEnd ? `All ${formatCount(rows.children.length, 'release')} that are kept.` : '';
    choose();
  } catch (error) {
    status.textContent = `The releases cannot be read: ${(error as Error).message}`;
  }
  more.disabled = false;
}

/** A snapshot, and its version of the file if it has one. */
type Listed = Pick<FileVersion, 'entry'> & Partial<FileVersion>;

function isThere(version: Listed | undefined): version is FileVersion {
  return version?.file !== undefined;
}

function changeWords(version: Listed, before: Listed | undefined, added: number | null): string {
  if (!isThere(version)) return 'Not in this release';
  if (!before) return 'The first one';
  if (!isThere(before)) return 'New in this release';
  if (version.file.sha256 === before.file.sha256) return 'Same bytes';
  if (added !== null && added > 0) return `${formatCount(added, 'row')} added`;
  if (added === 0) return 'Header changed, no new row';
  return 'Changed';
}

/**
 * How many rows each version of a history has more than the next one; null where that is not known. All of them stand one after the
 * other at the front of the newest, so one request reads them. They are not verified here: a comparison does that.
 */
async function countAdded(from: Origin, versions: readonly Listed[]): Promise<(number | null)[]> {
  const ends = versions.map((version, at) => {
    const before = versions[at + 1];
    return isThere(version) && isThere(before) && continues(version, before)
      ? [lastOf(version), lastOf(before)]
      : null;
  });
  const [first] = versions;
  const known = ends.filter((end) => end !== null);
  const isOneFile = known.length > 0 && known.length === versions.length - 1 && isThere(first);
  if (!isOneFile) return [];
  const [newest, oldest] = [known[0]![0]!, known.at(-1)![1]!];
  if (newest - oldest > MOST_COUNTED) return [];
  const front =
    newest === oldest ? '' : await frontOf(from, first, newest, newest - oldest).catch(() => null);
  if (front === null) return [];
  const count = /\bjson$/.test(first.file.media_type) ? elementsIn : recordsIn;
  return known.map(([end, start]) => count(front.slice(newest - end!, newest - start!)).length);
}

function lastOf({ file }: FileVersion): number {
  return 'range' in file ? file.range.last : 0;
}

/** The first of the last bytes of a history, as one character each: rows are cut by bytes. */
async function frontOf(
  from: Origin,
  { entry, file }: FileVersion,
  last: number,
  bytes: number,
): Promise<string | null> {
  if (!('range' in file)) return null;
  const { of } = file.range;
  const opened = await from.open(entry.histories?.[of] ?? of, { last });
  if (opened === null || opened === 'unchanged') return null;
  let text = '';
  for await (const chunk of opened.body) {
    // A host without ranges begins with something else.
    if (opened.total === undefined) return null;
    for (const byte of chunk.subarray(0, bytes - text.length)) text += String.fromCharCode(byte);
    if (text.length === bytes) break;
  }
  return text;
}

function rowOf({ entry, file }: Listed, words: string): HTMLElement {
  const { id, as_of } = entry;
  const name = makeElement('th', 'tight', file ? makeLink(id, versionAddress(path, id)) : id);
  name.scope = 'row';
  const row = makeElement(
    'tr',
    '',
    name,
    makeElement('td', 'tight', formatMoment(as_of)),
    makeElement('td', 'tight', words),
    makeElement('td', '', makeElement('code', '', file?.sha256 ?? '')),
    makeElement('td', 'tight', ...(file ? [choice('with', id), choice('as_of', id)] : [])),
  );
  row.id = id;
  return row;
}

function choice(name: 'with' | 'as_of', id: string): HTMLElement {
  const input = makeElement('input', '');
  input.type = 'radio';
  input.name = name;
  input.value = id;
  const words = name === 'with' ? 'From' : 'to';
  return makeElement('label', '', input, ` ${words} `, makeElement('span', 'visually-hidden', id));
}

/** The two newest, until the reader chooses. */
function choose(): void {
  for (const [name, at] of [
    ['as_of', 0],
    ['with', 1],
  ] as const) {
    const inputs = rows.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`);
    if (![...inputs].some(({ checked }) => checked) && inputs[at]) inputs[at].checked = true;
  }
}

function headCell(words: string): HTMLElement {
  const cell = makeElement('th', '', words);
  cell.scope = 'col';
  return cell;
}

const heads = ['Snapshot', 'As of', 'What changed', 'SHA-256', 'Compare'].map(headCell);
const caption = makeElement('caption', 'visually-hidden', `Releases of ${path}`);
const table = makeElement(
  'table',
  '',
  caption,
  makeElement('thead', '', makeElement('tr', '', ...heads)),
  rows,
);
const scroll = makeElement('div', 'scroll', table);
scroll.tabIndex = 0;
scroll.role = 'region';
scroll.ariaLabel = `Releases of ${path}`;
const hidden = makeElement('input', '');
hidden.type = 'hidden';
hidden.name = 'file';
hidden.value = path;
const compare = makeElement('button', '', 'Compare the two');
const form = makeElement('form', '', hidden, scroll, makeElement('p', 'form-buttons', compare, ' ', more));
form.action = '/versions/';
place.replaceChildren(form, status);
const dates = document.querySelector<HTMLFormElement>('#version-form');
void show('').then(() => dates && limitDates(listed, dates));
