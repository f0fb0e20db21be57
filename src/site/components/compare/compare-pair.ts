import { escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import { formatChange, formatNumber, NO_VALUE } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';

export type Kind = 'sentinel' | 'cathedral';

/** A sentinel or a cathedral, with the figures that its kind is compared by. */
export interface Subject {
  kind: Kind;
  /** As in the files and in the address: `ATLAS`, `FOR-ECONOMISTS`. */
  id: string;
  label: string;
  href: string;
  /** In the order of `MEASURES`; null if there is no value yet. */
  figures: readonly (number | null)[];
}

interface Measure {
  label: string;
  unit: string;
  decimals: number;
  /** The page of its file. */
  file: string;
}

const ROI = { unit: 'ratio', decimals: 3 };

export const MEASURES: Readonly<Record<Kind, readonly Measure[]>> = {
  sentinel: [
    { label: 'Up without an outage', unit: 'days', decimals: 0, file: 'government/sentinel-status.json' },
    { label: 'Integrity score', unit: 'of 1', decimals: 3, file: 'government/sentinel-status.json' },
    { label: 'Coordination score', unit: 'points', decimals: 1, file: 'government/sentinel-status.json' },
    { label: 'Multiplier', unit: 'factor', decimals: 2, file: 'economy/sentinel-roi.json' },
    { label: 'Rewards since genesis', unit: 'MIC', decimals: 0, file: 'economy/sentinel-roi.json' },
    { label: 'Return on a mint', ...ROI, file: 'economy/sentinel-roi.json' },
  ],
  cathedral: [
    { label: 'Active sentinels', unit: 'count', decimals: 0, file: 'economy/roi' },
    { label: 'Multiplier', unit: 'factor', decimals: 2, file: 'economy/roi' },
    { label: 'Rewards since genesis', unit: 'MIC', decimals: 0, file: 'economy/roi' },
    { label: 'Average return on a mint', ...ROI, file: 'economy/roi' },
  ],
};

/** The charts that have a series for each of the kind. */
export const CHARTS_OF: Readonly<Record<Kind, readonly string[]>> = {
  sentinel: ['coordination-history', 'uptime'],
  cathedral: ['minting', 'roi-by-cathedral'],
};

export type Asked = { pair: readonly [Subject, Subject] } | { fault: string };

/** The pair that an address names, in any case of letters; or what is wrong with it. Both missing: the first two. */
export function askedPair(subjects: readonly Subject[], a: string, b: string): Asked {
  const found = [a, b].map((name) => subjects.find(({ id }) => id.toLowerCase() === name.toLowerCase()));
  if (a === '' && b === '') return { pair: subjects.slice(0, 2) as [Subject, Subject] };
  for (const [index, name] of [a, b].entries()) {
    if (name === '') return { fault: `The address names only one of two: a and b are both needed.` };
    if (!found[index])
      return {
        fault: `“${name}” is no sentinel or cathedral of this ledger. There are ${namesOf(subjects)}.`,
      };
  }
  const [one, other] = found as [Subject, Subject];
  if (one === other)
    return { fault: `${one.label} cannot be compared with itself. Choose two different names.` };
  if (one.kind !== other.kind)
    return {
      fault: `${one.label} is a ${one.kind}, ${other.label} a ${other.kind}. Choose two of one kind.`,
    };
  return { pair: [one, other] };
}

const MOST_NAMES = 20;

function namesOf(subjects: readonly Subject[]): string {
  const ids = subjects.map(({ id }) => id);
  const more = ids.length - MOST_NAMES;
  return formatList(more > 0 ? [...ids.slice(0, MOST_NAMES), `${more} more`] : ids);
}

/** The inner HTML of the table. */
export function comparisonHtml([a, b]: readonly [Subject, Subject]): string {
  const link = ({ href, label }: Subject) => `<a href="${escapeText(href)}">${escapeText(label)}</a>`;
  const head = ['Figure', link(a), link(b), 'Difference'].map(
    (text, index) => `<th scope="col"${index > 0 ? ' class="number"' : ''}>${text}</th>`,
  );
  const rows = MEASURES[a.kind].map((measure, index) => {
    // Rounded before they are subtracted, so that the difference is that of the numbers beside it.
    const [one, other] = [a, b].map(({ figures }) => {
      const value = figures[index] ?? null;
      return value === null ? null : Number(value.toFixed(measure.decimals));
    }) as [number | null, number | null];
    const words = (value: number | null) =>
      value === null ? NO_VALUE : formatNumber(value, measure.decimals);
    const difference =
      one === null || other === null ? NO_VALUE : formatChange(one - other, measure.decimals);
    const name = `<a href="/files/${measure.file}/">${measure.label}</a>, ${measure.unit}`;
    const cells = [words(one), words(other), difference].map((text) => `<td class="number">${text}</td>`);
    return `<tr><th scope="row">${name}</th>${cells.join('')}</tr>`;
  });
  return `<thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody>`;
}

/** `/compare/?a=ATLAS&b=ECHO` */
export function comparePath(a: string, b: string): string {
  return `/compare/?${new URLSearchParams({ a, b })}`;
}
