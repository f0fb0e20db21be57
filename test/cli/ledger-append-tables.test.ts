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
