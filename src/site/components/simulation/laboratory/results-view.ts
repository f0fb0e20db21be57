import { formatCount, formatNumber, formatPercent } from '../../../../../pipeline/words/number.ts';
import { capitalise, formatList } from '../../../../../pipeline/words/phrase.ts';
import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import { EACH, partsOf, runCount, type SetUp } from '../../../../simulation/laboratory/set-up.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';
import { makeElement } from '../../make-element.ts';
import { formatRunAddress } from '../run-address.ts';
import { histogram, type LinePoint, shareBars, shareLine, spark } from './drawings.ts';
import { type EndingShare, endingShares } from './endings.ts';
import { BATCH_MEASURES, type BatchMeasure, quantilesOf, valuesOf } from './measures.ts';
import { describeSetUp, describeVariant, parameterTitle } from './parameter-words.ts';
import { type SweptShares, sweepSentence, sweptShares } from './sweep-shares.ts';

export interface BatchResults {
  setUp: SetUp;
  rows: readonly RunRow[];
}

const PLAY = '/philosophy/simulation/';

/** The rows of a part of the batch. */
function rowsOf({ setUp, rows }: BatchResults, name: 'batch' | 'comparison'): readonly RunRow[] {
  const place = partsOf(setUp).findIndex((part) => part.name === name);
  return rows.filter(({ part }) => part === place);
}

/** What was played, how far, and which ending was the most frequent. */
export function showSummary(place: HTMLElement, results: BatchResults): void {
  const { setUp, rows } = results;
  const batch = rowsOf(results, 'batch');
  const of = runCount(setUp);
  const shares = endingShares(setUp.scenario, batch);
  const partial =
    rows.length < of
      ? [
          makeElement(
            'p',
            'partial',
            makeElement('strong', '', 'Partial results.'),
            ` The batch was stopped after ${formatNumber(rows.length)} of ${formatNumber(of)} runs; the rest was not played.`,
          ),
        ]
      : [];
  place.replaceChildren(
    ...partial,
    makeElement('p', 'lead', mostFrequent(shares, batch.length)),
    ...likelyShare(shares, batch.length),
    makeElement('p', 'note', [scenarioTitle(setUp), ...describeSetUp(setUp)].join(' ')),
    ...(setUp.compared
      ? [
          makeElement(
            'p',
            'note',
            `Comparison, with the same seeds: ${describeVariant({ ...setUp, ...setUp.compared }).join(' ')}`,
          ),
        ]
      : []),
  );
}

function mostFrequent(shares: readonly EndingShare[], runs: number): string {
  const [first, ...tied] = leading(shares);
  const { title, count } = first!;
  if (tied.length > 0) {
    const titles = formatList([first!, ...tied].map((one) => `“${one.title}”`));
    return `No ending is the most frequent: ${titles} have ${formatCount(count, 'run')} each.`;
  }
  if (count === runs)
    return runs === 1
      ? `The run ends with “${title}”.`
      : `All ${formatNumber(runs)} runs end with “${title}”.`;
  return `The most frequent ending is “${title}”: ${formatNumber(count)} of ${formatNumber(runs)} runs.`;
}

/** The endings that were reached most often: several if they were reached equally often. */
function leading(shares: readonly EndingShare[]): EndingShare[] {
  const most = Math.max(...shares.map(({ count }) => count));
  return shares.filter(({ count }) => count === most);
}

function likelyShare(shares: readonly EndingShare[], runs: number): HTMLElement[] {
  if (runs === 1) return [makeElement('p', '', 'One run says nothing about other seeds.')];
  const [first, ...tied] = leading(shares);
  if (tied.length > 0) return [];
  const bounds = `${formatPercent(first!.low, 0)} and ${formatPercent(first!.high, 0)}`;
  return [makeElement('p', '', `Over all seeds, its share lies most likely between ${bounds}.`)];
}

function scenarioTitle({ scenario }: SetUp): string {
  return `“${scenarioNamed(scenario).title}”.`;
}

/** A row per ending: bars with the 95 % interval, counts and shares, for the batch and its comparison side by side. */
export function showEndings(table: HTMLTableElement, results: BatchResults): void {
  const series = seriesOf(results);
  const shares = series.map(({ rows }) => endingShares(results.setUp.scenario, rows));
  const head = makeElement('tr', '', headCell('Ending'), headCell(''));
  head.children[1]!.replaceChildren(makeElement('span', 'visually-hidden', 'Shares as bars'));
  for (const { label } of series) {
    const suffix = series.length > 1 ? `, ${label}` : '';
    head.append(
      headCell(`Runs${suffix}`, 'number'),
      headCell(`Share${suffix}`, 'number'),
      headCell('95 % interval', 'number'),
    );
  }
  const rows = shares[0]!.map((_, place) => {
    const mine = shares.map((one) => one[place]!);
    const title = makeElement('th', '', mine[0]!.title);
    title.scope = 'row';
    const bars = makeElement('td', 'bars');
    bars.innerHTML = shareBars(mine);
    return makeElement('tr', '', title, bars, ...mine.flatMap(shareCells));
  });
  table.replaceChildren(makeElement('thead', '', head), makeElement('tbody', '', ...rows));
}

function shareCells({ count, share, low, high }: EndingShare): HTMLElement[] {
  return [
    makeElement('td', 'number', formatNumber(count)),
    makeElement('td', 'number', formatPercent(share, 0)),
    makeElement('td', 'number', `${formatNumber(low * 100)}–${formatPercent(high, 0)}`),
  ];
}

function headCell(text: string, className = ''): HTMLElement {
  const cell = makeElement('th', className, text);
  cell.scope = 'col';
  return cell;
}

interface Series {
  label: string;
  rows: readonly RunRow[];
}

/** The batch, and its comparison if any of it was played. */
function seriesOf(results: BatchResults): Series[] {
  const compared = rowsOf(results, 'comparison');
  const batch = { label: 'this batch', rows: rowsOf(results, 'batch') };
  return compared.length === 0 ? [batch] : [batch, { label: 'comparison', rows: compared }];
}

/** The seeds of each ending, each a link that opens the run on the page where one plays. */
export function showSeeds(place: HTMLElement, results: BatchResults): void {
  const { setUp } = results;
  const parts = seriesOf(results).flatMap(({ label, rows }, index, all) =>
    endingShares(setUp.scenario, rows)
      .filter(({ count }) => count > 0)
      .map(({ name, title, count }) => {
        const suffix = all.length > 1 ? `, ${label}` : '';
        const details = makeElement(
          'details',
          '',
          makeElement('summary', '', `“${title}”${suffix}: ${formatCount(count, 'run')}`),
        );
        const variant = index === 0 ? setUp : setUp.compared!;
        details.addEventListener(
          'toggle',
          () => fillSeeds(details, rows, name, { ...setUp, settings: variant.settings }),
          {
            once: true,
          },
        );
        return details;
      }),
  );
  place.replaceChildren(...parts);
}

/** Made when they are opened: a thousand links take longer to make than the rest of the page. */
function fillSeeds(
  details: HTMLElement,
  rows: readonly RunRow[],
  ending: string,
  { scenario, settings }: Pick<SetUp, 'scenario' | 'settings'>,
): void {
  if (details.querySelector('ul')) return;
  const items = rows
    .filter((row) => row.ending === ending)
    .map(({ seed, actions, endedAt }) => {
      const link = makeElement('a', '', `${seed}`);
      link.href = `${PLAY}${formatRunAddress({ scenario, seed, settings, actions, tick: endedAt })}`;
      link.setAttribute('aria-label', `Open the run with seed ${seed}`);
      return makeElement('li', '', link);
    });
  details.append(makeElement('ul', 'seeds', ...items));
}

/** A histogram per measure, with its quartiles in words. */
export function showDistributions(place: HTMLElement, results: BatchResults): void {
  const series = seriesOf(results);
  place.replaceChildren(...BATCH_MEASURES.map((measure) => distribution(measure, series)));
}

function distribution(measure: BatchMeasure, series: readonly Series[]): HTMLElement {
  const { title, unit, decimals, without } = measure;
  const values = series.map(({ rows }) => valuesOf(measure, rows));
  const words = series.flatMap(({ label, rows }, place) => {
    const prefix = series.length > 1 ? `${label}: ` : '';
    const missing = rows.length - values[place]!.length;
    const none = missing > 0 ? [`${prefix}${formatCount(missing, 'run')} ${without}.`] : [];
    const sentence = spreadWords(values[place]!, decimals);
    return [...(sentence ? [`${prefix}${sentence}`] : []), ...none].map(capitalise);
  });
  const all = new Set(values.flat());
  const chart = makeElement('div', '');
  if (all.size > 1) chart.innerHTML = histogram(values, { label: `${title}: ${words.join(' ')}`, decimals });
  return makeElement(
    'figure',
    'distribution',
    makeElement('figcaption', '', makeElement('strong', '', title), ' ', makeElement('span', 'muted', unit)),
    chart,
    ...words.map((text) => makeElement('p', 'note', text)),
  );
}

function spreadWords(values: readonly number[], decimals: number): string | null {
  const quantiles = quantilesOf(values);
  if (!quantiles) return null;
  const { least, lower, upper, most } = quantiles;
  const show = (value: number) => formatNumber(value, { max: decimals });
  if (least === most) return `the same in every run, ${show(least)}.`;
  if (show(lower) === show(upper))
    return `most runs have ${show(lower)}; the whole range is ${show(least)} to ${show(most)}.`;
  return `the middle half lies between ${show(lower)} and ${show(upper)}.`;
}

/** One parameter: a chart per ending. All parameters: a table with a line per ending, the one that matters most first. */
export function showSweep(
  place: HTMLElement,
  { setUp, rows }: BatchResults,
  own: (parameter: string) => number | null,
): void {
  const swept = sweptShares(setUp, rows);
  const [first] = swept;
  const parts = !first ? [] : setUp.sweep === EACH ? eachSweep(setUp, swept) : oneSweep(setUp, first, own);
  place.replaceChildren(...parts);
}

function linesOf({ points }: SweptShares): { title: string; points: LinePoint[] }[] {
  return points[0]!.shares.map(({ title }, place) => ({
    title,
    points: points.map(({ value, shares }) => {
      const { share, low, high } = shares[place]!;
      return { value, share, low, high };
    }),
  }));
}

function oneSweep(
  setUp: SetUp,
  swept: SweptShares,
  own: (parameter: string) => number | null,
): HTMLElement[] {
  const { parameter } = swept.sweep;
  const title = parameterTitle(setUp.scenario, parameter);
  const charts = linesOf(swept).map((line) => {
    const chart = makeElement('div', '');
    const ends = [line.points[0]!, line.points.at(-1)!].map(({ share }) => formatPercent(share, 0));
    chart.innerHTML = shareLine(line.points, {
      label: `Share of runs that end with “${line.title}”, by ${title}: from ${ends[0]} to ${ends[1]}`,
      own: own(parameter),
    });
    return makeElement('figure', 'ending-line', makeElement('figcaption', '', line.title), chart);
  });
  const head = makeElement('tr', '', headCell(title, 'number'), headCell('Runs', 'number'));
  for (const { title: ending } of linesOf(swept)) head.append(headCell(ending, 'number'));
  const body = swept.points.map(({ value, runs, shares }) => {
    const first = makeElement('th', 'number', `${value}`);
    first.scope = 'row';
    const cells = shares.map(({ share }) => makeElement('td', 'number', formatPercent(share, 0)));
    return makeElement('tr', '', first, makeElement('td', 'number', formatNumber(runs)), ...cells);
  });
  const table = makeElement('table', '', makeElement('thead', '', head), makeElement('tbody', '', ...body));
  return [
    makeElement('p', 'lead', `${title}. ${sweepSentence(swept)}`),
    makeElement('div', 'ending-lines', ...charts),
    makeElement(
      'p',
      'note',
      `Across: ${title.toLowerCase()}. Up: share of the runs. Band: 95 % interval. Dotted: the value of the batch.`,
    ),
    scrolling(table, `Shares of the endings by ${title}`),
  ];
}

function eachSweep(setUp: SetUp, swept: readonly SweptShares[]): HTMLElement[] {
  const head = makeElement('tr', '', headCell('Parameter, from its least to its greatest value'));
  for (const { title } of linesOf(swept[0]!)) head.append(headCell(title));
  const body = swept.map((one) => {
    const name = makeElement(
      'th',
      'words',
      parameterTitle(setUp.scenario, one.sweep.parameter),
      makeElement('span', 'muted sweep-words', ` ${sweepSentence(one)}`),
    );
    name.scope = 'row';
    const cells = linesOf(one).map(({ points }) => {
      const cell = makeElement('td', 'tight');
      cell.innerHTML = spark(points);
      const [first, last] = [points[0]!.share, points.at(-1)!.share].map((share) => formatPercent(share, 0));
      cell.append(makeElement('span', 'muted', `${first} → ${last}`));
      return cell;
    });
    return makeElement('tr', '', name, ...cells);
  });
  const table = makeElement(
    'table',
    'each-sweep',
    makeElement('thead', '', head),
    makeElement('tbody', '', ...body),
  );
  return [
    makeElement(
      'p',
      '',
      'Each parameter is varied alone, over its whole range; everything else stays as in the batch. What matters most comes first. The range counts: a parameter that can be moved far has more room to matter.',
    ),
    scrolling(table, 'Shares of the endings by each parameter'),
  ];
}

function scrolling(table: HTMLElement, label: string): HTMLElement {
  const place = makeElement('div', 'scroll', table);
  place.setAttribute('role', 'group');
  place.setAttribute('aria-label', label);
  place.tabIndex = 0;
  return place;
}
