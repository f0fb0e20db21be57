import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberText, parseExactJson } from '../../../pipeline/ledger/events/json.ts';
import { parseMapping } from '../../../pipeline/sources/rows/mapping.ts';
import { readJsonb } from '../../../pipeline/sources/rows/row-json.ts';
import { runHere } from '../../contract/commands/seam.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { amountTexts, fitsNumber, isSameNumber, numberTexts } from './numbers.ts';

const folder = useFolder();

const AT = '2026-10-01T06:00:00Z';
const NOW = Date.parse('2026-10-02T00:00:00Z');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const german = (text: string) => {
  const [whole, fraction] = text.split('.') as [string, string?];
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, '.');
  return fraction === undefined ? groups : `${groups},${fraction}`;
};
const mapping = (source: unknown, more: object = {}) => ({
  timestamp: 'at',
  type: { constant: 'measured' },
  agent: { constant: 'METER' },
  data: { measured: { n: source }, mic_burn: { amount: source, reason: { constant: 'fees' } } },
  ...more,
});
const burns = (source: unknown, more: object = {}) =>
  mapping(source, { type: { constant: 'mic_burn' }, ...more });

/** A way into a ledger: the file of some numbers, each in a line of its own. */
interface Path {
  name: string;
  /** Line of the first number. */
  first: number;
  content(numbers: readonly string[]): string;
  mapping?: object;
}
const csv = (header: string, row: (text: string) => string) => ({
  first: 2,
  content: (numbers: readonly string[]) =>
    `${[header, ...numbers.map((one) => `${AT},${row(one)}`)].join('\n')}\n`,
});
const ndjson = (row: (text: string) => string) => ({
  first: 1,
  content: (numbers: readonly string[]) => numbers.map((one) => `${row(one)}\n`).join(''),
});
const json = (row: (text: string) => string) => ({
  first: 2,
  content: (numbers: readonly string[]) => `[\n${numbers.map(row).join(',\n')}\n]`,
});
const event = (data: string) => `{"timestamp":"${AT}","type":"measured","agent":"METER","data":${data}}`;
const row = (value: string) => `{"at":"${AT}","v":${value}}`;

/** Ways on which a number stays a number. */
const NUMBERS: Path[] = [
  { name: 'cell.csv', ...csv('at,v', (one) => one), mapping: mapping({ column: 'v', as: 'number' }) },
  { name: 'json-cell.csv', ...csv('at,v', (one) => one), mapping: mapping({ column: 'v', as: 'json' }) },
  {
    name: 'data.csv',
    ...csv('timestamp,type,agent,data', (one) => `measured,METER,${quoted(`{"n":${one}}`)}`),
  },
  { name: 'event.ndjson', ...ndjson((one) => event(`{"n":${one}}`)) },
  { name: 'spaced-event.ndjson', ...ndjson((one) => event(`{ "n" : ${one} }`)) },
  { name: 'event.json', ...json((one) => event(`{"n":${one}}`)) },
  { name: 'row.ndjson', ...ndjson(row), mapping: mapping('v') },
  { name: 'row-as-number.ndjson', ...ndjson(row), mapping: mapping({ column: 'v', as: 'number' }) },
  { name: 'member.ndjson', ...ndjson((one) => row(`{"w":${one}}`)), mapping: mapping('v.w') },
  { name: 'row.json', ...json(row), mapping: mapping('v') },
];
/** Ways on which it becomes a text. */
const TEXTS: Path[] = [
  { name: 'own-member.csv', ...csv('timestamp,type,agent,data.n', (one) => `measured,METER,${one}`) },
  { name: 'text.ndjson', ...ndjson(row), mapping: mapping({ column: 'v', as: 'text' }) },
];
/** Ways of an amount. */
const AMOUNTS: Path[] = [
  {
    name: 'amount.csv',
    ...csv('timestamp,type,agent,data.reason,data.amount', (one) => `mic_burn,T,fees,${one}`),
  },
  { name: 'amount-cell.csv', ...csv('at,v', (one) => one), mapping: burns('v') },
  {
    name: 'german.csv',
    ...csv('at,v', (one) => quoted(german(one))),
    mapping: burns('v', { decimal: ',', thousands: '.' }),
  },
  { name: 'amount.ndjson', ...ndjson(row), mapping: burns('v') },
  { name: 'amount-text.ndjson', ...ndjson((one) => row(`"${one}"`)), mapping: burns('v') },
  { name: 'amount.json', ...json(row), mapping: burns('v') },
];

let ledgers = 0;

/** What `ledger append` writes: for each number its text in the ledger, or why its row is refused. */
async function append(
  path: Path,
  numbers: readonly string[],
): Promise<{ written?: string; refused?: string }[]> {
  ledgers += 1;
  const ledger = join(folder, `${ledgers}`);
  await runHere('ledger init', [ledger, '--origin=test', '--from=2026-01-01T00:00:00Z'], { now: () => NOW });
  const file = join(folder, path.name);
  const more = path.mapping ? [`--mapping=${join(folder, 'mapping.json')}`] : [];
  writeFileSync(join(folder, 'mapping.json'), JSON.stringify(path.mapping ?? {}));
  const run = (some: readonly string[], ...flags: string[]) => {
    writeFileSync(file, path.content(some));
    return runHere('ledger append', [file, `--ledger=${ledger}`, '--json', ...flags, ...more], {
      now: () => NOW,
    });
  };
  const { stdout } = await run(numbers, '--dry-run');
  const faults = new Map<number, string>();
  for (const { severity, place, message } of JSON.parse(stdout).findings)
    if (severity === 'error')
      faults.set(Number(/:(\d+)/.exec(place)![1]) - path.first, `${place}: ${message}`);
  const good = numbers.filter((_, index) => !faults.has(index));
  if (good.length > 0) expect((await run(good)).status).toBe(0);
  const lines = readFileSync(join(ledger, 'head.ndjson'), 'utf8').trimEnd().split('\n').slice(1);
  return numbers.map((_, index) => {
    if (faults.has(index)) return { refused: faults.get(index)! };
    const { data } = parseExactJson(lines.shift()!) as { data: { n?: unknown; amount?: unknown } };
    const value = data.n ?? data.amount;
    return { written: numberText(value) ?? `${value}` };
  });
}

const some = (texts: fc.Arbitrary<string>) => fc.array(texts, { minLength: 60, maxLength: 80 });

describe('a number is written as it was read, or its row is refused:', () => {
  test.for(NUMBERS.map((path) => [path.name, path] as const))('%s', async ([name, path]) => {
    await fc.assert(
      fc.asyncProperty(some(numberTexts), async (numbers) => {
        const results = await append(path, numbers);
        results.forEach(({ written, refused }, index) => {
          const text = numbers[index]!;
          if (fitsNumber(text)) expect(isSameNumber(written ?? `0${refused}`, text)).toBe(true);
          else expect(refused).toMatch(/ a number that a double holds digit by digit: .*, found /);
          if (refused) expect(refused).toContain(`${name}:${index + path.first}`);
        });
      }),
      { numRuns: 2 },
    );
  });
});

describe('the digits of a text are kept:', () => {
  test.for([
    ...TEXTS.map((path) => [path.name, path, numberTexts] as const),
    ...AMOUNTS.map((path) => [path.name, path, amountTexts] as const),
  ])('%s', async ([, path, texts]) => {
    await fc.assert(
      fc.asyncProperty(some(texts), async (numbers) => {
        const results = await append(path, numbers);
        for (const [index, { written, refused }] of results.entries()) {
          expect(refused).toBeUndefined();
          expect(isSameNumber(written!, numbers[index]!)).toBe(true);
        }
      }),
      { numRuns: 2 },
    );
  });
});

describe('a member twice is refused, with its name:', () => {
  const inJson = NUMBERS.filter(({ name }) => !/cell/.test(name));
  test.for(inJson.map((path) => [path.name, path] as const))('%s', async ([, path]) => {
    const [refused] = await append(path, ['1,"n":2,"v":2,"w":2']);
    expect(refused!.refused).toMatch(/, member .*: expected each member once, found/);
  });
});

test('a number of another country is refused where its point would be taken for one between groups', async () => {
  const german = AMOUNTS.find(({ name }) => name === 'german.csv')!;
  const cells = ['0.500', '00.500', '0.000.001', '12.34', '1234.500', '1.234.5'];
  const quotedCells: Path = { ...german, ...csv('at,v', (one) => quoted(one)) };
  const results = await append(quotedCells, [...cells, '1.500']);
  expect(results.map(({ written }) => written ?? 'refused')).toEqual([...cells.map(() => 'refused'), '1500']);
});

test('the point of a number in cents or percent moves by its scale, and no digit changes', async () => {
  const cents = ['12345', '5', '0', '007', '12345.50', '1e3', '99999999999999999', '0.0001'];
  const moved = ['123.45', '0.05', '0', '0.07', '123.455', '10', '999999999999999.99', '0.000001'];
  const shift = { column: 'v', as: 'number', scale: 2 };
  const table = { name: 'cents.csv', ...csv('at,v', (one) => one), mapping: burns(shift) };
  const rows = { name: 'cents.ndjson', ...ndjson(row), mapping: burns(shift) };
  const wei = { name: 'wei.csv', ...csv('at,v', (one) => one), mapping: burns({ ...shift, scale: 18 }) };
  const shares: Path = {
    name: 'percent.csv',
    ...csv('at,v', (one) => quoted(one)),
    mapping: mapping({ column: 'v', as: 'number', scale: 2, currency: '%', decimal: ',' }),
  };
  for (const [path, numbers, expected] of [
    [table, cents, moved],
    [rows, ['12345', '5', '0', '12345.5'], ['123.45', '0.05', '0', '123.455']],
    // The smallest units of Ether and most other tokens.
    [wei, ['1000000000000000000', '1234500000000000000000', '1e18'], ['1', '1234.5', '1']],
    [shares, ['97,5%', '-3 %', '100%'], ['0.975', '-0.03', '1']],
  ] as const) {
    const results = await append(path, numbers);
    results.forEach(({ written }, at) => {
      expect([path.name, numbers[at], isSameNumber(`${written}`, expected[at]!)]).toEqual([
        path.name,
        numbers[at],
        true,
      ]);
    });
  }
  const [{ refused } = {}] = await append(table, ['0.00001']);
  expect(refused).toContain('expected data.amount to be an amount');
});

test('an amount that a spreadsheet shortened is refused, with a scale or without, and so is a number with one', async () => {
  const table = { name: 'wei.csv', ...csv('at,v', (one) => one) };
  const units = { column: 'v', as: 'number', scale: 18 };
  for (const how of [burns('v'), burns(units), mapping(units)]) {
    const results = await append({ ...table, mapping: how }, [
      '1.23457E+11',
      '1.23456789012346E+018',
      '1E+14',
      '1e+14',
    ]);
    expect(results.map(({ refused }) => /a number with all its digits/.test(`${refused}`))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  }
});

test('a name of jsonb with an escape is read as it is written', () => {
  for (const name of ['\\', '"', '\n', '\t'])
    expect(Object.keys(readJsonb(`{"!": 1, ${JSON.stringify(name)}: 2}`) as object)).toEqual(['!', name]);
});

test('a mapping file does not change its own numbers', () => {
  const parse = (constant: string) =>
    parseMapping(
      JSON.stringify(mapping({ constant: 0 })).replaceAll('"constant":0', `"constant":${constant}`),
      'm.json',
    );
  expect(() => parse('59645453908584171')).toThrow(
    'm.json#/data/measured/n/constant: expected a number that a double holds',
  );
  expect(() => parse('1e999')).toThrow(
    'm.json#/data/measured/n/constant: expected a number that a double holds',
  );
  expect(parse('0.5').events({ at: AT }, () => 'x')[0]!.data).toEqual({ n: 0.5 });
});
