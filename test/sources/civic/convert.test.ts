import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatEventLine, parseEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { parseExactJson } from '../../../pipeline/ledger/events/json.ts';
import { CIVIC_FORM } from '../../../pipeline/sources/civic/civic-form.ts';
import { convertEvent, forkAlert } from '../../../pipeline/sources/civic/convert.ts';
import { formatPythonJson } from '../../../pipeline/sources/civic/python-json.ts';
import { parseRemotePage } from '../../../pipeline/sources/civic/remote-event.ts';
import type { Salt } from '../../../pipeline/sources/import/source.ts';
import { anyCharacter } from '../../any-character.ts';
import { type CivicEvent, civicEvent, formatPage } from './civic-server.ts';

const SALT = 'AAECAwQFBgcICQoLDA0ODw';
const PLACE = { seq: 5, notBefore: null };

const remote = (fields: Partial<CivicEvent>) =>
  parseRemotePage(formatPage([civicEvent({ event_id: 'evt_1', ...fields })]), 'page')[0]!;

const convert = (fields: Partial<CivicEvent>, place: { seq: number; notBefore: string | null } = PLACE) =>
  convertEvent(remote(fields), place, SALT);

/** Computes the event_hash from the ledger's line alone, as docs promise. */
function hashFromLine(line: string): string {
  const { data } = parseExactJson(line) as { data: Record<string, unknown> };
  const { source, ...members } = data as { source: Record<string, string> };
  const payload = 'payload_source' in source ? { ...members, source: source.payload_source } : members;
  const { event_id, event_type, civic_id, lab_source, timestamp, previous_hash } = source;
  const text = source.payload_json ?? formatPythonJson(payload);
  return hash(
    'sha256',
    [event_id, event_type, civic_id, lab_source, text, timestamp, previous_hash].join(''),
    'hex',
  );
}

const readBack = ({ line }: { line: string }) => parseEventLine(Buffer.from(line), () => 'line');

describe('convertEvent', () => {
  test('gives a ledger event with the payload as its data and its source in data.source', () => {
    const fields = { event_type: 'Reflection', payload: '{"mood": "calm", "n": 1.0}', signature: 'sig' };
    const converted = convert(fields);
    expect(converted.kept).toBe('members');
    expect(readBack(converted)).toEqual({
      seq: 5,
      timestamp: '2025-12-01T06:00:00.123456Z',
      cycle: 'C-151',
      type: 'reflection',
      agent: 'citizen-7',
      data: {
        mood: 'calm',
        n: 1,
        source: {
          event_id: 'evt_1',
          event_type: 'Reflection',
          civic_id: 'citizen-7',
          lab_source: 'lab4',
          timestamp: '2025-12-01T06:00:00.123456+00:00',
          previous_hash: '0'.repeat(64),
          event_hash: civicEvent({ event_id: 'evt_1', ...fields }).event_hash,
          signature: 'sig',
        },
      },
      salt: expect.stringMatching(/^[\w-]{22}$/),
    });
  });

  test.each([
    ['2025-12-01T00:00:00.000001+01:00', '2025-11-30T23:00:00.000001Z', 'C-150'],
    ['2025-12-01T06:00:00+00:00', '2025-12-01T06:00:00Z', 'C-151'],
    ['2025-12-01T06:00:00.5Z', '2025-12-01T06:00:00.5Z', 'C-151'],
    ['2025-07-03T00:00:00+00:00', '2025-07-03T00:00:00Z', 'C-0'],
    ['2025-01-01T00:00:00+00:00', '2025-01-01T00:00:00Z', 'C-0'],
  ])('%s is %s in cycle %s to %s', (timestamp, expected, cycle) => {
    expect(convert({ timestamp }).event).toMatchObject({ timestamp: expected, cycle });
  });

  test('never goes back in time, and keeps the original time', () => {
    const { event } = convert({}, { seq: 5, notBefore: '2025-12-02T00:00:00.7Z' });
    expect(event).toMatchObject({
      timestamp: '2025-12-02T00:00:00.7Z',
      cycle: 'C-152',
      data: { source: { timestamp: '2025-12-01T06:00:00.123456+00:00' } },
    });
  });

  test.each([
    ['floats', '{"a": [1.0, 0.1, 1e-7, 1e16, -0.0, 12345678901234567890]}', 'members'],
    ['other scripts', '{"é": "漢字", "😀": "\\ud800"}', 'members'],
    ['a member named source', '{"source": {"x": 1.0}, "a": 2}', 'members'],
    [
      'members with names that the conversion uses',
      '{"toJSON": 1.0, "payload_json": 2, "constructor": {}}',
      'members',
    ],
    ['a name written with an escape', '{"a": {"\\"": 1.0, "\\\\": 2}}', 'text'],
    ['a name that objects cannot hold', '{"__proto__": 1}', 'text'],
    ['a number beyond a double', '{"a": [1e400]}', 'text'],
  ])('keeps %s so that event_hash can be computed from the line', (_, payload, kept) => {
    const converted = convert({ payload });
    expect(converted.kept).toBe(kept);
    expect(hashFromLine(converted.line)).toBe(civicEvent({ event_id: 'evt_1', payload }).event_hash);
    expect(() => readBack(converted)).not.toThrow();
  });

  test('gives a valid line with the event_hash for any payload', () => {
    const payload = fc.dictionary(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue({ stringUnit: anyCharacter }),
    );
    fc.assert(
      fc.property(payload, (value) => {
        const text = JSON.stringify(value);
        const converted = convert({ payload: text });
        expect(readBack(converted)).toEqual(converted.event);
        expect(hashFromLine(converted.line)).toBe(
          civicEvent({ event_id: 'evt_1', payload: text }).event_hash,
        );
      }),
    );
  });

  test('becomes a known type if the payload fits, even with integers for floats', () => {
    expect(convert({ event_type: 'mii_reading', payload: '{"mii": 1.0}' }).event.type).toBe('mii_reading');
    expect(convert({ event_type: 'mii_reading', payload: '{"mii": "1"}' }).event.type).toBe(
      'civic_mii_reading',
    );
  });

  test('has only the hash of a payload that is too long for a line', () => {
    const payload = JSON.stringify({ note: 'é'.repeat(40_000) });
    const converted = convert({ event_type: 'mii_reading', payload });
    const text = formatPythonJson(JSON.parse(payload));
    expect(converted.kept).toBe('hash');
    expect(readBack(converted).type).toBe('civic_mii_reading');
    expect(converted.event.data).toEqual({
      source: expect.objectContaining({
        event_id: 'evt_1',
        payload_sha256: hash('sha256', text, 'hex'),
        payload_bytes: text.length,
      }),
    });
  });

  test('fits into a line, however long the strings of the remote event are', () => {
    const long = '\u0001'.repeat(30_000);
    const converted = convert({ event_type: long, civic_id: long, lab_source: long, signature: long });
    const digest = { sha256: hash('sha256', long, 'hex'), bytes: 30_000 };
    expect(readBack(converted).data.source).toMatchObject({
      event_type: digest,
      civic_id: digest,
      lab_source: digest,
    });
  });

  test.each([
    ['', /^civic-[0-9a-f]{16}$/],
    ['=HYPERLINK("x")', /^civic-[0-9a-f]{16}$/],
    ['__proto__', /^civic-[0-9a-f]{16}$/],
    ['x'.repeat(201), /^civic-[0-9a-f]{16}$/],
    ['mobius-anon-aB3d', /^mobius-anon-aB3d$/],
  ])('names the agent of civic_id %j as %s', (civic_id, agent) => {
    const converted = convert({ civic_id });
    expect(converted.event.agent).toMatch(agent);
    expect(readBack(converted).data.source).toMatchObject({ civic_id });
  });

  test('derives the salt only from event_id and secret', () => {
    const [one, other] = [9, 8].map((byte) => CIVIC_FORM.salts(new Uint8Array(32).fill(byte))) as [
      Salt,
      Salt,
    ];
    expect(one(9, 'evt_1')).toBe(one(5, 'evt_1'));
    expect(new Set([one(5, 'evt_1'), one(5, 'evt_2'), other(5, 'evt_1')]).size).toBe(3);
  });
});

describe('forkAlert', () => {
  test('is a ledger alert that names both events and no source', () => {
    const place = { seq: 6, timestamp: '2025-12-01T06:30:00Z' };
    const event = forkAlert('evt_0', remote({ previous_hash: 'ab'.repeat(32) }), place, SALT);
    const alert = readBack({ line: formatEventLine(event) });
    expect(alert).toMatchObject({
      seq: 6,
      timestamp: '2025-12-01T06:30:00Z',
      type: 'alert_raised',
      agent: 'IMPORT',
      data: {
        alert: 'civic-ledger-fork',
        severity: 'info',
        scope: 'ledger',
        fork: { previous_hash: 'ab'.repeat(32), events: ['evt_0', 'evt_1'] },
      },
    });
    expect(alert.data.message).toBe(
      `The imported ledger forks: evt_0 and evt_1 both follow the event with hash ${'ab'.repeat(32)}.`,
    );
    expect(alert.data).not.toHaveProperty('source');
  });
});
