import { describe, expect, test } from 'vitest';
import { eventsByDay } from '../../pipeline/artifacts/academics/events-by-day.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import type { OpenChart } from '../../pipeline/charts/chart.ts';
import { type ChartState, DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import type { ChartTable } from '../../pipeline/charts/chart-table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { chartFiles } from './chart-files.ts';
import { smallLedger } from './small-ledger.ts';

/** Three months of the demo: its events with places in the log, whose hashes no chart reads. */
const DEMO: Leaf[] = [...sampleEvents({ to: '2025-10-03', seed: 1 })]
  .flatMap(({ events }) => events)
  .map((event) => ({ event, hash: event.seq.toString(16).padStart(64, '0') }) as Leaf);

const OF_DAYS = new Map([0, 1, 2, 9, 75, 420].map((days) => [days, chartFiles(smallLedger(days).leaves)]));

/** One month with more of what the others have one of. */
const UNEVEN = {
  ...OF_DAYS.get(420)!,
  [eventsByDay.path]: OF_DAYS.get(420)![eventsByDay.path]!.replace(
    '2026-03-12,policy_projected,1',
    '2026-03-12,policy_projected,4',
  ),
};

/** Young, ordinary and long ledgers; 0 days are genesis alone. */
const LEDGERS = [chartFiles(DEMO), ...OF_DAYS.values(), UNEVEN];

const CHANGES: Partial<ChartState>[] = [
  {},
  { from: '2025-12-20' },
  { to: '2026-01-05' },
  { from: '2025-12-10', to: '2025-12-10' },
  { from: '2025-12-03', to: '2025-12-12' },
  { s: 75, multiplier: 1.5 },
  { scale: 'log' },
];

type Row = Record<string, string | number | null>;

const rowsOf = ({ columns, rows }: ChartTable): Row[] =>
  rows.map((row) => Object.fromEntries(row.map((cell, index) => [columns[index]!.name, cell])));

/** The numbers of a sentence, without thousands separators; a percentage as it is written. */
const numbersIn = (text: string) =>
  [...text.matchAll(/(?<![A-Za-z\d])−?\d[\d,]*(?:\.\d+)?/g)].map(([number]) =>
    Number(number.replaceAll(',', '').replace('−', '-')),
  );

const num = (value: Row[string] | undefined) => Number(value ?? 0);
const sumOf = (rows: readonly Row[], column: string) => rows.reduce((sum, row) => sum + num(row[column]), 0);
const daysOf = ({ from, to, date }: Row) =>
  date === undefined ? (Date.parse(String(to)) - Date.parse(String(from))) / 86_400_000 + 1 : 1;
const isWholeMonth = ({ from, to }: Row) =>
  String(from).endsWith('-01') && new Date(Date.parse(String(to)) + 86_400_000).getUTCDate() === 1;
const isAll = (text: string) => /^(All|Each)\b/.test(text) || / each of /.test(text);
const counted = (text: string, all: number) =>
  /^(None|No)\b/.test(text) ? 0 : isAll(text) ? all : numbersIn(text)[0]!;

interface Claim {
  text: string;
  rows: Row[];
  labels: Map<string, string>;
}

/** Of flows: the total of each column, whatever its label. */
function totals({ rows, labels }: Claim): { label: string; total: number }[] {
  return [...labels]
    .filter(([name]) => !['date', 'from', 'to', 'days'].includes(name))
    .map(([name, label]) => ({
      label,
      total: rows.reduce((sum, row) => sum + num(row[name]) * daysOf(row), 0),
    }))
    .sort((a, b) => b.total - a.total);
}

/** The claim of each chart, computed again from its table alone. */
const CLAIMS: Record<string, (claim: Claim) => void> = {
  compliance({ text, rows }) {
    const audited = rows.filter(({ status }) => status !== 'not_audited');
    const compliant = audited.filter(({ status }) => status === 'compliant').length;
    if (audited.length > 1) expect(counted(text, audited.length)).toBe(compliant);
    else expect(text).toContain(String(audited[0]!.jurisdiction));
    const overdue = rows.filter((row) => row.overdue === 'yes').length;
    expect(/(\d+) audits? (is|are) overdue/.exec(text)?.[1]).toBe(
      overdue === 0 ? undefined : String(overdue),
    );
  },
  uptime({ text, rows, labels }) {
    if (rows.some(({ from, to }) => from !== to)) return;
    const names = [...labels.keys()].slice(2);
    const offline = names.map((name) => rows.filter((row) => row[name] === 'offline').length);
    const most = Math.max(...offline);
    const named = names.filter((name) => text.includes(name));
    if (most === 0) return void expect(text).toMatch(/^No sentinel|never/);
    expect(text).toContain(`on ${most} of ${names.length === 1 ? '' : `${rows.length} days`}`);
    const first = names.filter((_, index) => offline[index] === most);
    if (named.length > 0) expect(named).toEqual(first);
  },
  'policy-impact'({ text, rows }) {
    const whole = rows.filter(isWholeMonth);
    const most = Math.max(...whole.map(({ projections }) => num(projections)));
    expect(text).toMatch(new RegExp(`of the ${whole.length} whole months, ${most}(?: each)?$`));
    const months = text.split(' had ')[0]!.split(' and ');
    expect(whole.filter(({ projections }) => projections === most)).toHaveLength(months.length);
    for (const month of months) {
      const row = whole.find(
        ({ from }) => from === new Date(Date.parse(`1 ${month} UTC`)).toISOString().slice(0, 10),
      );
      expect(row!.projections).toBe(most);
    }
  },
  supply({ text, rows, labels }) {
    const parts = ['circulating', 'locked', 'burned'].filter((name) => labels.has(name));
    const amount = (row: Row) => parts.reduce((sum, name) => sum + num(row[name]), 0);
    const ratio = amount(rows.at(-1)!) / amount(rows[0]!);
    const [number] = numbersIn(text);
    if (text.includes('not changed')) expect(ratio).toBe(1);
    else if (text.includes('\u2011fold')) expect(number).toBeCloseTo(ratio, 0.9);
    else {
      expect(text.includes('grown')).toBe(ratio > 1);
      expect(Math.abs(Math.abs(ratio - 1) * 100 - number!)).toBeLessThanOrEqual(0.51);
    }
  },
  minting(claim) {
    const [first, second] = totals(claim);
    const all = totals(claim).reduce((sum, { total }) => sum + total, 0);
    expect(claim.text).toContain(`of ${first!.label} got`);
    expect(claim.text).toContain(`, ${second!.label} `);
    const shares = [first!, second!].map(({ total }) => (total / all) * 100);
    for (const [index, number] of numbersIn(claim.text).entries())
      expect(Math.abs(number - shares[index]!)).toBeLessThan(0.6);
  },
  mii({ text, rows }) {
    const off = sumOf(rows, 'days_minting_off');
    const numbers = numbersIn(text);
    if (numbers.length === 1) expect([0, numbers[0]]).toContain(off);
    if (numbers.length === 1) expect(text.includes('was on')).toBe(off === 0);
    else expect(numbers[0]).toBe(off);
    // The ledger has a reading on each of its days.
    expect(numbers.at(-1)).toBe(rows.reduce((sum, row) => sum + daysOf(row), 0));
  },
  coordination({ text, rows }) {
    const sorted = rows.toSorted((a, b) => num(b.coordination_score) - num(a.coordination_score));
    const [first, last] = [sorted[0]!, sorted.at(-1)!];
    expect(text).toMatch(new RegExp(`^${first.sentinel} has .* points, ${last.sentinel} only`));
    for (const [index, row] of [first, last].entries())
      expect(Math.abs(numbersIn(text)[index]! - num(row.coordination_score))).toBeLessThan(0.051);
  },
  'reward-curve'({ text, rows }) {
    const own = rows.find(({ what }) => what === 'your point');
    if (own) {
      const [s, multiplier, earned] = numbersIn(text);
      expect([s, multiplier]).toEqual([own.s, own.multiplier]);
      return void expect(Math.abs(earned! - num(own.reward))).toBeLessThan(0.051);
    }
    const sentinels = rows.filter(({ what }) => what !== 'curve');
    // Half of the highest base reward is earned where the reward is half of 1,000 MIC times the multiplier.
    const above = sentinels.filter(({ reward, multiplier }) => num(reward) >= 500 * num(multiplier)).length;
    expect(counted(text, sentinels.length)).toBe(above);
  },
  'roi-by-cathedral': ({ text, rows }) => leads(text, rows, 'average_roi'),
  'roi-by-sentinel': ({ text, rows }) => leads(text, rows, 'roi'),
  multipliers({ text, rows }) {
    if (text.startsWith('No '))
      return void expect(rows.every(({ reason }) => reason === 'genesis')).toBe(true);
    const own = [...Map.groupBy(rows, ({ cathedral }) => cathedral).values()];
    const highest = own.toSorted((a, b) => num(b.at(-1)!.multiplier) - num(a.at(-1)!.multiplier))[0]!;
    const [first, last] = [num(highest[0]!.multiplier), num(highest.at(-1)!.multiplier)];
    expect(numbersIn(text)).toEqual(first === last ? [last] : [last, first]);
    if (first !== last) expect(text.includes('up from')).toBe(last > first);
  },
  'coordination-history'({ text, rows }) {
    const own = [...Map.groupBy(rows, ({ sentinel }) => sentinel).values()];
    const changes = own.map(
      (list) => num(list.at(-1)!.coordination_score) - num(list[0]!.coordination_score),
    );
    const count = changes.filter((change) => (text.includes('higher') ? change >= 1 : change <= -1)).length;
    expect(counted(text, own.length)).toBe(count);
    expect(count * 2).toBeGreaterThanOrEqual(changes.filter((change) => Math.abs(change) >= 1).length);
  },
  events(claim) {
    const [first] = totals(claim);
    const all = totals(claim).reduce((sum, { total }) => sum + total, 0);
    const [share, total] = numbersIn(claim.text);
    expect(claim.text).toContain(`“${first!.label}”`);
    expect(Math.abs(share! - (first!.total / all) * 100)).toBeLessThan(0.6);
    expect(Math.abs(total! - all)).toBeLessThan(1);
  },
  deliberations({ text, rows }) {
    const closed = rows.filter(({ consensus }) => consensus !== 'pending');
    expect(counted(text, closed.length)).toBe(
      closed.filter(({ consensus }) => consensus === 'reached').length,
    );
    expect(text).toContain(`last ${closed.length} closed`);
  },
  consensus({ text, rows }) {
    const last = rows.findLast(({ deliberations_closed }) => deliberations_closed !== null)!;
    expect(counted(text, num(last.deliberations_closed))).toBe(last.consensus_reached);
    expect(numbersIn(text)).toContain(last.deliberations_closed);
  },
  virtues({ text, rows }) {
    const measured = rows.filter(({ score }) => score !== null);
    const compliant = measured.filter(({ status }) => status === 'compliant').length;
    if (compliant === measured.length - 1 && !/^(None|\d)/.test(text)) {
      const other = measured.find(({ status }) => status !== 'compliant')!;
      return void expect(text.toLowerCase().startsWith(String(other.virtue))).toBe(true);
    }
    expect(counted(text, measured.length)).toBe(compliant);
  },
  'virtues-history'({ text, rows, labels }) {
    const changes = [...labels.keys()].slice(1).flatMap((name) => {
      const scores = rows.flatMap((row) => (row[name] === null ? [] : [num(row[name])]));
      return scores.length < 2 ? [] : [{ name, from: scores[0]!, to: scores.at(-1)! }];
    });
    const most = changes.toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from))[0]!;
    expect(Math.abs(most.to - most.from)).toBeGreaterThanOrEqual(0.05 - 1e-6);
    expect(text.toLowerCase().startsWith(`${most.name} ${most.to > most.from ? 'rose' : 'fell'}`)).toBe(true);
    const [from, to] = numbersIn(text);
    expect([from, to]).toEqual([most.from, most.to].map((score) => Math.round(score * 1000) / 1000));
  },
  drift({ text, rows }) {
    const measured = rows.filter(({ drift }) => drift !== null);
    const worse = measured.filter(({ direction }) => direction === 'worsening').length;
    if (!text.includes('no other')) expect(counted(text, measured.length)).toBe(worse);
    else expect(worse).toBe(1);
  },
};

function leads(text: string, rows: Row[], column: string): void {
  const sorted = rows
    .filter((row) => row[column] !== null)
    .toSorted((a, b) => num(b[column]) - num(a[column]));
  const [first, second] = sorted as [Row, Row];
  expect(num(first[column])).toBeGreaterThanOrEqual(num(second[column]) * 1.1);
  for (const [index, row] of [first, second].entries())
    expect(Math.abs(numbersIn(text)[index]! - num(row[column]))).toBeLessThan(0.0051);
}

function statesOf(chart: OpenChart): ChartState[] {
  const names = chart.series.map(({ name }) => name);
  const chosen = names.length > 1 ? [[names[0]!], names.slice(0, 2).sort()] : [];
  return [...CHANGES, ...chosen.map((series) => ({ series }))]
    .filter((change) => Object.keys(change).every((name) => chart.controls.includes(name as never)))
    .map((change) => ({ ...DEFAULT_STATE, ...change }));
}

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('the finding of %s', (id, chart) => {
  test('is what its table says, whatever is shown of whichever ledger', () => {
    let found = 0;
    for (const files of LEDGERS) {
      const opened = chart.open(PublishedFiles.of(files));
      for (const state of statesOf(opened)) {
        const table = opened.show(state);
        const text = table.finding;
        if (text === null) continue;
        found += 1;
        expect(table.rows.length, text).toBeGreaterThan(0);
        expect(text).toMatch(/^[^.]*(?:\.\d[^.]*)*$/);
        expect(text).not.toMatch(
          /\bno \d|\b1 (?:days|events|scores|audits|sentinels|points)\b|NaN|undefined|null/,
        );
        const labels = new Map(table.columns.map(({ name, title }) => [name, title]));
        CLAIMS[id]!({ text, rows: rowsOf(table), labels });
      }
    }
    expect(found).toBeGreaterThan(0);
  });
});

test('an amount that was next to nothing at first has grown from it, and not a thousandfold', () => {
  const supply = CHARTS.find(({ id }) => id === 'supply')!.open(PublishedFiles.of(chartFiles(DEMO)));
  const { finding } = supply.show({ ...DEFAULT_STATE, series: ['burned'] });
  expect(finding).toMatch(/^Burned MIC have grown from [\d,]+ to [\d,]+ since /);
});
