import { describe, expect, test } from 'vitest';
import {
  completeEvent,
  type EventDraft,
  type NextPlace,
  warningsOf,
} from '../../../pipeline/ledger/events/draft.ts';
import { cycleOf, slotTime } from '../../../pipeline/ledger/events/slot.ts';
import { messageOf } from '../../fault-of.ts';
import { rowsOf } from '../../rows-of.ts';

const NEXT: NextPlace = {
  seq: 7,
  notBefore: '2026-10-01T00:00:00Z',
  now: slotTime('2026-10-01T06Z'),
};
const DRAFT: EventDraft = { type: 'mii_reading', agent: 'ATLAS', data: { mii: 0.94 } };

const refusal = (draft: Partial<EventDraft>, next: Partial<NextPlace> = {}) =>
  messageOf(() => completeEvent({ ...DRAFT, ...draft }, { ...NEXT, ...next }, () => 'votes.csv:3'));

describe('a draft', () => {
  test('gets a seq, the time of the clock, its cycle and a salt', () => {
    expect(completeEvent(DRAFT, NEXT)).toEqual({
      seq: 7,
      timestamp: '2026-10-01T06:00:00Z',
      cycle: 'C-455',
      type: 'mii_reading',
      agent: 'ATLAS',
      data: { mii: 0.94 },
      salt: expect.stringMatching(/^[\w-]{22}$/),
    });
  });

  test('keeps what it states, with its time in UTC', () => {
    const given = {
      seq: 7,
      cycle: 'C-1',
      salt: 'BBBBBBBBBBBBBBBBBBBBBA',
      timestamp: '2026-10-01T02:30:00.250+02:00',
    };
    expect(completeEvent({ ...DRAFT, ...given }, NEXT)).toMatchObject({
      ...given,
      timestamp: '2026-10-01T00:30:00.250Z',
    });
  });

  test('gets no time before its predecessor where the clock is behind', () => {
    const { timestamp } = completeEvent(DRAFT, { ...NEXT, now: slotTime('2026-09-30T06Z') });
    expect(timestamp).toBe('2026-10-01T00:00:00Z');
  });

  test('of a day before 2025-07-03 belongs to C-0', () => {
    const draft = { ...DRAFT, timestamp: '2024-02-29T12:00:00Z' };
    expect(completeEvent(draft, { ...NEXT, notBefore: null }).cycle).toBe('C-0');
  });

  test('gets another salt each time, over many requests of random bytes', () => {
    const salts = Array.from({ length: 2000 }, () => completeEvent(DRAFT, NEXT).salt);
    expect(new Set(salts).size).toBe(2000);
  });

  const rows = rowsOf<[what: string, draft: string, notBefore: string, message: string]>(`
a wrong seq | {"seq":8} |  | expected seq 7, or none, found seq 8 (ledger_order)
a second genesis | {"type":"genesis","data":{"allocation":"1","multipliers":{}}} |  | genesis as event 7
a time before the previous event | {"timestamp":"2026-09-30T23:59:59Z"} |  | at or after 2026-10-01T00:00:00Z
a future time | {"timestamp":"2026-10-01T06:05:01Z"} |  | 5 minutes after the clock, 2026-10-01T06:00:00Z
no time, more than 7 days after the event before it | {} | 2026-09-24T05:59:59Z | a timestamp, because the clock is more than 7 days after
a day that does not exist | {"timestamp":"2026-02-30T08:00:00+02:00"} |  | a UTC time like
a time without a zone | {"timestamp":"2026-10-01 05:00"} |  | a UTC time like
wrong data | {"data":{"mii":"0.94"}} |  | expected data.mii to be a number, found "0.94"
no data | <none> |  | expected data to be`);
  test.each(rows)('is refused with %s', (_, text, notBefore, message) => {
    const draft = text === '<none>' ? { data: undefined as never } : JSON.parse(text);
    const next = notBefore === '' ? {} : { notBefore };
    expect(refusal(draft, next)).toContain('votes.csv:3: ');
    expect(refusal(draft, next)).toContain(message);
  });

  test('may be up to 5 minutes ahead of the clock', () => {
    expect(refusal({ timestamp: '2026-10-01T06:05:00Z' })).toBe('accepted');
  });
});

describe('warnings', () => {
  const warn = (draft: Partial<EventDraft>) =>
    warningsOf(completeEvent({ ...DRAFT, ...draft }, { ...NEXT, notBefore: null })).map(
      ({ kind, expected, found }) => `${kind}: ${expected}: ${found}`,
    );
  const alert = { severity: 'info', scope: 'system', message: '' };

  test.for<[Partial<EventDraft>, string[]]>([
    [{}, []],
    [{ type: 'mint' }, ['type: the type mic_mint: mint, which the service does not know']],
    [{ type: 'mii_readng' }, ['type: the type mii_reading: mii_readng, which the service does not know']],
    [{ type: 'budget_approved' }, []],
    [{ type: 'member_attestation' }, []],
    [{ cycle: 'C-454' }, ['cycle: cycle C-455, that of 2026-10-01: C-454']],
    [{ data: { mii: 1, note: 'own members are fine' } }, []],
    [
      { type: 'alert_raised', data: { ...alert, alert: 'a', sentinal: 'ATLAS' } },
      ['member: data.sentinel: data.sentinal, which the service ignores'],
    ],
    [
      { type: 'alert_raised', data: { ...alert, alert: '007' } },
      ['id: data.alert to be an id that spreadsheets keep as it is: "007", which they convert'],
    ],
    [
      { type: 'deliberation_opened', data: { deliberation: 'index.html', topic: '' } },
      ['id: data.deliberation to be an id that can be part of an address: "index.html"'],
    ],
    [{ type: 'deliberation_opened', data: { deliberation: 'Bürgerrat-12', topic: '' } }, []],
    [
      { agent: 'AT\u200bLAS' },
      ['id: agent to be an id that everybody can see: U+200B (character 3) in "AT\u200bLAS"'],
    ],
    // A name that only begins like a missing value.
    [{ agent: 'NATO' }, []],
    [{ type: 'deliberation_opened', data: { deliberation: 'Nan', topic: 'None of these' } }, []],
  ])('of %j', ([draft, expected]) => {
    expect(warn(draft)).toEqual(expected);
  });

  // All that pandas (STR_NA_VALUES), readr and spreadsheets read as a missing value, what others write for one, and errors of spreadsheets:
  // #N/A in Italian, Norwegian, Russian, Turkish, Hungarian, Czech and Slovak, #REF! in Spanish, and what LibreOffice has no name for; JavaScript's object.
  test.each(
    '-1.#IND 1.#QNAN 1.#IND -1.#QNAN #N/A #N/A_N/A N/A n/a NA <NA> #NA NULL null NaN -NaN nan -nan None NaT - #REF! #N/D #I/T #Н/Д #¡REF! #¿NOMBRE? #YOK #HIÁNYZIK #NENÍ_K_DISPOZICI #NEDOSTUPNÝ Err:502 (null) (NULL) <null> [NULL] [object_Object]'.split(
      ' ',
    ),
  )('of an agent, an id or a text that data frames read as missing: %s', (text) => {
    const sentinel = text.replace(/^(#N\/A|\[object)_/, '$1 ');
    const data = { sentinel, cathedral: 'FOR-ECONOMISTS' } as const;
    const of = (path: string) => expect.stringContaining(`value: ${path} to be a value`);
    // An id may not begin like a formula.
    if (!sentinel.startsWith('-')) {
      expect(warn({ type: 'sentinel_registered', data })).toContainEqual(of('data.sentinel'));
      expect(warn({ agent: sentinel })).toEqual([of('agent')]);
    }
    expect(warn({ data: { mii: 1, note: sentinel } })).toEqual([of('data.note')]);
  });

  test.each([
    '0001-01-01T00:00:00Z',
    '1601-01-01T00:00:00Z',
    '1753-01-01T00:00:00Z',
    '1899-12-30T00:00:00Z',
    '1900-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00Z',
  ])('of a time that programs write for a missing one: %s', (timestamp) => {
    const of = (path: string) => expect.stringContaining(`value: ${path} to be a value`);
    const local = timestamp.replace('T', ' ').replace('Z', '+00');
    const data = { mii: 1, closed: local, day: '0000-00-00', born: '1970-01-01', at: '1970-01-01T06:00:00Z' };
    expect(warn({ timestamp, cycle: 'C-0', data })).toEqual(['timestamp', 'data.closed', 'data.day'].map(of));
  });

  test('of a time with a year of two digits that were filled up', () => {
    const of = (path: string) => expect.stringContaining(`value: ${path} to have a year of four digits`);
    const data = {
      mii: 1,
      closed: '0026-10-01 06:00',
      day: '0099-12-31',
      old: '0100-01-01',
      id: '0026-10-01-7',
    };
    const timestamp = '0026-10-01T06:00:00Z';
    expect(warn({ timestamp, cycle: cycleOf(timestamp), data })).toEqual(
      ['timestamp', 'data.closed', 'data.day'].map(of),
    );
  });
});
