import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { runHere } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'cathedral-tables-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let ledgers = 0;

/** Appends a table to a new ledger. */
async function append(table: string, mapping: object | null, ...flags: string[]) {
  ledgers += 1;
  const ledger = join(folder, `ledger-${ledgers}`);
  const now = () => Date.parse('2026-11-26T12:00:00Z');
  await runHere('ledger init', [ledger, '--origin=test', '--from=2020-01-01T00:00:00Z'], { now });
  const file = join(folder, 'table.csv');
  writeFileSync(file, table);
  writeFileSync(join(folder, 'mapping.json'), JSON.stringify(mapping));
  const how = mapping === null ? [] : [`--mapping=${join(folder, 'mapping.json')}`];
  const { status, stderr } = await runHere('ledger append', [file, `--ledger=${ledger}`, ...how, ...flags], {
    now,
  });
  const lines = readFileSync(join(ledger, 'head.ndjson'), 'utf8').trimEnd().split('\n').slice(1);
  return { status, stderr, events: lines.map((line) => JSON.parse(line) as LedgerEvent) };
}
const timesOf = (events: readonly LedgerEvent[]) => events.map(({ timestamp }) => timestamp);

const GRANTS =
  'Project;Amount;Paid out\nGateway;6950,00;24.11.2026\nHosting;10440,00;\nWallet;2500,00;25.11.2026\nTotal;19890,00;\n';
const grants = (time: object) => ({
  decimal: ',',
  zone: 'Europe/Berlin',
  timestamp: { column: 'Paid out', format: 'dd.MM.yyyy', ...time },
  type: { constant: 'mic_burn' },
  agent: { constant: 'TREASURY' },
  data: { mic_burn: { amount: 'Amount', reason: { constant: 'grants' }, project: 'Project' } },
});

describe('an empty cell in a column of times', () => {
  test('is refused at its row, and the message says how to allow it', async () => {
    const { status, stderr, events } = await append(GRANTS, grants({}), '--sort');
    expect({ status, events }).toEqual({ status: 1, events: [] });
    for (const line of [3, 5])
      expect(stderr).toContain(
        `table.csv:${line}, column Paid out: expected timestamp to be a time. In a mapping file, "default"`,
      );
    const plain = 'timestamp,type,agent\n2026-10-01T06:00:00Z,heartbeat,A\n,heartbeat,A\n';
    expect((await append(plain, null)).stderr).toContain(
      'table.csv:3, column timestamp: expected timestamp to be a time',
    );
  });

  test('leaves the row out, or is the time of appending, as the mapping says', async () => {
    const out = await append(GRANTS, grants({ default: null }));
    expect(timesOf(out.events)).toEqual(['2026-11-24T00:00:00Z', '2026-11-25T00:00:00Z']);
    const now = await append(GRANTS, grants({ default: 'now' }), '--sort');
    expect(timesOf(now.events).slice(2)).toEqual(['2026-11-26T12:00:00Z', '2026-11-26T12:00:00Z']);
  });
});

describe('a day without a time', () => {
  test.for([
    ['dd.MM.yyyy', '01.01.2026'],
    ['excel', '46023'],
    [undefined, '2026-01-01'],
  ])('as %s is published as that day, in any zone', async ([format, text]) => {
    for (const zone of ['Europe/Berlin', 'Pacific/Auckland', 'Pacific/Kiritimati', 'America/Los_Angeles']) {
      const { events } = await append(`Project;Amount;Paid out\nGateway;1,5;${text}\n`, {
        ...grants({ format }),
        zone,
      });
      expect(events).toMatchObject([{ timestamp: '2026-01-01T00:00:00Z', cycle: 'C-182' }]);
    }
  });
});

describe('--sort', () => {
  const votes = (rows: string[]) => `Datum;Art;Nummer;Text\n${rows.join('\n')}\n`;
  const mapping = {
    timestamp: { column: 'Datum', format: 'dd.MM.yyyy' },
    type: { column: 'Art', values: { opened: 'deliberation_opened', closed: 'deliberation_closed' } },
    agent: { constant: 'CHAIR' },
    data: {
      deliberation_opened: { deliberation: 'Nummer', topic: 'Text' },
      deliberation_closed: { deliberation: 'Nummer', consensus: { constant: 'reached' }, outcome: 'Text' },
    },
  };
  const rows = [
    '20.03.2026;closed;D-2;adopted',
    '20.03.2026;opened;D-2;Budget',
    '19.03.2026;closed;D-1;no',
    '19.03.2026;opened;D-1;Dues',
  ];
  const ORDER = ['opened D-1', 'closed D-1', 'opened D-2', 'closed D-2'];
  const orderOf = (events: readonly LedgerEvent[]) =>
    events.map(({ type, data }) => `${type.replace('deliberation_', '')} ${data.deliberation}`);

  test('reverses the rows of one day in a file that is newest first, and only there', async () => {
    expect(orderOf((await append(votes(rows), mapping, '--sort')).events)).toEqual(ORDER);
    expect(orderOf((await append(votes(rows.toReversed()), mapping, '--sort')).events)).toEqual(ORDER);
  });

  test('is named where a file is newest first', async () => {
    expect((await append(votes(rows), mapping)).stderr).toContain(
      'table.csv:4, column Datum: expected timestamp to be at or after 2026-03-20T00:00:00Z, that of table.csv:3 (--sort sorts a batch by time)',
    );
  });
});

describe('a table that people read', () => {
  const TABLE = [
    'Council of X,,,,,,',
    '"Votes, first half",,,,,,',
    '',
    'Date,Motion,Title,"Smith, A.",Jones,Lee,Costs',
    '26 Jan 2021,M-1,Budget,yes,no,,"$6,950.00"',
    '"2 Sept. 2021",M-2,Parks,no,absent,yes,"$1,234,567.5"',
  ].join('\n');
  const WIDE = {
    file: { header: 4 },
    currency: '$',
    thousands: ',',
    missing: ['absent'],
    timestamp: { column: 'Date', format: 'd MMM yyyy' },
    agent: { constant: 'CLERK' },
    events: [
      {
        type: { constant: 'deliberation_opened' },
        data: { deliberation_opened: { deliberation: 'Motion', topic: 'Title' } },
      },
      {
        each: { columns: ['Smith, A.', 'Jones', 'Lee'], name: 'voter', value: 'vote' },
        type: { constant: 'position_taken' },
        agent: { column: 'voter', values: { 'Smith, A.': 'SMITH', Jones: 'JONES', Lee: 'LEE' } },
        data: {
          position_taken: {
            deliberation: 'Motion',
            position: { column: 'vote', values: { yes: 'support', no: 'oppose' } },
            reasoning: { constant: '' },
            virtue_tags: { constant: [] },
          },
        },
      },
      {
        type: { constant: 'mic_burn' },
        data: { mic_burn: { amount: 'Costs', reason: { constant: 'costs' } } },
      },
    ],
  };

  test('gives several events for each row, in the order of the mapping', async () => {
    const { events, stderr } = await append(TABLE, WIDE);
    expect(stderr).not.toMatch(/error|warning/);
    expect(
      events.map(({ timestamp, agent, data }) => [
        timestamp.slice(0, 10),
        agent,
        data.position ?? data.topic ?? data.amount,
      ]),
    ).toEqual([
      ['2021-01-26', 'CLERK', 'Budget'],
      ['2021-01-26', 'SMITH', 'support'],
      ['2021-01-26', 'JONES', 'oppose'],
      ['2021-01-26', 'CLERK', '6950.00'],
      ['2021-09-02', 'CLERK', 'Parks'],
      ['2021-09-02', 'SMITH', 'oppose'],
      ['2021-09-02', 'LEE', 'support'],
      ['2021-09-02', 'CLERK', '1234567.5'],
    ]);
  });

  test('keeps the order of the events of a row in a file that is newest first', async () => {
    const lines = TABLE.split('\n');
    const newest = [...lines.slice(0, 4), lines[5], lines[4]].join('\n');
    const { events } = await append(newest, WIDE, '--sort');
    expect(events.map(({ agent }) => agent).slice(0, 4)).toEqual(['CLERK', 'SMITH', 'JONES', 'CLERK']);
    expect(timesOf(events)).toEqual(timesOf(events).toSorted());
  });

  test('is refused at the cell, with the remedy', async () => {
    const of = async (table: string, mapping: object) => (await append(table, mapping)).stderr;
    expect(await of(TABLE.replace('yes,no', 'perhaps,no'), WIDE)).toContain('table.csv:5, column Smith, A.');
    expect(await of(TABLE, { ...WIDE, currency: undefined })).toContain(
      'or "currency": "$" in the mapping file, found "$6,950.00"',
    );
    expect(await of(TABLE, { ...WIDE, thousands: undefined })).toContain(
      '"thousands" and "decimal" in the mapping file',
    );
    expect(await of(TABLE, { ...WIDE, timestamp: { column: 'Date', zone: 'UTC' } })).toContain(
      'a "format" like d MMM yyyy',
    );
    expect(await of(TABLE, { ...WIDE, language: 'fr' })).toContain(
      'expected timestamp to be a month, such as janvier or février, found',
    );
    expect(await of(TABLE, { ...WIDE, thousands: '.' })).toContain(
      'mapping.json#/thousands: expected another character than "decimal"',
    );
    expect(await of(TABLE, { ...WIDE, agent: undefined })).toContain(
      'mapping.json#/events/0: expected the member agent',
    );
    expect(await of(TABLE, { ...WIDE, file: { header: 40 } })).toContain(
      'expected a line with the names of columns from line 40 on',
    );
  });

  test.for([
    ['de', 'd. MMMM yyyy', '1. März 2026'],
    ['de', 'd. MMM yyyy', '1. Mrz. 2026'.replace('Mrz.', 'März')],
    ['fr', 'd MMMM yyyy', '1 mars 2026'],
    ['ru', 'd MMMM yyyy', '1 марта 2026'],
    ['en', 'EEE, dd MMM yyyy', 'Sun, 01 Mar 2026'],
    ['en', 'MMMM d, yyyy', 'MARCH 1, 2026'],
  ] as const)('has months by their names, in %s: %s', async ([language, format, text]) => {
    const mapping = {
      language,
      timestamp: { column: 'when', format },
      type: { constant: 'heartbeat' },
      agent: { constant: 'A' },
      data: {},
    };
    expect(timesOf((await append(`when;x\n"${text}";1\n`, mapping)).events)).toEqual([
      '2026-03-01T00:00:00Z',
    ]);
  });

  test.for([
    ['€ 1.234,50', { currency: '€', decimal: ',', thousands: '.' }],
    ['1.234,50 EUR', { currency: 'EUR', decimal: ',', thousands: '.' }],
    ['1 234,50', { decimal: ',', thousands: ' ' }],
    ['1\u202f234,50', { decimal: ',', thousands: ' ' }],
    ['CHF 1’234.50', { currency: 'CHF', thousands: "'" }],
    ['1234.50', { currency: '$', thousands: ',' }],
  ] as const)('has amounts like %s', async ([text, how]) => {
    const mapping = {
      ...how,
      timestamp: 'at',
      type: { constant: 'mic_burn' },
      agent: { constant: 'A' },
      data: { mic_burn: { amount: 'n', reason: { constant: 'x' } } },
    };
    expect((await append(`n;x;at\n${text};1;2026-10-01\n`, mapping)).events).toMatchObject([
      { data: { amount: '1234.50' } },
    ]);
  });

  test('has an empty list where a list is needed and its cell is empty', async () => {
    const header =
      'timestamp,type,agent,data.decision,data.topic,data.frameworks_applied,data.sentinels_involved,data.reasoning,data.outcome,data.lessons_learned';
    const { events } = await append(`${header}\n2026-10-01,decision_recorded,A,D-1,t,,,,,\n`, null);
    expect(events).toMatchObject([
      { data: { frameworks_applied: [], sentinels_involved: [], reasoning: '' } },
    ]);
  });
});

describe('what is probably a mistake is a warning, and an error with --strict:', () => {
  const HEADER = 'timestamp,type,agent,data.sentinel,data.cathedral,data.role';
  const table = (...rows: string[]) =>
    `${[HEADER, ...rows.map((row) => `2026-10-01T06:00:00Z,sentinel_registered,${row}`)].join('\n')}\n`;
  const names = (one: string, other: string) =>
    table(`A,${one},FOR-GOVERNMENTS,x`, `A,${other},FOR-GOVERNMENTS,y`);

  test.for([
    ['a space at the end', names('ATLAS', '"ATLAS "'), '"ATLAS "'],
    ['a space that does not break', names('ATLAS ONE', 'ATLAS\u00a0ONE'), '"ATLAS\\u00a0ONE"'],
    ['another case', names('ATLAS', 'Atlas'), '"Atlas"'],
    ['another normal form', names('ÆGIR É', 'ÆGIR E\u0301'), '\\u0301"'],
    ['a zero-width space at the end', names('ATLAS', 'ATLAS\u200b'), '\\u200b"'],
    ['a zero-width space inside', names('ATLAS', 'AT\u200bLAS'), '"AT\\u200bLAS"'],
    ['a soft hyphen inside', names('ATLAS', 'AT\u00adLAS'), '"AT\\u00adLAS"'],
    ...['#REF!', '#N/A', '#VALUE!', '#WERT!', '#DIV/0!', '#####', 'NA', 'NULL', 'NaN', 'n/a'].map(
      (cell) => [cell, table(`A,ATLAS,FOR-GOVERNMENTS,${cell}`), JSON.stringify(cell)] as const,
    ),
  ] as const)('%s', async ([, content, found]) => {
    for (const flags of [['--dry-run'], []]) {
      const { status, stderr } = await append(content, null, ...flags);
      expect(stderr).toMatch(/warning: table.csv:\d: expected data\.(sentinel|role) to be /);
      expect(stderr).toContain(found);
      expect(status).toBe(0);
    }
    const strict = await append(content, null, '--strict');
    expect(strict).toMatchObject({ status: 1, events: [] });
    expect(strict.stderr).toContain('error: table.csv:');
  });

  test('a name that looks like one of the ledger, which --dry-run and --strict read', async () => {
    const ledger = join(folder, 'names');
    const now = () => Date.parse('2026-10-01T08:00:00Z');
    await runHere('ledger init', [ledger, '--origin=test', '--from=2026-10-01T00:00:00Z'], { now });
    const run = (content: string, ...flags: string[]) => {
      writeFileSync(join(folder, 'names.csv'), content);
      return runHere('ledger append', [join(folder, 'names.csv'), `--ledger=${ledger}`, ...flags], { now });
    };
    await run(table('A,ATLAS,FOR-GOVERNMENTS,x'));
    await run('timestamp,type,agent\n2026-10-01T06:30:00Z,heartbeat,HERMES\n');
    const later = table('A,Atlas,FOR-GOVERNMENTS,x').replace('06:00', '07:00');
    expect((await run(later, '--dry-run')).stderr).toContain(
      'warning: names.csv:2: expected data.sentinel to be "ATLAS", as in event 1, found "Atlas"',
    );
    expect(await run(later, '--strict')).toMatchObject({ status: 1 });
  });

  test('but not names and values that are fine', async () => {
    const fine = table(
      'A,ATLAS,FOR-GOVERNMENTS,Nan is a name',
      'A,ATLAS-2,FOR-GOVERNMENTS,Nulla',
      'A,ÄGIR,FOR-GOVERNMENTS,# 1',
    );
    expect((await append(fine, null)).stderr).not.toContain('warning');
  });
});
