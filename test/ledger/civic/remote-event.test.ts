import { describe, expect, test } from 'vitest';
import { parseRemotePage } from '../../../pipeline/ledger/civic/remote-event.ts';
import { type CivicEvent, civicEvent, formatPage } from './civic-server.ts';
import vectors from './python-vectors.json' with { type: 'json' };

const URL = 'http://ledger.example/ledger/events';

const parse = (events: CivicEvent[]) => parseRemotePage(formatPage(events), URL);

describe('parseRemotePage', () => {
  // Made by python3 as the production ledger makes them.
  test.each(vectors.events)('finds the event_hash that Python gave $event_id', (event) => {
    expect(parse([event])).toMatchObject([{ event_id: event.event_id, event_hash: event.event_hash }]);
  });

  test('takes numbers and members in any other writing of the same payload', () => {
    const [event] = vectors.events as [CivicEvent];
    const payload = event.payload.replace('1e-07', '1.0E-7').replace('0.1,', '0.10,').replace('\\u00e9', 'é');
    expect(payload).not.toBe(event.payload);
    expect(parse([{ ...event, payload }])).toHaveLength(1);
  });

  test.each([
    [
      'an integer for a float',
      (event: CivicEvent) => ({ ...event, payload: event.payload.replace('1.0', '1') }),
    ],
    ['another payload', (event: CivicEvent) => ({ ...event, payload: '{}' })],
    ['another type', (event: CivicEvent) => ({ ...event, event_type: 'x' })],
    ['another civic_id', (event: CivicEvent) => ({ ...event, civic_id: 'x' })],
    ['another lab', (event: CivicEvent) => ({ ...event, lab_source: 'x' })],
    ['another predecessor', (event: CivicEvent) => ({ ...event, previous_hash: '1'.repeat(64) })],
    [
      'the same time written otherwise',
      (event: CivicEvent) => ({ ...event, timestamp: event.timestamp.replace('+00:00', 'Z') }),
    ],
  ])('refuses an event with %s, naming it and both hashes', (_, change) => {
    const [event] = vectors.events as [CivicEvent];
    expect(() => parse([change(event)])).toThrow(
      expect.objectContaining({
        code: 'import_failed',
        place: `${URL} event ${event.event_id}`,
        expected: expect.stringMatching(/^event_hash [0-9a-f]{64}, the hash of its content$/),
        found: event.event_hash,
      }),
    );
  });

  test('ignores members that it does not know, and the count', () => {
    const page = formatPage([civicEvent({ event_id: 'evt_1' })]).replace(
      '{"events":[{',
      '{"total":9,"events":[{"height":4,',
    );
    expect(parseRemotePage(page.replace('"count":1', '"count":"many"'), URL)).toHaveLength(1);
  });

  const good = civicEvent({ event_id: 'evt_1' });
  test.each([
    ['an array', '[]', 'page: '],
    ['no events', '{"count":0}', 'events: '],
    ['an event_id that is no string', formatPage([good]).replace('"evt_1"', '1'), 'events.0.event_id: '],
    ['no event_id', formatPage([{ ...good, event_id: '' }]), 'events.0.event_id: '],
    ['a payload that is a number', formatPage([{ ...good, payload: '1.0' }]), 'events.0.payload: an object'],
    ['a payload that is an array', formatPage([{ ...good, payload: '[]' }]), 'events.0.payload: an object'],
    [
      'a time without offset',
      formatPage([{ ...good, timestamp: '2025-12-01T06:00:00' }]),
      'events.0.timestamp: ',
    ],
    [
      'a time without seconds',
      formatPage([{ ...good, timestamp: '2025-12-01T06:00Z' }]),
      'events.0.timestamp: ',
    ],
    [
      'a day that does not exist',
      formatPage([{ ...good, timestamp: '2025-02-30T06:00:00Z' }]),
      'events.0.timestamp: ',
    ],
    [
      'a time of the year -1 in UTC',
      formatPage([{ ...good, timestamp: '0000-01-01T00:00:00+01:00' }]),
      'events.0.timestamp: no time before the year 0',
    ],
    [
      'a short hash',
      formatPage([{ ...good, previous_hash: '00' }]),
      'events.0.previous_hash: 64 lower-case hex digits',
    ],
    [
      'a signature that is a number',
      formatPage([good]).replace('"signature":null', '"signature":1'),
      'events.0.signature: ',
    ],
    [
      'half a character',
      formatPage([{ ...good, civic_id: '\ud800' }]),
      'events.0.civic_id: well-formed Unicode',
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(() => parseRemotePage(text, URL)).toThrow(
      expect.objectContaining({ code: 'import_failed', expected: expect.stringContaining(expected) }),
    );
  });
});
