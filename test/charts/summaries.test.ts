import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import type { Shown } from '../../pipeline/charts/chart.ts';
import { type ChartState, DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { findChart } from '../../pipeline/charts/table.ts';
import { reward } from '../../pipeline/model/formulas.ts';
import { addDays } from '../../pipeline/words/day.ts';
import { chartFiles } from './chart-files.ts';
import { textsOf } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

const LEDGER = smallLedger(200);
const FILES = chartFiles(LEDGER.leaves);
/** Newest first, read by a parser that is not ours. */
const rowsOf = (path: string): Record<string, string>[] => parse(FILES[path]!, { columns: true });
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const whole = (value: number) => Math.round(value).toLocaleString('en-GB');

function shown(
  id: string,
  change: Partial<ChartState> = {},
  files: Readonly<Record<string, string>> = FILES,
): Shown {
  return findChart(id)!
    .open(PublishedFiles.of(files))
    .show({ ...DEFAULT_STATE, ...change });
}

const drawn = (id: string, change?: Partial<ChartState>) =>
  shown(id, change).draw({ width: 900, theme: 'light' });

function ask(id: string, change?: Partial<ChartState>, files?: Readonly<Record<string, string>>) {
  const { columns, rows, summary, title, unit, note } = shown(id, change, files);
  const records = rows.map((row) =>
    Object.fromEntries(row.map((cell, index) => [columns[index]!.name, cell])),
  );
  return { words: summary.join(' '), records, title, unit, note };
}

/** The sentence of a column that changes over time: `Burned went from 5 MIC (9 March 2026) to 7 MIC (…), a change of +2; its …` */
const COURSE =
  /^(?<name>.+) went from (?<first>[\d,]+(?:\.\d+)?).* to (?<last>[\d,]+(?:\.\d+)?).*, a change of (?<change>[+−]?[\d,]+(?:\.\d+)?)(?:.*its lowest was (?<least>[\d,]+(?:\.\d+)?))?(?:.*its highest was (?<greatest>[\d,]+(?:\.\d+)?))?/;

test.each(['supply', 'mii', 'consensus', 'virtues-history'])(
  '%s: the first, last, least and greatest value and the change are those of its table',
  (id) => {
    const { columns, rows, summary } = shown(id);
    const courses = summary
      .map((sentence) => COURSE.exec(sentence)?.groups)
      .filter((groups) => groups !== undefined);
    expect(courses.length).toBeGreaterThan(0);
    for (const { name, ...said } of courses) {
      const at = columns.findIndex(({ title }) => title === name);
      const values = rows.flatMap((row) => (row[at] === null ? [] : [row[at] as number]));
      const read = (text: string) => Number(text.replaceAll(',', '').replace('−', '-'));
      // As many decimals as the sentence has for a value of this size.
      const near = (text: string, value: number) => {
        const step = Math.abs(value) >= 1000 ? 1 : Math.abs(value) >= 10 ? 0.1 : 0.0001;
        expect(Math.abs(read(text) - value), `${name} ${text}`).toBeLessThanOrEqual(0.51 * step);
      };
      near(said.first!, values[0]!);
      near(said.last!, values.at(-1)!);
      near(said.change!, values.at(-1)! - values[0]!);
      const [least, greatest] = [Math.min(...values), Math.max(...values)];
      if (said.least === undefined) expect(Math.min(values[0]!, values.at(-1)!)).toBe(least);
      else near(said.least, least);
      if (said.greatest === undefined) expect(Math.max(values[0]!, values.at(-1)!)).toBe(greatest);
      else near(said.greatest, greatest);
    }
  },
);

/** The files, of which one begins with more rows. */
const withRows = (path: string, rows: readonly string[]) => ({
  ...FILES,
  [path]: FILES[path]!.replace('\n', `\n${rows.map((row) => `${row}\n`).join('')}`),
});

test('of a single day, coordination-history says which score was highest and which lowest, and not who gained', () => {
  const path = 'academics/sentinels-by-day.csv';
  const [{ date, sentinel, coordination_score }] = rowsOf(path) as [Record<string, string>];
  const row = FILES[path]!.split('\n')[1]!;
  const others = ['PALLAS', 'RHEA', 'TITAN'].map((name, at) =>
    row.replace(sentinel!, name).replace(`,${coordination_score},`, `,${[0.5, 99.5, 3][at]},`),
  );
  const { words } = ask('coordination-history', { from: date!, to: date! }, withRows(path, others));
  expect(words).toMatch(/^Of 7, RHEA was highest, PALLAS lowest\. RHEA was 99\.5 points/);
});

test('of a single cathedral, multipliers says what its multiplier is', () => {
  const rows = ['2026-06-01T00:00:00Z,C-333,FOR-GOVERNMENTS,1.75,review'];
  const files = withRows('economy/cathedral-multipliers.csv', rows);
  expect(shown('multipliers', { series: ['FOR-GOVERNMENTS'] }, files).finding).toMatch(
    /^Governments has the multiplier 1\.75, (up|down) from \d\.\d\d$/,
  );
});

describe('what a chart says and lists is what the published files give', () => {
  test('supply: every day, today from the file of now, and the words of the last', () => {
    const { words, records } = ask('supply');
    const days = rowsOf('economy/supply-by-day.csv').reverse();
    const now = JSON.parse(FILES['economy/supply']!);
    expect(records.slice(0, -1)).toEqual(
      days.map(({ date, total_supply, circulating, locked, burned }) => ({
        date,
        circulating: Number(circulating),
        locked: Number(locked),
        burned: Number(burned),
        total_supply: Number(total_supply),
      })),
    );
    const { timestamp, ...amounts } = now;
    expect(records.at(-1)).toEqual({ date: timestamp.slice(0, 10), ...amounts });
    for (const name of ['circulating', 'locked', 'burned'] as const)
      expect(words).toContain(`to ${whole(now[name])} MIC (18 June 2026)`);
  });

  test('supply: only the parts and the days that are asked for', () => {
    const { words, records, title } = ask('supply', {
      series: ['burned'],
      from: '2026-01-10',
      to: '2026-01-12',
    });
    expect(records.map((record) => Object.keys(record))).toEqual(
      Array(3).fill(['date', 'burned', 'total_supply']),
    );
    expect(records.map(({ date }) => date)).toEqual(['2026-01-10', '2026-01-11', '2026-01-12']);
    expect(title).toBe('MIC supply over time: burned');
    expect(words).toMatch(/^Burned .*\(10 January 2026\).*\(12 January 2026\)/);
    expect(words).not.toMatch(/Circulating|Locked/);
  });

  test('supply: days without events have the amounts before them, and no slope over them', () => {
    const now = { timestamp: '2026-10-31T09:00:00Z', total_supply: 9, circulating: 9, locked: 0, burned: 0 };
    const files = {
      'economy/supply-by-day.csv':
        'date,total_supply,circulating,locked,burned\n2026-10-03,5.000000,5.000000,0.000000,0.000000\n2026-10-01,0.000000,0.000000,0.000000,0.000000\n',
      'economy/supply': JSON.stringify(now),
    };
    const { records } = ask('supply', {}, files);
    expect(records).toHaveLength(31);
    expect(records.map(({ total_supply }) => total_supply)).toEqual([0, 0, ...Array(28).fill(5), 9]);
    expect(records[1]).toMatchObject({ date: '2026-10-02' });
  });

  test.each([
    ['minting', 'FOR-ECONOMISTS', 'MIC minted per day: Economists'],
    ['events', 'heartbeat', 'Events written to the ledger per day: Heartbeat'],
  ])('%s: a picture of one series says which', (id, name, title) => {
    expect(drawn(id)).toMatch(/, by (?:cathedral|type)</);
    expect(drawn(id, { series: [name] })).toContain(`>${title}<`);
  });

  test('events: there are no parts of an event on a day', () => {
    const days = { from: '2026-02-01', to: '2026-02-09' };
    const values = (svg: string) =>
      textsOf(svg).filter(({ left, text }) => left < 60 && /^[\d.]{1,3}$/.test(text));
    expect(values(drawn('events', { ...days, series: ['mic_burn'] })).map(({ text }) => text)).toEqual([
      '0',
      '1',
    ]);
  });

  test('minting: weekly means times their days are all that was minted', () => {
    const { words, records, unit } = ask('minting');
    const rows = rowsOf('economy/minting-by-day.csv');
    const minted = sum(rows.map((row) => Number(row.minted)));
    expect(unit).toBe('MIC per day, means by week');
    const days = (from: unknown, to: unknown) =>
      (Date.parse(String(to)) - Date.parse(String(from))) / 86_400_000 + 1;
    const listed = records.map(({ from, to, days: counted, ...values }) => {
      expect(counted).toBe(days(from, to));
      return days(from, to) * sum(Object.values(values).map(Number));
    });
    expect(sum(listed)).toBeCloseTo(minted, 2);
    expect(words).toContain(`: ${whole(minted)} MIC in all, `);
  });

  test.each([
    ['minting', {}, 'Not a whole week, so hatched: 15 June 2026 to 17 June 2026 (3 days).'],
    ['policy-impact', {}, 'Not a whole month, so hatched: 1 June 2026 to 17 June 2026 (17 days).'],
    [
      'policy-impact',
      { from: '2026-01-09', to: '2026-02-28' },
      'hatched: 9 January 2026 to 31 January 2026 (23 days).',
    ],
  ])('%s of %j: what is cut is hatched, and named', (id, state, words) => {
    expect(`${ask(id, state).note}`).toContain(words);
    expect(drawn(id, state)).toContain('fill-opacity="0.25"');
  });

  test('minting: whole weeks are neither hatched nor named', () => {
    const weeks = { from: '2025-12-08', to: '2026-05-31' };
    expect(ask('minting', weeks)).toMatchObject({ unit: 'MIC per day, means by week', note: '' });
    expect(drawn('minting', weeks)).not.toContain('fill-opacity');
  });

  test('minting: day by day where there are few days', () => {
    const { records } = ask('minting', { from: '2026-02-01', to: '2026-02-02', series: ['FOR-ECONOMISTS'] });
    const expected = ['2026-02-01', '2026-02-02'].map((date) => ({
      date,
      'FOR-ECONOMISTS': Number(
        rowsOf('economy/minting-by-day.csv').find(
          (row) => row.date === date && row.cathedral === 'FOR-ECONOMISTS',
        )!.minted,
      ),
    }));
    expect(records).toEqual(expected);
  });

  test('minting: days without a mint count as 0, also at both ends of what is shown', () => {
    const path = 'economy/minting-by-day.csv';
    const idle = /^2026-(02-0[1-3]|06-1[5-7]),.*\n/gm;
    const files = { ...FILES, [path]: FILES[path]!.replaceAll(idle, '') };
    expect(findChart('minting')!.open(PublishedFiles.of(files)).asOf).toBe('2026-06-17');
    expect(ask('minting', {}, files).note).toContain('15 June 2026 to 17 June 2026 (3 days)');
    const { records } = ask('minting', { from: '2026-02-01', to: '2026-02-04' }, files);
    const minted = records.map(({ date: _, ...values }) => sum(Object.values(values).map(Number)));
    expect(minted).toEqual([0, 0, 0, expect.any(Number)]);
    expect(minted[3]).toBeGreaterThan(0);
  });

  test('integrity index: the days that ended with minting off, and the lowest reading', () => {
    const { words, records } = ask('mii');
    const days = rowsOf('economy/mii-by-day.csv');
    const off = days.filter(({ minting_active }) => minting_active === 'false').length;
    expect(off).toBeGreaterThan(0);
    expect(sum(records.map(({ days_minting_off }) => Number(days_minting_off)))).toBe(off);
    const now = JSON.parse(FILES['economy/mii']!) as { mii: number; threshold: number };
    expect(words).toContain(`The integrity index is ${now.mii.toFixed(4)}`);
    const ends = [`>Latest reading ${now.mii.toFixed(4)}<`, `>Threshold ${now.threshold.toFixed(4)}<`];
    for (const end of ends) expect(drawn('mii')).toContain(end);
    expect(drawn('mii', { to: '2026-06-10' })).toContain('>Mean of the day 0.');
  });

  test.each([
    ['0.3', false],
    ['0.6', true],
  ])('integrity index: with a reading of %s it says what its scale is', (lowest, isCut) => {
    const path = 'economy/mii-by-day.csv';
    const [head, ...rows] = FILES[path]!.trim().split('\n');
    const [first, ...others] = rows.map((row) => row.split(','));
    const low = [...first!.slice(0, 3), lowest, ...first!.slice(4)];
    const files = {
      ...FILES,
      [path]: `${[head, ...[low, ...others].map((row) => row.join(','))].join('\n')}\n`,
    };
    const shownMii = shown('mii', {}, files);
    expect(shownMii.note.includes('does not begin at zero')).toBe(isCut);
    const values = textsOf(shownMii.draw({ width: 900, theme: 'light' })).map(({ text }) => text);
    expect(values.includes('0.0')).toBe(!isCut);
  });

  test('integrity index: a week with a reading on one day is whole, and each rule has its own name', () => {
    const path = 'economy/mii-by-day.csv';
    const [head, ...rows] = FILES[path]!.trim().split('\n');
    // A row each three days makes weeks of them.
    const spread = rows.map((row, index) => row.replace(/^[^,]+/, addDays('2026-06-17', -3 * index)));
    const { note, records: weeks } = ask(
      'mii',
      {},
      { ...FILES, [path]: `${[head, ...spread].join('\n')}\n` },
    );
    expect(weeks.length).toBeGreaterThan(80);
    expect(note.match(/\d days?\)/g)?.length ?? 0).toBeLessThanOrEqual(2);
    const flat = rows.map((row) => row.split(','));
    const columns = head!.split(',');
    for (const row of flat)
      for (const name of ['mii_mean', 'mii_min', 'mii_max', 'mii', 'threshold'])
        row[columns.indexOf(name)] = name === 'threshold' ? '0.95' : '0.96';
    const near: Record<string, string> = { ...FILES, [path]: `${[head, ...flat.map(String)].join('\n')}\n` };
    near['economy/mii'] = JSON.stringify({
      ...JSON.parse(FILES['economy/mii']!),
      mii: 0.93,
      threshold: 0.95,
    });
    const svg = shown('mii', {}, near).draw({ width: 900, theme: 'light' });
    const names = [...svg.matchAll(/>(0\.\d+)</g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names).size).toBe(names.length);
    // As many decimals as the finest: 0.950, 0.955, 0.960.
    expect(new Set(names.map((name) => name!.length)).size).toBe(1);
  });

  test('one sentinel alone is neither the highest nor the lowest', () => {
    const [only] = JSON.parse(FILES['economy/coordination']!).sentinels as { id: string }[];
    for (const [id, path] of [
      ['coordination', 'economy/coordination'],
      ['reward-curve', 'economy/sentinel-roi.json'],
    ] as const) {
      const file = JSON.parse(FILES[path]!) as { sentinels: { id: string }[] };
      const sentinels = file.sentinels.filter((one) => one.id === only!.id);
      const { words } = ask(id, {}, { ...FILES, [path]: JSON.stringify({ ...file, sentinels }) });
      expect(words).toContain(only!.id);
      expect(words).not.toMatch(/highest of|lowest/);
    }
  });

  test('uptime: the worst of each day, for ninety days unless more are asked for', () => {
    const { records, words } = ask('uptime');
    expect(records).toHaveLength(90);
    const rows = rowsOf('academics/sentinels-by-day.csv');
    for (const { from, to, ...statuses } of records) {
      expect(from).toBe(to);
      for (const [sentinel, status] of Object.entries(statuses))
        expect(rows.find((row) => row.date === from && row.sentinel === sentinel)!.status).toBe(status);
    }
    const since = String(records[0]!.from);
    const offline = rows.filter(
      ({ date, sentinel, status }) => date! >= since && sentinel === 'EVE' && status === 'offline',
    );
    expect(words).toContain(`EVE on ${offline.length} days`);
    expect(words).toMatch(/Days without a silence over 12 hours: .*EVE [\d.]+\u00a0%/);
    expect(ask('uptime', { from: '2025-12-01' }).unit).toContain('The worst day of each week');
  });

  test('events: the types shown and the rest are all events', () => {
    const { records, words } = ask('events', { from: '2026-03-01', to: '2026-03-31' });
    const rows = rowsOf('academics/events-by-day.csv').filter(
      ({ date }) => date! >= '2026-03-01' && date! <= '2026-03-31',
    );
    const all = sum(rows.map(({ events }) => Number(events)));
    expect(sum(records.map(({ date: _, ...counts }) => sum(Object.values(counts).map(Number))))).toBe(all);
    expect(words).toContain(`From 1 March 2026 to 31 March 2026: ${whole(all)} events in all`);
    const one = ask('events', { series: ['mic_burn'], from: '2026-03-01', to: '2026-03-31' });
    expect(Object.keys(one.records[0]!)).toEqual(['date', 'mic_burn']);
  });

  test('consensus: the published rate, and none where nothing was closed', () => {
    const { records, words, note } = ask('consensus');
    expect(note).toContain('the current rate may be another one');
    const days = rowsOf('philosophy/metrics-by-day.csv').reverse();
    // A rate of the time of the release would stand beside counts of the last whole day, which are not those that it is made of.
    expect(drawn('consensus')).toContain(`>Rate ${Number(days.at(-1)!.consensus_rate).toFixed(3)}<`);
    expect(records.map(({ date }) => date)).toEqual(days.map(({ date }) => date));
    for (const [index, { consensus_rate, deliberations_closed }] of records.entries()) {
      const expected = Number(deliberations_closed) === 0 ? null : Number(days[index]!.consensus_rate);
      if (expected === null) expect(consensus_rate).toBeNull();
      else expect(consensus_rate).toBeCloseTo(expected, 6);
    }
    expect(words).toContain(`to ${days.at(-1)!.deliberations_closed} (${'17 June 2026'})`);
  });

  test('policy projections: how many events of the type each month has', () => {
    const { records, words } = ask('policy-impact');
    const events = LEDGER.leaves.filter(({ event }) => event.type === 'policy_projected');
    for (const { from, projections } of records)
      expect(projections).toBe(
        events.filter(({ event }) => event.timestamp.slice(0, 7) === String(from).slice(0, 7)).length,
      );
    const whole = records
      .filter(({ days }) => Number(days) >= 28)
      .map(({ projections }) => Number(projections));
    // All whole months had as many: none of them most.
    expect(new Set(whole).size).toBe(1);
    expect(words).toContain(`${events.length} policy projections in all`);
    expect(words).not.toContain('greatest');
  });

  test('policy projections: the greatest and the least month are whole ones', () => {
    const counts = { '2026-05-20': 9, '2026-04-30': 3, '2026-03-10': 1, '2026-02-10': 3, '2026-01-09': 7 };
    const rows = Object.entries(counts).map(([date, count]) => `${date},policy_projected,${count}\n`);
    const csv = `date,event_type,events\n${rows.join('')}`;
    expect(ask('policy-impact', {}, { ...FILES, 'academics/events-by-day.csv': csv }).words).toContain(
      'The highest was 3 (1–28 February 2026), the lowest 1 (1–31 March 2026).',
    );
  });

  test('reward curve: the formula, the sentinels, and a point of the reader’s own', () => {
    const { records, words } = ask('reward-curve', { s: 62.5, multiplier: 1.4 });
    for (const { s, multiplier, reward: mic } of records)
      expect(Number(mic)).toBeCloseTo(reward(Number(s), Number(multiplier)), 6);
    expect(records[0]).toMatchObject({ what: 'your point', s: 62.5, multiplier: 1.4 });
    expect(words).toContain(`A mint would earn: Your point ${whole(reward(62.5, 1.4))} MIC, `);
    expect(words).toContain('A score of 50 points earns 500 MIC with the multiplier 1 and 1,000 MIC with 2');
  });

  test('deliberations: the position that each sentinel took last, and how often each was taken', () => {
    const { records, words } = ask('deliberations');
    const published = JSON.parse(FILES['philosophy/deliberations.json']!).deliberations.slice(0, 20);
    let opposed = 0;
    for (const [index, { id, sentinels }] of published.entries()) {
      const own = Object.fromEntries(
        sentinels.map((one: { id: string; position: string }) => [one.id, one.position.replaceAll('_', ' ')]),
      );
      expect(records[index]).toMatchObject({ deliberation: id, ...own });
      opposed += Object.values(own).filter((position) => position === 'oppose').length;
    }
    expect(words).toContain(`, oppose ${opposed} and abstain`);
    const reached = published.filter((one: { consensus: string }) => one.consensus === 'reached').length;
    expect(words).toContain(`Consensus: reached ${reached}, `);
  });

  test('multipliers: the one that was set, and present ones', () => {
    const { words, records } = ask('multipliers');
    expect(records).toHaveLength(rowsOf('economy/cathedral-multipliers.csv').length);
    expect(words).toContain('to 1.35 (');
  });

  test.each([
    ['coordination', 'economy/coordination', 'coordination_score'],
    ['roi-by-sentinel', 'economy/sentinel-roi.json', 'roi'],
  ])('%s: every sentinel of the file, the highest first', (id, path, column) => {
    const { records, words } = ask(id);
    const values = records.map((record) => Number(record[column]));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(records.map(({ sentinel }) => sentinel).sort()).toEqual(
      JSON.parse(FILES[path]!)
        .sentinels.map((one: { id: string }) => one.id)
        .sort(),
    );
    expect(words).toContain(String(records[0]!.sentinel));
  });

  test('compliance: an audit that was due is overdue, and not the next', () => {
    const path = 'government/transparency.json';
    const report = JSON.parse(FILES[path]!);
    report.outlook.next_audits = [
      { jurisdiction: 'UK', date: '2026-06-17' },
      { jurisdiction: 'USA', date: report.timestamp.slice(0, 10) },
    ];
    const files = { ...FILES, [path]: JSON.stringify(report) };
    const { words, records } = ask('compliance', {}, files);
    expect(words).toContain(
      'The UK audit is overdue: it was scheduled for 17 June 2026. The next audit (USA) is on',
    );
    expect(shown('compliance', {}, files).finding).toMatch(/; 1 audit is overdue$/);
    expect(records.map(({ jurisdiction, overdue }) => [jurisdiction, overdue])).toEqual([
      ['USA', 'no'],
      ['EU', null],
      ['UK', 'yes'],
      ['International', null],
    ]);
  });

  test('compliance: the public part, by jurisdiction', () => {
    const { records, words } = ask('compliance');
    const { compliance } = JSON.parse(FILES['government/transparency.json']!);
    for (const { jurisdiction, status, last_audit } of records)
      expect(compliance.jurisdictions[String(jurisdiction)]).toEqual({ status, last_audit });
    expect(words).toContain('Overall: non compliant');
    expect(words).toMatch(
      /By jurisdiction: USA Not audited, EU .*, UK Not audited and International Not audited/,
    );
    expect(JSON.stringify([records, words])).not.toMatch(/GDPR|AI_Act|MiCA/);
  });
});
