import { printable } from '../../../../pipeline/attestation/printable.ts';
import type { ChangedMember } from '../../../../pipeline/verify/versions/changed-members.ts';
import type { Comparison } from '../../../../pipeline/verify/versions/compare-versions.ts';
import { formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { makeElement } from '../../layout/make-element.ts';

/** Rows and members that are shown; the file has the others. */
const MOST_SHOWN = 200;
/** Characters of one value. */
const LONGEST_VALUE = 300;

/** A comparison in one sentence. */
export function comparisonWords(found: Comparison): string {
  if (found.kind === 'same') return 'Both are the same, byte for byte.';
  if (found.kind === 'bytes') return 'The two differ. They are not text, so this page cannot show where.';
  if (found.kind === 'members')
    return `${formatCount(found.changed.length, 'member')} differ.`.replace(
      /^1 member differ/,
      '1 member differs',
    );
  const { added, removed, header } = found;
  const rows = `${formatCount(added.length, 'row')} added, ${removed.length === 0 ? 'none' : formatNumber(removed.length)} removed`;
  return header.length > 0
    ? `${rows}; ${formatCount(header.length, 'member')} of the header changed.`
    : `${rows}.`;
}

export function showComparison(found: Comparison): HTMLElement[] {
  if (found.kind === 'members') return [membersTable(found.changed)];
  if (found.kind !== 'rows') return [];
  const { added, removed, header } = found;
  return [
    ...(header.length > 0 ? [makeElement('h5', '', 'The header'), membersTable(header)] : []),
    ...rowsList('Rows added', added),
    ...rowsList('Rows removed', removed),
  ];
}

function rowsList(title: string, rows: readonly string[]): HTMLElement[] {
  if (rows.length === 0) return [];
  const text = rows.slice(0, MOST_SHOWN).map((row) => printable(cut(row)));
  const list = makeElement('pre', 'rows', makeElement('code', '', text.join('\n')));
  list.tabIndex = 0;
  list.role = 'region';
  list.ariaLabel = title;
  return [makeElement('h5', '', title), list, ...more(rows.length)];
}

function membersTable(changed: readonly ChangedMember[]): HTMLElement {
  const head = ['Member', 'Before', 'Now'].map((name) => {
    const cell = makeElement('th', '', name);
    cell.scope = 'col';
    return cell;
  });
  const rows = changed.slice(0, MOST_SHOWN).map(({ path, before, now }) => {
    const member = makeElement('th', '', makeElement('code', '', printable(path)));
    member.scope = 'row';
    const cells = [before, now].map((value) => makeElement('td', '', valueCell(value)));
    return makeElement('tr', '', member, ...cells);
  });
  const caption = makeElement('caption', 'visually-hidden', 'Members that differ');
  const table = makeElement(
    'table',
    '',
    caption,
    makeElement('thead', '', makeElement('tr', '', ...head)),
    makeElement('tbody', '', ...rows),
  );
  const scroll = makeElement('div', 'scroll', table, ...more(changed.length));
  scroll.tabIndex = 0;
  scroll.role = 'region';
  scroll.ariaLabel = 'Members that differ';
  return scroll;
}

function valueCell(value: unknown): Node {
  if (value === undefined) return makeElement('span', 'muted', 'not there');
  return makeElement('code', '', printable(cut(JSON.stringify(value))));
}

function more(all: number): HTMLElement[] {
  if (all <= MOST_SHOWN) return [];
  return [makeElement('p', 'muted', `and ${formatNumber(all - MOST_SHOWN)} more.`)];
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
