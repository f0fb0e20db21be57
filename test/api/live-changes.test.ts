import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Changes } from '../../src/api/live-changes.ts';
import { parseStream } from '../sidecar/live/parse-stream.ts';

const SUPPLY = 'economy/supply';
const VIRTUES = 'philosophy/virtues.json';
const PATHS = [SUPPLY, VIRTUES];

function text(minute: number, value: unknown): string {
  const timestamp = new Date(Date.UTC(2025, 11, 1, 0, minute)).toISOString().replace('.000', '');
  return `${JSON.stringify({ timestamp, value }, null, 2)}\n`;
}

/** What a reader knows: the newest value of each path, with the newest time. */
function readInto(held: Map<string, Record<string, unknown>>, bytes: Buffer | null): string | undefined {
  const messages = parseStream(bytes?.toString() ?? '');
  for (const { event, data } of messages) {
    const { path, timestamp, value } = JSON.parse(data!);
    expect(path).toBe(event);
    held.set(path, { ...(value ?? held.get(path)), timestamp });
  }
  return messages.at(-1)?.id;
}

describe('the messages', () => {
  test('have path, time and complete value, and the last one has an id', () => {
    const changes = new Changes('e1');
    changes.update([
      [SUPPLY, text(1, 5)],
      [VIRTUES, text(1, 'a')],
    ]);
    expect(changes.since(null, PATHS)!.toString()).toBe(
      [
        'event: economy/supply',
        'data: {"path":"economy/supply","timestamp":"2025-12-01T00:01:00Z","value":{"timestamp": "2025-12-01T00:01:00Z","value": 5}}',
        '',
        'event: philosophy/virtues.json',
        'data: {"path":"philosophy/virtues.json","timestamp":"2025-12-01T00:01:00Z","value":{"timestamp": "2025-12-01T00:01:00Z","value": "a"}}',
        'id: e1-2',
        '',
        '',
      ].join('\n'),
    );
  });

  test('leave the value out if only its time changed', () => {
    const changes = new Changes('e1');
    changes.update([[SUPPLY, text(1, { deep: [1, 2] })]]);
    changes.update([[SUPPLY, text(2, { deep: [1, 2] })]]);
    const [message] = parseStream(changes.since(1, PATHS)!.toString());
    expect(message!.data).toBe('{"path":"economy/supply","timestamp":"2025-12-01T00:02:00Z"}');
    expect(message!.id).toBe('e1-2');
    // A reader without the value gets it.
    expect(changes.since(null, PATHS)!.toString()).toContain('"value":{');
  });

  test('are none if nothing requested has changed', () => {
    const changes = new Changes('e1');
    const documents = [[SUPPLY, text(1, 5)]] as const;
    changes.update(documents);
    changes.update(documents);
    expect(changes.last).toBe(1);
    expect(changes.since(1, PATHS)).toBeNull();
    expect(changes.since(null, [VIRTUES])).toBeNull();
  });

  test('keep every digit of a number and every character of a text', () => {
    const changes = new Changes('e1');
    const exact =
      '{\n  "timestamp": "2025-12-01T00:00:00Z",\n  "n": 12345678901234.000001,\n  "t": "a  b\\n  c\\r\\u2028"\n}\n';
    changes.update([[SUPPLY, exact]]);
    const [message] = parseStream(changes.since(null, PATHS)!.toString());
    expect(message!.data).toContain('"n": 12345678901234.000001,"t": "a  b\\n  c\\r\\u2028"}');
    expect(JSON.parse(message!.data!).value).toEqual(JSON.parse(exact));
  });

  test('are the same bytes for all readers at the same place', () => {
    const changes = new Changes('e1');
    changes.update([[SUPPLY, text(1, 5)]]);
    expect(changes.since(null, PATHS)).toBe(changes.since(0, [SUPPLY]));
  });
});

describe('a place', () => {
  test.each([
    undefined,
    '',
    'e1-3',
    'e1--1',
    'e1-1e0',
    'e1-01',
    'e1- 1',
    'e2-1',
    'e1',
    '1',
    'e1-1\n',
    'e1-999999999999999999999',
  ])('is unknown for %j, so everything is sent', (id) => {
    const changes = new Changes('e1');
    changes.update([[SUPPLY, text(1, 5)]]);
    changes.update([[SUPPLY, text(1, 6)]]);
    expect(changes.placeOf(id)).toBeNull();
  });

  test('is that of an id of this stream', () => {
    const changes = new Changes('e1');
    changes.update([[SUPPLY, text(1, 5)]]);
    changes.update([[SUPPLY, text(1, 6)]]);
    expect([changes.placeOf('e1-1'), changes.placeOf('e1-2')]).toEqual([1, 2]);
  });
});

test('a reader that disconnects at any time has the newest values whenever it has caught up', () => {
  const step = fc.oneof(
    fc.record({ path: fc.constantFrom(...PATHS), minute: fc.integer({ min: 0, max: 3 }), value: fc.nat(2) }),
    fc.constantFrom('read' as const, 'comeBack' as const, 'cutOff' as const),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.uniqueArray(fc.constantFrom(...PATHS)),
      (steps, paths) => {
        const changes = new Changes('e');
        const documents = new Map<string, string>();
        const held = new Map<string, Record<string, unknown>>();
        let place: number | null = null;
        let lastEventId: string | undefined;
        for (const one of [...steps, 'read' as const]) {
          if (typeof one === 'object') documents.set(one.path, text(one.minute, one.value));
          if (typeof one === 'object') changes.update(documents);
          // The id is at the end: a reader that is cut off in the middle returns with the previous one.
          if (one === 'cutOff') readInto(held, firstMessage(changes.since(place, paths)));
          if (one === 'cutOff' || one === 'comeBack') place = changes.placeOf(lastEventId);
          if (one !== 'read') continue;
          lastEventId = readInto(held, changes.since(place, paths)) ?? lastEventId;
          place = changes.last;
          const newest = [...documents].filter(([path]) => paths.includes(path));
          expect(Object.fromEntries(held)).toEqual(
            Object.fromEntries(newest.map(([path, document]) => [path, JSON.parse(document)])),
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

function firstMessage(bytes: Buffer | null): Buffer | null {
  const [first = '', ...others] = bytes?.toString().split('\n\n') ?? [];
  return others.length > 1 ? Buffer.from(`${first}\n\n`) : null;
}
