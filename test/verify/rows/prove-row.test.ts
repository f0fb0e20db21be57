import { describe, expect, test } from 'vitest';
import type { HistoryArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { csvHeader } from '../../../pipeline/artifacts/format/csv.ts';
import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import type { Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { parseTlogProof } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { verifyProof } from '../../../pipeline/verify/audit/verify-proof.ts';
import { ROW_TABLES } from '../../../pipeline/verify/rows/history-tables.ts';
import { readPasted } from '../../../pipeline/verify/rows/pasted.ts';
import { proveRow, type StepReport } from '../../../pipeline/verify/rows/prove-row.ts';
import { LEDGER, type Site } from '../../mirror/small-service.ts';
import { rowsOf as rowsOfText } from '../../rows-of.ts';
import { fixtureLedger } from '../../site/fixture-ledger.ts';
import { publicSite, rowsMadeOf, SiteOrigin } from './public-log.ts';

const MINT = {
  sentinel: 'AUREA',
  cathedral: 'FOR-ECONOMISTS',
  coordination_score: 61.5,
  multiplier: 1.5,
  amount: '960.010000',
} as const;

/** The fixture’s two years, and a last day with what is rare: the same mint twice, and one that stays a hash. */
const ledger = fixtureLedger()
  .add('2026-10-02T06:00:00Z', 'mic_mint', 'LEDGER', MINT)
  .add('2026-10-02T06:00:00Z', 'mic_mint', 'LEDGER', MINT)
  .add('2026-10-02T07:00:00Z', 'mic_mint', 'LEDGER', { ...MINT, unknown: 'member' })
  .add('2026-10-03T07:00:00Z', 'mii_reading', 'ATLAS', { mii: 0.96 });
const leaves: readonly Leaf[] = ledger.leaves;
const site = publicSite(leaves);

const { rows } = rowsMadeOf(leaves);
const rowsOf = (path: string) => rows.get(path)!.map((row) => row.replace(/\n$/, ''));
const historyOf = (path: string) => HISTORIES.find((history) => history.path === path)!;
const headerOf = (path: string) =>
  csvHeader((historyOf(path) as HistoryArtifact & { schema: never }).schema).trim();

async function prove(text: string, on: Site = site, keys = [LEDGER.verifier]) {
  const steps: StepReport[] = [];
  const origin = new SiteOrigin(on);
  const report = (step: StepReport) => void steps.push(step);
  const verdict = await proveRow(readPasted(text), { origin, ledgerKeys: keys, report });
  return { verdict, steps, asked: origin.asked };
}

const without = (path: RegExp) => new Map([...site].filter(([name]) => !path.test(name)));

test('every public history is known, with its columns', () => {
  const provable = ROW_TABLES.filter(({ path }) => rows.has(path)).map(({ path }) => path);
  expect(provable.toSorted()).toEqual(
    HISTORIES.filter(({ restricted }) => !restricted)
      .map(({ path }) => path)
      .toSorted(),
  );
});

describe('an event, by its hash', () => {
  const index = leaves.findIndex(({ event }) => event.type === 'mic_mint');
  const { event } = leaves[index]!;
  const hash = leafHash(Buffer.from(formatEventLine(event)));
  const exported = (time: string) => `${time},mic_mint,LEDGER,"{}",0x${hash}`;

  test.each([
    ['its hash', `0x${hash.toUpperCase()}`.replace('0X', '0x')],
    ['its row in the export', exported(event.timestamp)],
    ['a row with another time, which is only a hint', exported('2026-10-02T06:00:00Z')],
  ])('is found by %s, and shown if it is public', async (_, text) => {
    const { verdict, steps } = await prove(text);
    expect(verdict).toMatchObject({ verdict: 'proved', history: null, events: [{ index, hash, event }] });
    expect(steps.map(({ step }) => step)).toEqual('Row Event Leaf Tiles Checkpoint Signatures'.split(' '));
  });

  test('that the log does not have is contradicted, and not the log', async () => {
    const { verdict, steps } = await prove('ab'.repeat(32));
    expect(verdict).toMatchObject({ verdict: 'does_not_hold', about: 'row', event: null });
    expect(steps.at(-1)).toMatchObject({ step: 'Event', words: 'No event of the log has this hash.' });
  });
});

describe('a row is proved', () => {
  test.each(ROW_TABLES.filter(({ row }) => row.from !== 'everything').map(({ path }) => path))(
    'of %s, each that it has, and with its proof',
    async (path) => {
      const history = ROW_TABLES.find((one) => one.path === path)!;
      const own =
        rows.get(path)?.map((row) => row.replace(/\n$/, '')) ??
        leaves.flatMap((leaf) => history.artifact.rows(leaf)).map((row) => row.trim().replace(/,$/, ',5'));
      const some = own.filter((_, at) => at % Math.ceil(own.length / 12) === 0);
      expect(some.length).toBeGreaterThan(3);
      for (const row of some) {
        const { verdict, steps } = await prove(row);
        const hashed = verdict.verdict === 'cannot_be_checked' && verdict.reason === 'hashed';
        if (path === 'academics/events-by-day.csv' && hashed) continue;
        if (history.row.beyond) {
          expect(verdict, row).toMatchObject({ reason: 'follows_from_more', history: path });
          expect(steps.at(-2)).toMatchObject({ step: 'Signatures', result: 'holds' });
          continue;
        }
        expect(verdict, row).toMatchObject({ verdict: 'proved', history: path });
        if (verdict.verdict !== 'proved') continue;
        for (const { index, hash, proof } of verdict.events) {
          expect(hash).toBe(leafHash(Buffer.from(formatEventLine(leaves[index]!.event))));
          expect(parseTlogProof(proof, 'the proof').index).toBe(index);
        }
        const [{ hash, proof }] = verdict.events as [(typeof verdict.events)[0]];
        await verifyProof(proof, hash, [LEDGER.verifier], 'the proof');
      }
    },
  );

  const [mint] = rowsOf('economy/mic-history.csv') as [string];
  const [timestamp, cycle, sentinel, amount, cathedral, score] = mint.split(',');
  const object = `"timestamp":"${timestamp}","cycle":"${cycle}","sentinel":"${sentinel}","amount":${amount},"cathedral":"${cathedral}","coordination_score":${score}`;
  const index = leaves.findIndex(({ event }) => event.type === 'mic_mint');
  test.each([
    ['as it is', mint],
    ['below its header, with line ends of Windows', `${headerOf('economy/mic-history.csv')}\r\n${mint}\r\n`],
    ['from the beginning of a file', `\uFEFF${mint}\n`],
    ['with quotes around its cells', `"${mint.replaceAll(',', '","')}"`],
    [
      'below a header with quotes',
      `"${headerOf('economy/mic-history.csv').replaceAll(',', '","')}"\n${mint}`,
    ],
    ['of NDJSON', `{${object}}`],
    ['of NDJSON with its event', `{${object},"event":${index}}`],
    ['of JSON, with its comma', `{${object}},`],
  ])('%s', async (_, text) => {
    const { verdict, steps, asked } = await prove(text);
    expect(verdict).toMatchObject({ verdict: 'proved', events: [{ index }] });
    expect(steps.map(({ step, result }) => `${step} ${result}`)).toEqual(
      ['Row', 'History', 'Event', 'Leaf', 'Tiles', 'Checkpoint', 'Signatures'].map((step) => `${step} holds`),
    );
    // The event that a row names is read without the index of its month.
    expect(asked.some((path) => path.startsWith('events/'))).toBe(!text.includes('"event"'));
  });

  const dayOfFirst = leaves.filter(({ event }) => event.timestamp.startsWith('2025-07-03'));
  const archived = JSON.parse(rowsOf('philosophy/deliberation-archive.json')[0]!) as Record<string, unknown>;
  const { sentinels: _, ...line } = archived;
  const eventsOf = (type: string) =>
    leaves.flatMap(({ event }) =>
      event.type === type && event.data.deliberation === line.id ? [event.seq] : [],
    );
  const links = {
    event: eventsOf('deliberation_closed')[0],
    opened_event: eventsOf('deliberation_opened')[0],
    position_events: eventsOf('position_taken'),
  };
  const [date, cathedralOfDay, mints, minted] = rowsOf('economy/minting-by-day.csv')[0]!.split(',');
  const byDay = { date, cathedral: cathedralOfDay, mints: Number(mints), minted: Number(minted) };
  const span = { first_event: 0, last_event: dayOfFirst.length - 1 };
  test.each<[string, object, string | null]>([
    ['of a deliberation', { ...line, ...links }, null],
    ['of a deliberation, with another close', { ...line, ...links, event: 1 }, 'event'],
    [
      'of a deliberation, with other positions',
      { ...line, ...links, position_events: [1] },
      'position_events',
    ],
    ['of a day', { ...byDay, ...span }, null],
    ['of a day, with another end', { ...byDay, ...span, last_event: 0 }, 'last_event'],
  ])('of JSON lines, with the events that it names: %s', async (_, row, column) => {
    const { verdict } = await prove(JSON.stringify(row));
    expect(verdict).toMatchObject(
      column === null
        ? { verdict: 'proved' }
        : { verdict: 'does_not_hold', about: 'row', differences: [{ column }] },
    );
  });

  test.each([mint, rowsOf('economy/minting-by-day.csv')[4]!, rowsOf('economy/mic-history.csv').at(-3)!])(
    'on a host without the index of months, from the times of the events: %s',
    async (row) => {
      const bare = without(/^events\/days\//);
      expect((await prove(row, bare)).verdict).toMatchObject({ verdict: 'proved' });
      const early = await prove(mint.replace('2025', '2020'), bare);
      expect(early.verdict).toMatchObject({ verdict: 'does_not_hold', about: 'row' });
    },
  );

  test('of a day is left open on a host without the index, if it names the ends of the day', async () => {
    const bare = without(/^events\/days\//);
    expect((await prove(JSON.stringify(byDay), bare)).verdict).toMatchObject({ verdict: 'proved' });
    expect((await prove(JSON.stringify({ ...byDay, ...span }), bare)).verdict).toMatchObject({
      verdict: 'cannot_be_checked',
      reason: 'not_published',
    });
  });

  test('that its file has twice', async () => {
    const { verdict, steps } = await prove('2026-10-02T06:00:00Z,C-456,AUREA,960.010000,FOR-ECONOMISTS,61.5');
    expect(verdict).toMatchObject({ verdict: 'proved', events: [{ index: leaves.length - 4 }] });
    expect(steps[2]!.words).toContain('the file has the row 2 times');
  });
});

describe('a row does not hold', () => {
  const own = rowsOf('economy/mic-history.csv');
  const mint = own[7]!;
  const [timestamp, cycle, sentinel, amount, cathedral, score] = mint.split(',');
  const withAmount = (text: string, more = '') =>
    `{"timestamp":"${timestamp}","cycle":"${cycle}","sentinel":"${sentinel}","amount":${text},"cathedral":"${cathedral}","coordination_score":${score}${more}}`;
  const digit = (text: string) => text.replace(/\d(?=\D*$)/, (last) => `${(Number(last) + 1) % 10}`);
  const decision = JSON.parse(rowsOf('philosophy/decisions.json')[1]!) as Record<string, unknown>;
  const closed = JSON.parse(rowsOf('philosophy/deliberation-archive.json')[1]!) as {
    sentinels: Record<string, unknown>[];
  };
  test.each<[what: string, text: string, differences: object[]]>([
    [
      'with one digit of its amount changed',
      mint.replace(amount!, digit(amount!)),
      [{ column: 'amount', expected: amount, found: digit(amount!) }],
    ],
    [
      'whose number is written otherwise',
      mint.replace(amount!, `${amount}0`),
      [{ column: 'amount', expected: amount, found: `${amount}0` }],
    ],
    [
      'with another sentinel and score',
      mint.replace(sentinel!, 'NOBODY').replace(new RegExp(`${score}$`), '1'),
      [
        { column: 'sentinel', expected: sentinel, found: 'NOBODY' },
        { column: 'coordination_score', expected: score, found: '1' },
      ],
    ],
    [
      'at a time without an event, as from another service',
      mint.replace(timestamp!, timestamp!.replace(':00Z', ':01Z')),
      [{ column: 'timestamp' }],
    ],
    ['of a day without a mint', '2025-07-05,FOR-ECONOMISTS,1,2.000000', [{ column: 'date' }]],
    ['by day, with another sum', digit(rowsOf('economy/minting-by-day.csv')[3]!), [{ column: 'minted' }]],
    ['that names another event', withAmount(`${amount}`, ',"event":0'), [{ column: 'event', found: '0' }]],
    [
      'that names an event in a column which its history does not have',
      withAmount(`${amount}`, ',"first_event":0'),
      [{ column: 'first_event', expected: 'nothing', found: '0' }],
    ],
    ...[`"${Number(amount)}"`, `"#${Number(amount)}"`].map((text): [string, string, object[]] => [
      `that has the text ${text} in place of a number`,
      withAmount(text),
      [{ column: 'amount' }],
    ]),
    [
      'of a decision whose reasoning was changed',
      JSON.stringify({ ...decision, reasoning: 'Because.' }),
      [{ column: 'reasoning', found: 'Because.' }],
    ],
    [
      'of a deliberation with another position',
      JSON.stringify({
        ...closed,
        sentinels: closed.sentinels.with(0, { ...closed.sentinels[0], position: 'oppose' }),
      }),
      [{ column: 'sentinels' }],
    ],
    [
      'where even a column that is proved differs',
      rowsOf('economy/mii-by-day.csv')[9]!.replace(/,1,/, ',2,'),
      [{ column: 'readings', expected: '1', found: '2' }],
    ],
  ])('%s', async (_, text, differences) => {
    const { verdict, steps } = await prove(text);
    expect(verdict).toMatchObject({ verdict: 'does_not_hold', about: 'row', differences });
    expect(steps.at(-1)).toMatchObject({ step: 'Event', result: 'does_not_hold' });
    expect(steps.at(-1)!.findings).toHaveLength(differences.length);
  });

  test('without a header, as one of the history that its cells fit', async () => {
    const genesis = rowsOf('economy/cathedral-multipliers.csv')[0]!;
    expect((await prove(genesis.replace(/genesis$/, 'other'))).verdict).toMatchObject({
      differences: [{ column: 'reason', expected: 'genesis', found: 'other' }],
    });
  });
});

describe('a row cannot be checked', () => {
  const supply = rowsOf('economy/supply-by-day.csv')[5]!;
  const object =
    '"timestamp":"2026-10-02T06:00:00Z","cycle":"C-456","sentinel":"AUREA","amount":960.01,"cathedral":"FOR-ECONOMISTS","coordination_score":61.5';
  const header = headerOf('economy/mic-history.csv');
  const cases = rowsOfText<[what: string, text: string, reason: string, says: string]>(`
that is empty |  ¶ | unrecognised | nothing
that is only a header | ${header} | unrecognised | only a header
among others | ${supply}¶${supply} | unrecognised | 2 lines.*drop the file
with an open quote | "2025-07-03,1 | unrecognised | 2025-07-03,1
with other columns | timestamp,amount¶2025-07-03T00:00:00Z,1 | unrecognised | timestamp, amount.*other releases
with a member twice, of which a reader may take either | {${object.replace('"amount"', '"amount":1,"amount"')}} | unrecognised | AUREA
with a column twice | ${header},amount¶${rowsOf('economy/mic-history.csv')[7]},1 | unrecognised | coordination_score, amount.*other releases
of a restricted file | {"policy":"Carbon dividend 40","timeline":"three years"} | unrecognised | policy, timeline
of no file | hello | unrecognised | hello
that follows from all events | ${supply} | follows_from_more | all events before it
that counts events of a hashed type | 2025-07-05,heartbeat,5 | hashed | heartbeat
later than the checkpoint | 2027-01-01T06:00:00Z,C-547,AUREA,960.010000,FOR-ECONOMISTS,61.5 | newer | 2026-10-03
that names a later event | {${object},"event":999999} | newer | 999999
of a day that is not over | 2026-10-03,mii_reading,1 | newer | 2026-10-03
without a time | ${header}¶noon,C-1,A,1,B,2 | unrecognised | noon
longer than any | ${'x'.repeat(150_000)} | unrecognised | 150000`);
  test.each(cases)('%s', async (_, text, reason, says) => {
    const { verdict } = await prove(text);
    expect(verdict).toMatchObject({ verdict: 'cannot_be_checked', reason });
    if (verdict.verdict === 'cannot_be_checked')
      expect(`${verdict.finding.expected} ${verdict.finding.found}`).toMatch(new RegExp(says));
  });

  const mint = rowsOf('economy/mic-history.csv')[7]!;
  test.each([
    '2026-10-02T07:00:00Z,C-456,AUREA,960.010000,FOR-ECONOMISTS,61.5',
    '2026-10-02,FOR-ECONOMISTS,3,2880.030000',
    `{${object},"event":${leaves.length - 2}}`,
  ])('of an event that stays a hash: %s', async (row) => {
    const { verdict } = await prove(row);
    expect(verdict).toMatchObject({ verdict: 'cannot_be_checked', reason: 'hashed' });
  });

  test.each<[what: string, reason: string, on: Site]>([
    ['does not publish events', 'not_published', without(/^log\/public\//)],
  ])('on a host that %s', async (_, reason, on) => {
    expect((await prove(mint, on)).verdict).toMatchObject({ verdict: 'cannot_be_checked', reason });
  });
});

describe('an event', () => {
  const index = leaves.findIndex(({ event }) => event.type === 'mic_burn');
  const line = formatEventLine(leaves[index]!.event);
  test('is proved by its number, with its line if that is public', async () => {
    const { verdict } = await prove(`${index}`);
    expect(verdict).toMatchObject({ verdict: 'proved', events: [{ index, event: leaves[index]!.event }] });
    const heartbeat = leaves.findIndex(({ event }) => event.type === 'heartbeat');
    const { verdict: hashed, steps } = await prove(`${heartbeat}`);
    expect(hashed).toMatchObject({ verdict: 'proved', events: [{ index: heartbeat, event: null }] });
    expect(steps.map(({ words }) => words).join(' ')).toContain('published only as a hash');
  });

  test('is proved by its line', async () => {
    expect((await prove(line)).verdict).toMatchObject({ verdict: 'proved', events: [{ index }] });
  });

  test.each<[what: string, text: string, column: string]>([
    ['another salt', line.replace(/"salt":"A/, '"salt":"B'), 'salt'],
    ['another amount', line.replace('2500.500000', '2500.500001'), 'data'],
    ['other white space', line.replace('{"seq"', '{ "seq"'), 'the hash of the line'],
  ])('does not hold with %s in its line', async (_, text, column) => {
    expect((await prove(text)).verdict).toMatchObject({
      verdict: 'does_not_hold',
      about: 'row',
      differences: [{ column }],
      event: index,
    });
  });

  test('cannot be checked if the log ends before it', async () => {
    expect((await prove('999999')).verdict).toMatchObject({ reason: 'newer' });
  });
});
