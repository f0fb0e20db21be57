import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import { showDirections } from '../../../../pipeline/artifacts/format/show-directions.ts';
import type { Changes, LevelChange } from '../../../../pipeline/forms/changes/changes-between.ts';
import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatChange, formatCount, formatNumber, NO_VALUE } from '../../../../pipeline/words/number.ts';
import { formatCathedral, formatList, formatToken } from '../../../../pipeline/words/phrase.ts';

/** A row of a section. */
export interface Line {
  cells: readonly string[];
  /** The page of what the row is about: its source, or its own page. */
  href: string;
}

/** One kind of change, as a table. The page, the text and the CSV have the same sections. */
export interface Section {
  id: string;
  title: string;
  /** The portals that it is about. Empty: about all of them. */
  areas: readonly Area[];
  columns: readonly string[];
  /** The column that leads to the page of a row. */
  linked: number;
  /** The columns with numbers. */
  numbers: readonly number[];
  /** The column with a short word, which stays on one line. */
  result?: number;
  /** Newest first where they have a day. */
  lines: readonly Line[];
  /** What it says without lines. */
  empty: string;
  note?: string;
}

/** Everything that changed, in the order in which a page shows it; with `area`, the figures of that portal alone. */
export function sectionsOf(changes: Changes, area?: Area): Section[] {
  return [
    figures(changes, area),
    flows(changes, area),
    decisions(changes),
    deliberations(changes),
    multipliers(changes),
    outages(changes),
    alerts(changes),
    audits(changes),
    rows(changes),
    schemas(changes),
  ];
}

function ofArea<T extends { areas: readonly Area[] }>(all: readonly T[], area: Area | undefined): T[] {
  return all.filter(({ areas }) => area === undefined || areas.includes(area));
}

function figures({ levels, since, until }: Changes, area?: Area): Section {
  return {
    id: 'figures',
    title: 'Figures',
    areas: [],
    columns: ['Figure', formatDay(since), formatDay(until), 'Change'],
    linked: 0,
    numbers: [1, 2, 3],
    lines: ofArea(levels, area).map((one) => ({
      cells: [
        named(one),
        valueWords(one.before, one.places),
        valueWords(one.now, one.places),
        changeWords(one),
      ],
      href: `/files/${one.path}/`,
    })),
    empty: 'This portal has no figures that are published by day.',
    note: 'At the end of both days. Each figure leads to the file that has it for every day.',
  };
}

function named({ label, unit }: { label: string; unit: string }): string {
  return unit === '' || unit === 'of 1' ? label : `${label}, ${unit}`;
}

function valueWords(value: number | null, places: number): string {
  return value === null ? NO_VALUE : formatNumber(value, places);
}

/** `+760,927 (+6.3 %)`; without the share where it says nothing. */
export function changeWords({ change, before, places, unit }: LevelChange): string {
  if (change === null) return NO_VALUE;
  const words = formatChange(change, places);
  if (!/[1-9]/.test(words)) return 'unchanged';
  const share = unit === 'MIC' && before !== null && before > 0 ? (change / before) * 100 : null;
  return share === null ? words : `${words} (${formatChange(share, 1)} %)`;
}

function flows({ flows }: Changes, area?: Area): Section {
  return {
    id: 'counted',
    title: 'Counted in these days',
    areas: [],
    columns: ['What', 'Number'],
    linked: 0,
    numbers: [1],
    lines: ofArea(flows, area).map((one) => ({
      cells: [named(one), formatNumber(one.sum, one.places)],
      href: `/files/${one.path}/`,
    })),
    empty: 'Nothing is counted by day here.',
    note: 'After the end of the first day, up to the end of the second.',
  };
}

function decisions({ decisions }: Changes): Section {
  return {
    id: 'decisions',
    title: 'Decisions',
    areas: ['philosophy'],
    columns: ['Recorded', 'Decision'],
    linked: 1,
    numbers: [],
    lines: decisions.toReversed().map(({ date, topic, href }) => ({ cells: [formatDay(date), topic], href })),
    empty: 'No decision was recorded.',
  };
}

function deliberations({ deliberations }: Changes): Section {
  return {
    id: 'deliberations',
    title: 'Deliberations closed',
    areas: ['philosophy', 'academics'],
    columns: ['Closed', 'Deliberation', 'Result'],
    linked: 1,
    numbers: [],
    result: 2,
    lines: deliberations.toReversed().map(({ date, topic, consensus, href }) => ({
      cells: [formatDay(date), topic, consensus === 'reached' ? 'consensus' : 'no consensus'],
      href,
    })),
    empty: 'No deliberation was closed.',
  };
}

function multipliers({ multipliers }: Changes): Section {
  return {
    id: 'multipliers',
    title: 'Multipliers',
    areas: ['economy'],
    columns: ['Set', 'Cathedral', 'Before', 'From then on', 'Reason'],
    linked: 1,
    numbers: [2, 3],
    lines: multipliers.toReversed().map(({ date, cathedral, before, multiplier, reason, href }) => ({
      cells: [
        formatDay(date),
        formatCathedral(cathedral),
        valueWords(before, 2),
        formatNumber(multiplier, 2),
        formatToken(reason),
      ],
      href,
    })),
    empty: 'No multiplier was set.',
  };
}

function outages({ outages }: Changes): Section {
  return {
    id: 'outages',
    title: 'Outages',
    areas: ['government', 'academics'],
    columns: ['Days', 'Sentinel'],
    linked: 1,
    numbers: [],
    lines: outages.toReversed().map(({ date, to, sentinel, href }) => ({
      cells: [date === to ? formatDay(date) : `${formatDay(date)} to ${formatDay(to)}`, sentinel],
      href,
    })),
    empty: 'No sentinel was silent for more than 24 hours.',
    note: 'Days on which a sentinel had been silent for more than 24 hours.',
  };
}

function alerts({ alerts, flows }: Changes): Section {
  const raised = flows.find(({ name }) => name === 'alerts_raised')!.sum;
  return {
    id: 'alerts',
    title: 'Alerts that are still open',
    areas: ['government'],
    columns: ['Raised', 'Severity', 'Alert'],
    linked: 2,
    numbers: [],
    lines: alerts
      .toReversed()
      .map(({ date, severity, message, href }) => ({ cells: [formatDay(date), severity, message], href })),
    empty:
      raised === 0
        ? 'No alert was raised.'
        : `${formatCount(raised, 'alert')} ${raised === 1 ? 'was' : 'were'} raised, of which none is open now.`,
  };
}

function audits({ audits, flows }: Changes): Section {
  const count = flows.find(({ name }) => name === 'audits')!.sum;
  return {
    id: 'audits',
    title: 'Compliance',
    areas: ['government'],
    columns: ['Last audit', 'Jurisdiction', 'Status by the report of that year'],
    linked: 1,
    numbers: [],
    lines: audits.toReversed().map(({ date, jurisdiction, status, href }) => ({
      cells: [formatDay(date), jurisdiction, formatToken(status)],
      href,
    })),
    empty:
      count === 0
        ? 'No regime was audited.'
        : `${formatCount(count, 'audit')} took place. Reports name the last audit of each jurisdiction, and those were later.`,
  };
}

function rows({ rows }: Changes): Section {
  return {
    id: 'rows',
    title: 'Rows added',
    areas: ['academics'],
    columns: ['File', 'Rows'],
    linked: 0,
    numbers: [1],
    lines: rows.map(({ path, rows }) => ({ cells: [path, formatNumber(rows)], href: `/files/${path}/` })),
    empty: 'No file got rows.',
    note: 'Rows are only ever added to these files. Every other file is replaced by its newer version.',
  };
}

/** One line for all files that changed alike. */
function schemas({ schemas }: Changes): Section {
  const alike = Map.groupBy(schemas.toReversed(), ({ date, version, change }) =>
    JSON.stringify([date, version, change]),
  );
  return {
    id: 'schemas',
    title: 'Schemas',
    areas: ['academics'],
    columns: ['Day', 'Version of the software', 'Files', 'Change'],
    linked: 2,
    numbers: [],
    lines: [...alike.values()].map((files) => {
      const { date, version, change, path } = files[0]!;
      const named = files.length === 1 ? path : `${formatNumber(files.length)} files`;
      return {
        cells: [formatDay(date), version, named, change],
        href: files.length === 1 ? `/files/${path}/#schema` : '/files/',
      };
    }),
    empty: 'No file’s schema changed.',
    note: 'By the day on which the software with the new schema was dated.',
  };
}

/** The most important changes in a few sentences. */
export function summaryOf(changes: Changes): string[] {
  const level = (name: LevelChange['name']) => changes.levels.find((one) => one.name === name)!;
  const flow = (name: Changes['flows'][number]['name']) =>
    changes.flows.find((one) => one.name === name)!.sum;
  const supply = level('total_supply');
  const index = level('mii');
  const off = flow('minting_off');
  const { outages, decisions, deliberations } = changes;
  const reached = deliberations.filter(({ consensus }) => consensus === 'reached').length;
  const names = [...new Set(outages.map(({ sentinel }) => sentinel))];
  return [
    supply.change === null || supply.change === 0
      ? 'No MIC were minted.'
      : `Total supply grew by ${formatNumber(supply.change)} to ${formatNumber(supply.now!)} MIC${supply.before! > 0 ? `, or ${formatNumber((supply.change / supply.before!) * 100, 1)} %` : ''}.`,
    index.now === null
      ? 'The integrity index has no reading yet.'
      : `The integrity index was ${formatNumber(index.now, 4)}${index.before === null ? '' : ` after ${formatNumber(index.before, 4)}`}, and minting was off at the end of ${off === 0 ? 'no day' : formatCount(off, 'day')}.`,
    `${sentence(formatCount(decisions.length, 'decision'))} ${decisions.length === 1 ? 'was' : 'were'} recorded and ${formatCount(deliberations.length, 'deliberation')} closed${deliberations.length === 0 ? '' : `, ${reached === deliberations.length ? (reached === 1 ? '' : 'all ') : `${reached === 0 ? 'none' : formatNumber(reached)} of them `}with consensus`}.`,
    outages.length === 0
      ? 'No sentinel was silent for more than 24 hours.'
      : `There ${outages.length === 1 ? 'was' : 'were'} ${formatCount(outages.length, 'outage')} of more than 24 hours: ${names.length > 5 ? `${formatNumber(names.length)} sentinels` : formatList(names)}.`,
  ].map((words) => showDirections(words));
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is compared, in one line. */
export function periodWords({ since, until, days }: Pick<Changes, 'since' | 'until' | 'days'>): string {
  return `From the end of ${formatDay(since)} to the end of ${formatDay(until)}: ${formatCount(days, 'day')}`;
}

/** The address of a period. */
export function periodAddress({ since, until }: Pick<Changes, 'since' | 'until'>): string {
  return `/changes/?since=${since}&until=${until}`;
}

/** Rows that a page shows of a section. The CSV and the JSON have all. */
const MOST_LINES = 100;

/** The result as HTML, for the page that the site has and for the browser. */
export function reportHtml(changes: Changes): string {
  return [
    `<h2 id="period">${escapeHtml(periodWords(changes))}</h2>`,
    `<p class="change-summary">${summaryOf(changes).map(escapeHtml).join(' ')}</p>`,
    ...sectionsOf(changes).map((section) => sectionHtml(section)),
  ].join('\n');
}

export interface SectionLook {
  /** Rows that are shown. */
  most?: number;
  /** Of the heading. */
  level?: 2 | 3;
  /** Before the ids, where the page has others of the kind. */
  prefix?: string;
  /** The sentence after the rows that are shown, for the number of the others. */
  moreWords?: (count: number) => string;
}

/** A section as HTML. */
export function sectionHtml(section: Section, look: SectionLook = {}): string {
  const { most = MOST_LINES, level = 3, prefix = 'changed-' } = look;
  const {
    moreWords = (count: number) => `and ${formatNumber(count)} more, in the CSV and the JSON of this page.`,
  } = look;
  const { id, title, lines, empty, note } = section;
  const shown = lines.slice(0, most);
  const more = lines.length - shown.length;
  const body = [
    `<h${level} id="${prefix}${id}">${title}</h${level}>`,
    lines.length === 0 ? `<p>${escapeHtml(empty)}</p>` : tableHtml(section, shown, `${prefix}${id}`),
    more > 0 ? `<p class="muted more">${escapeHtml(moreWords(more))}</p>` : '',
    note && lines.length > 0 ? `<p class="muted note">${escapeHtml(note)}</p>` : '',
  ];
  return `<section class="change-section" data-section="${id}" aria-labelledby="${prefix}${id}">${body.join('')}</section>`;
}

function tableHtml(
  { columns, linked, numbers, title, result }: Section,
  lines: readonly Line[],
  heading: string,
): string {
  // A first column that leads nowhere has days.
  const isTight = (index: number) => (index === 0 && linked > 0) || index === result;
  const look = (index: number) =>
    numbers.includes(index) ? ' class="number"' : isTight(index) ? ' class="tight"' : '';
  const head = columns.map((name, index) => `<th scope="col"${look(index)}>${escapeHtml(name)}</th>`);
  const rows = lines.map(({ cells, href }) => {
    const row = cells.map((text, index) => {
      const words = escapeHtml(text);
      const content = index === linked ? `<a href="${escapeHtml(href)}">${words}</a>` : words;
      return index === 0 ? `<th scope="row"${look(0)}>${content}</th>` : `<td${look(index)}>${content}</td>`;
    });
    return `<tr>${row.join('')}</tr>`;
  });
  return `<div class="scroll" role="group" tabindex="0" aria-labelledby="${heading}"><table><caption class="visually-hidden">${title}</caption><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** Texts of the ledger may contain anything. */
function escapeHtml(text: string): string {
  return showDirections(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The result as plain text, for a message. */
export function reportText(changes: Changes, baseUrl: string): string {
  const sections = sectionsOf(changes).map(({ title, columns, lines, empty }) =>
    [
      title.toUpperCase(),
      ...(lines.length === 0
        ? [empty]
        : [columns.join(' | '), ...lines.slice(0, MOST_LINES).map(({ cells }) => cells.join(' | '))]),
      ...(lines.length > MOST_LINES ? [`and ${formatNumber(lines.length - MOST_LINES)} more`] : []),
    ].join('\n'),
  );
  return showDirections(
    [
      `What changed. ${periodWords(changes)}`,
      summaryOf(changes).join('\n'),
      ...sections,
      `Source: Cathedral Data Service, ${baseUrl}${periodAddress(changes)}`,
    ].join('\n\n'),
  );
}

/** The result as CSV: a row for each row of the sections, with the numbers as they are. */
export function reportCsv(changes: Changes, baseUrl: string): string {
  const header = ['section', 'name', 'unit', 'since', 'until', 'change', 'address'];
  const figureRows = changes.levels.map(({ name, unit, before, now, change, path }) => [
    'figures',
    name,
    unit === 'of 1' ? 'share' : unit,
    before,
    now,
    change,
    `/files/${path}/`,
  ]);
  const flowRows = changes.flows.map(({ name, unit, sum, path }) => [
    'counted',
    name,
    unit,
    null,
    null,
    sum,
    `/files/${path}/`,
  ]);
  const others = sectionsOf(changes)
    .filter(({ id }) => id !== 'figures' && id !== 'counted')
    .flatMap(({ id, lines }) =>
      lines.map(({ cells, href }) => [id, cells.join(' | '), '', null, null, null, href]),
    );
  return [header, ...figureRows, ...flowRows, ...others]
    .map((cells, index) =>
      cells
        .map((cell, column) => csvCell(index > 0 && column === cells.length - 1 ? `${baseUrl}${cell}` : cell))
        .join(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Quoted where needed. A spreadsheet must not run a text of the ledger as a formula. */
function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** How to cite the result. */
export function reportCitation(changes: Changes, baseUrl: string, author: string): string {
  const { since, until } = changes;
  return `${author} (${until.slice(0, 4)}). Changes from the end of ${since} to the end of ${until}. Cathedral Data Service. ${baseUrl}${periodAddress(changes)}`;
}
