import '../../reference/attestations/without-eval.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { type FileVersion, findVersion } from '../../../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatChange, formatNumber } from '../../../../pipeline/words/number.ts';
import { make, makeButton, makeElement } from '../../layout/make-element.ts';
import { drawPart, element } from '../../layout/tool.ts';
import { linkPart, type Part, part, tablePart } from '../../layout/worker-parts.ts';
import { limitDates } from './limit-dates.ts';
import { versionAddress } from './version-address.ts';

/** Releases that are read at once: an index has some 27 kB, 6 kB compressed. */
const AT_ONCE = 8;

const place = element('#file-versions');
const path = place.dataset.path!;
const origin = new PageOrigin();
const listed = new ListedSnapshots(origin);

/** A snapshot, and its version of the file if it has one. */
type Listed = Pick<FileVersion, 'entry'> & Partial<FileVersion>;
const shown: Listed[] = [];

const list = makeElement('div', '');
const more = makeButton('Show earlier ones', () => void show(), 'quiet');
const status = make('p', { class: 'muted', role: 'status' });

/** Adds the releases before those that are there. One more is read, to say how the last one shown differs from it. */
async function show(): Promise<void> {
  more.disabled = true;
  status.textContent = 'Reading the releases …';
  try {
    const last = shown.at(-1)?.entry.id;
    const entries = await (last === undefined
      ? listed.newest(AT_ONCE + 1)
      : listed.before(last, AT_ONCE + 1));
    const versions = await Promise.all(
      entries.map(async (entry) => ({ entry, ...(await findVersion(origin, entry, path)) })),
    );
    const isEnd = entries.length <= AT_ONCE;
    shown.push(...versions.slice(0, isEnd ? undefined : AT_ONCE));
    drawRows(isEnd ? undefined : versions.at(-1));
    more.hidden = isEnd;
    status.textContent = isEnd ? allKept(shown.length) : '';
  } catch (error) {
    status.textContent = `The releases cannot be read: ${(error as Error).message} `;
    status.append(makeButton('Try again', () => void show(), 'quiet'));
  }
  more.disabled = false;
}

/** `next`: the one before those that are shown. */
function drawRows(next: Listed | undefined): void {
  const chosen = new Map(
    [...list.querySelectorAll<HTMLInputElement>('input:checked')].map(({ name, value }) => [name, value]),
  );
  const rows = shown.map((version, at) => rowOf(version, shown[at + 1] ?? next));
  list.replaceChildren(
    drawPart(
      tablePart(
        `Releases of ${path}`,
        ['Snapshot', 'As of', 'Against the one before', 'SHA-256', 'Compare'],
        rows,
      ),
    ),
  );
  // The two newest, until the reader chooses.
  for (const [name, at] of [
    ['as_of', 0],
    ['with', 1],
  ] as const) {
    const inputs = [...list.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
    const wanted = inputs.find(({ value }) => value === chosen.get(name)) ?? inputs[at];
    if (wanted) wanted.checked = true;
  }
}

function rowOf(version: Listed, before: Listed | undefined): (string | Part)[] {
  const { entry, file } = version;
  const { id } = entry;
  return [
    file ? linkPart(id, versionAddress(path, id)) : id,
    formatMoment(entry.as_of),
    changeWords(version, before),
    part('code', {}, file?.sha256 ?? ''),
    part('span', {}, ...(file ? [choice('with', id), choice('as_of', id)] : [])),
  ];
}

function changeWords({ file }: Listed, before: Listed | undefined): string {
  if (!file) return 'Not in this release';
  if (!before) return 'The first one';
  if (!before.file) return 'New in this release';
  if (file.sha256 === before.file.sha256) return 'Same bytes';
  const bytes = file.bytes - before.file.bytes;
  return bytes === 0 ? 'Changed, of the same size' : `${formatChange(bytes, 0)} bytes`;
}

function choice(name: 'with' | 'as_of', id: string): Part {
  const input = part('input', { type: 'radio', name, value: id });
  return part(
    'label',
    {},
    input,
    name === 'with' ? ' From ' : ' to ',
    part('span', { class: 'visually-hidden' }, id),
  );
}

place.replaceChildren(
  make(
    'form',
    { action: '/versions/' },
    make('input', { type: 'hidden', name: 'file', value: path }),
    list,
    makeElement('p', 'form-buttons', make('button', {}, 'Compare the two'), ' ', more),
  ),
  status,
);
const dates = document.querySelector<HTMLFormElement>('#version-form');
void show().then(() => dates && limitDates(listed, dates));

function allKept(releases: number): string {
  return releases === 1
    ? 'Only one release is kept.'
    : `All ${formatNumber(releases)} releases that are kept.`;
}
