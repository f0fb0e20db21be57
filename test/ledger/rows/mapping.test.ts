import { describe, expect, test } from 'vitest';
import { completeEvent } from '../../../pipeline/ledger/draft.ts';
import { parseTime } from '../../../pipeline/ledger/rows/local-time.ts';
import {
  assertColumns,
  parseMapping,
  plainMapping,
  type Row,
} from '../../../pipeline/ledger/rows/mapping.ts';
import { slotTime } from '../../../pipeline/ledger/slot.ts';

const PLACE = () => 'leistung.csv:3';

/** A spreadsheet in German: what a sentinel did, one row a day. */
const WORK = {
  decimal: ',',
  thousands: '.',
  zone: 'Europe/Berlin',
  id: 'Nr.',
  timestamp: { column: ['Datum', 'Uhrzeit'], format: 'dd.MM.yyyy HH:mm' },
  type: { column: 'Art', values: { Nachweis: 'attestation', Prägung: 'mic_mint', Entwurf: null } },
  agent: { column: 'Wächter', values: { 'Atlas (Bund)': 'ATLAS' } },
  data: {
    attestation: {
      apps: 'Anwendungen',
      packages: 'Pakete',
      workflows: { column: 'Abläufe', default: 0 },
      drift: 'Abweichung',
      uptime_days: 'Tage',
      gi_score: { constant: 0.97 },
      score: 'Punkte',
    },
    mic_mint: { sentinel: { constant: 'ATLAS' }, amount: 'Betrag' },
  },
};

const ROW: Row = {
  'Nr.': '17',
  Datum: '01.10.2026',
  Uhrzeit: '08:30',
  Art: 'Nachweis',
  Wächter: 'Atlas (Bund)',
  Anwendungen: '1.234',
  Pakete: '5',
  Abläufe: '',
  Abweichung: '0,4',
  Tage: '100',
  Punkte: '83,25',
  Betrag: '1.000,50',
};

const mapped = (row: Row, mapping: object = WORK) =>
  parseMapping(JSON.stringify(mapping), 'mapping.json').map(row, PLACE);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

describe('a mapping', () => {
  test('makes an event of a German spreadsheet', () => {
    const { id, draft } = mapped(ROW)!;
    const next = { seq: 3, notBefore: null, now: slotTime('2026-10-01T12Z') };
    expect(id).toBe('17');
    expect(completeEvent(draft, next)).toMatchObject({
      timestamp: '2026-10-01T06:30:00Z',
      type: 'attestation',
      agent: 'ATLAS',
      data: {
        apps: 1234,
        packages: 5,
        workflows: 0,
        drift: 0.4,
        uptime_days: 100,
        gi_score: 0.97,
        score: 83.25,
      },
    });
  });

  test('keeps amounts as decimal texts', () => {
    expect(mapped({ ...ROW, Art: 'Prägung' })!.draft.data).toEqual({ sentinel: 'ATLAS', amount: '1000.50' });
    expect(mapped({ ...ROW, Art: 'Prägung', Betrag: '12,50000000' })!.draft.data.amount).toBe('12.500000');
  });

  test('leaves out a row whose type is mapped to null', () => {
    expect(mapped({ ...ROW, Art: 'Entwurf' })).toBeNull();
  });

  test('reads lists, objects, members of members and values of a database', () => {
    const votes = {
      type: { constant: 'position_taken' },
      agent: 'vote.by',
      timestamp: 'cast_at',
      data: {
        position_taken: {
          deliberation: 'vote.motion',
          position: { column: 'choice', values: { 1: 'support', 0: 'oppose' } },
          reasoning: 'why',
          virtue_tags: { column: 'tags', separator: ',', values: { J: 'justice', P: 'prudence' } },
        },
        compliance_audited: { jurisdiction: { constant: 'EU' }, 'statuses.GDPR': 'gdpr' },
      },
    };
    const row = {
      vote: { by: 'HERMES', motion: 12 },
      cast_at: '2026-10-01T06:00:00.000Z',
      choice: 1,
      why: '',
      tags: 'J, P',
    };
    expect(mapped(row, votes)!.draft).toEqual({
      type: 'position_taken',
      agent: 'HERMES',
      timestamp: '2026-10-01T06:00:00.000Z',
      data: { deliberation: '12', position: 'support', reasoning: '', virtue_tags: ['justice', 'prudence'] },
    });
    const audit = mapped(
      { vote: { by: 'X' }, cast_at: row.cast_at, gdpr: 'compliant' },
      { ...votes, type: { constant: 'compliance_audited' } },
    );
    expect(audit!.draft.data).toEqual({ jurisdiction: 'EU', statuses: { GDPR: 'compliant' } });
  });

  test.for<[change: Row, message: string]>([
    [
      { Abweichung: '0.4' },
      'leistung.csv:3, column Abweichung: expected data.drift to be a number like 1,5, found "0.4"',
    ],
    [{ Pakete: 'fünf' }, 'column Pakete: expected data.packages to be a number like 1,5, found "fünf"'],
    [
      { Pakete: '99999999999999999' },
      'a number that a double holds digit by digit: round a longer one, or write it as a text',
    ],
    [
      { Art: 'Nachweise' },
      'column Art: expected one of Nachweis, Prägung, Entwurf, as the mapping file lists, found "Nachweise"',
    ],
    [
      { Datum: '10/01/2026' },
      'column Datum, Uhrzeit: expected timestamp to be a time in the format dd.MM.yyyy HH:mm, found "10/01/2026 08:30"',
    ],
    [{ Datum: '30.02.2026' }, 'a time that exists in the calendar'],
    [{ Art: '' }, 'column Art: expected the type of an event, found nothing'],
    [
      Object.fromEntries(Object.keys(ROW).map((column) => [column, ''])),
      'leistung.csv:3: expected a row with values: delete it',
    ],
    [Object.fromEntries(Object.keys(ROW).map((column) => [column, null])), 'found only empty cells'],
  ])('refuses a row with %j', ([change, message]) => {
    expect(messageOf(() => mapped({ ...ROW, ...change }))).toContain(message);
  });

  test.for<[file: object | string, message: string]>([
    ['{"type": ', 'mapping.json:1: expected JSON'],
    ['{"type":"a","type":"b"}', 'each member once'],
    [{ ...WORK, agents: 'x' }, 'mapping.json: expected without the member agents'],
    [{ ...WORK, agent: { colum: 'Wächter' } }, 'mapping.json#/agent'],
    [{ ...WORK, agent: 7 }, 'mapping.json#/agent: expected'],
    [
      { ...WORK, data: { mic_mnt: {} } },
      'mapping.json#/data/mic_mnt: expected the type mic_mint, or one of your own, found mic_mnt',
    ],
    [
      { ...WORK, timestamp: { column: 'Datum', format: 'dd.mm.yyyy' } },
      'mapping.json#/timestamp/format: expected excel, unix',
    ],
    [
      { ...WORK, zone: undefined },
      'mapping.json#/timestamp: expected a "zone", here or at the top of the file',
    ],
    [
      { ...WORK, zone: 'Berlin' },
      'mapping.json#/zone: expected an IANA time zone like Europe/Berlin, found "Berlin"',
    ],
    [{ ...WORK, decimal: ';' }, 'mapping.json#/decimal: expected one of ., ,, found ";"'],
    [
      { ...WORK, type: { column: 'Art', values: { 'A/B': 'Mint' } } },
      'mapping.json#/type/values/A~1B: expected a type in snake_case, or null, found "Mint"',
    ],
    [{ ...WORK, file: { encoding: 'latin9000' } }, 'mapping.json#/file/encoding: expected an encoding like'],
  ])('file %j is refused', ([file, message]) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    expect(messageOf(() => parseMapping(text, 'mapping.json'))).toContain(message);
  });

  test('names columns that the table lacks', () => {
    const mapping = parseMapping(JSON.stringify(WORK), 'mapping.json');
    const columns = [...mapping.columns.filter((column) => column !== 'Uhrzeit'), 'Uhrzet'];
    expect(messageOf(() => assertColumns(mapping, columns, 'leistung.csv:1'))).toContain(
      'leistung.csv:1: expected the column "Uhrzeit", which the mapping file names, found "Uhrzet"',
    );
  });
});

describe('a table without a mapping', () => {
  const columns = ['id', 'timestamp', 'type', 'agent', 'data.mii', 'data.note'];

  test('has a column for each member', () => {
    const row = {
      id: '1',
      timestamp: '2026-10-01T06:00:00Z',
      type: 'mii_reading',
      agent: 'ATLAS',
      'data.mii': '0.94',
      'data.note': '',
    };
    expect(plainMapping(columns, 'a.csv:1').map(row, PLACE)).toEqual({
      id: '1',
      draft: { type: 'mii_reading', agent: 'ATLAS', timestamp: '2026-10-01T06:00:00Z', data: { mii: 0.94 } },
    });
  });

  test('or one column for all of them', () => {
    const row = { type: 'mii_reading', agent: 'ATLAS', data: '{"mii":0.94}' };
    expect(plainMapping(Object.keys(row), 'a.csv:1').map(row, PLACE)!.draft.data).toEqual({ mii: 0.94 });
  });

  test.for<[Row, string]>([
    [
      { 'data.mii': '0,94' },
      'column data.mii: expected data.mii to be a number like 1.5, or "decimal": "," in the mapping file',
    ],
    [
      { timestamp: '2026-10-01 08:00' },
      'a time with Z or an offset from UTC, or a "zone" in the mapping file',
    ],
    [
      { timestamp: '01/02/2026' },
      'which may be read in two ways, a "format" and a "zone" in the mapping file',
    ],
    [{ timestamp: '46296.333' }, 'for the day numbers of Excel, "format": "excel" and a "zone"'],
  ])('refuses %j with advice', ([change, message]) => {
    const row = { timestamp: '2026-10-01T06:00:00Z', type: 'mii_reading', agent: 'ATLAS', ...change };
    expect(messageOf(() => plainMapping(columns, 'a.csv:1').map(row, PLACE))).toContain(message);
  });

  test('has no other column', () => {
    expect(messageOf(() => plainMapping(['type', 'agnt'], 'a.csv:1'))).toContain(
      'a.csv:1: expected the column agent, or a mapping',
    );
  });
});

describe('a time', () => {
  test.for([
    ['2026-10-01T06:00:00Z', {}, '2026-10-01T06:00:00Z'],
    ['2026-10-01 06:00:00.123456+00', {}, '2026-10-01T06:00:00.123456Z'],
    ['2026-10-01T08:00+0200', {}, '2026-10-01T06:00:00Z'],
    ['2026-10-01 08:00', { zone: 'Europe/Berlin' }, '2026-10-01T06:00:00Z'],
    ['2026-12-01', { zone: 'Europe/Berlin' }, '2026-12-01T00:00:00Z'],
    ['2026-12-01 00:00', { zone: 'Europe/Berlin' }, '2026-11-30T23:00:00Z'],
    ['2026-03-01 10:00:00 UTC', {}, '2026-03-01T10:00:00Z'],
    ['2026-03-01 10:00 +01', {}, '2026-03-01T09:00:00Z'],
    ['1.3.2026 10:00 UTC', { format: 'd.M.yyyy HH:mm XXX' }, '2026-03-01T10:00:00Z'],
    ['1790834400.123456', { format: 'unix' }, '2026-10-01T06:00:00.123456Z'],
    ['1790834400250.5', { format: 'unix-ms' }, '2026-10-01T06:00:00.2505Z'],
    ['46296.25', { format: 'excel', zone: 'UTC' }, '2026-10-01T06:00:00Z'],
    ['46296,25', { format: 'excel', zone: 'Europe/Berlin' }, '2026-10-01T04:00:00Z'],
    ['1790834400', { format: 'unix' }, '2026-10-01T06:00:00Z'],
    ['1790834400250', { format: 'unix-ms' }, '2026-10-01T06:00:00.25Z'],
    ['10/1/2026 6:05 PM', { format: 'M/d/yyyy h:mm a', zone: 'America/New_York' }, '2026-10-01T22:05:00Z'],
    ['20261001T060000', { format: 'yyyyMMddTHHmmss', zone: 'UTC' }, '2026-10-01T06:00:00Z'],
    [
      '25.10.2026 02:30',
      { format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin', ambiguous: 'earlier' },
      '2026-10-25T00:30:00Z',
    ],
    [
      '25.10.2026 02:30',
      { format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin', ambiguous: 'later' },
      '2026-10-25T01:30:00Z',
    ],
  ] as const)('%s with %j is %s', ([text, how, expected]) => {
    expect(parseTime(text, how)).toBe(expected);
  });

  test.for([
    ['2026-10-25 02:30', { zone: 'Europe/Berlin' }, 'occurs once in Europe/Berlin'],
    [
      '2026-03-29 02:30',
      { zone: 'Europe/Berlin' },
      'clocks were set forward over this one. Correct it, or name the "zone"',
    ],
    ['2026-02-29', { zone: 'UTC' }, 'exists in the calendar'],
    ['13:00 PM', { format: 'yyyy-MM-dd h:mm a', zone: 'UTC' }, 'in the format'],
    ['59', { format: 'excel', zone: 'UTC' }, 'a day number of Excel'],
  ] as const)('%s with %j is refused', ([text, how, expected]) => {
    expect(messageOf(() => parseTime(text, how))).toContain(expected);
  });
});
