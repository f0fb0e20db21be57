import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Changes } from '../../src/api/live-changes.ts';
import { type Message, parseStream } from '../sidecar/live/parse-stream.ts';

const SUPPLY = 'economy/supply';
const VIRTUES = 'philosophy/virtues.json';
const PATHS = [SUPPLY, VIRTUES];

function text(minute: number, value: unknown): string {
  const timestamp = new Date(Date.UTC(2025, 11, 1, 0, minute)).toISOString().replace('.000', '');
  return `${JSON.stringify({ timestamp, value }, null, 2)}\n`;
}

/** The messages for a reader of `paths` that has what an id says. */
function read(changes: Changes, paths: readonly string[] = PATHS, id?: string): Message[] {
  return parseStream(changes.since(changes.heldBy(paths, id))?.message.toString() ?? '');
}

const at = (events: number, sealed = 0) => ({ sealed, events });

describe('the messages', () => {
  test('have path, time and complete value, and an id', () => {
    const changes = new Changes('https://data.example.org');
    const documents = [
      [SUPPLY, text(1, 5)],
      [VIRTUES, text(1, 'a')],
    ] as const;
    changes.update(at(1000, 36), documents);
    const { message } = changes.since(changes.heldBy(PATHS))!;
    expect(message.toString().split('\n')).toEqual([
      'event: economy/supply',
      'data: {"path":"economy/supply","timestamp":"2025-12-01T00:01:00Z","value":{"timestamp": "2025-12-01T00:01:00Z","value": 5}}',
      expect.stringMatching(/^id: 10\.rs~\.[\w-]{6}\.[\w-]{4}$/),
      '',
      'event: philosophy/virtues.json',
      'data: {"path":"philosophy/virtues.json","timestamp":"2025-12-01T00:01:00Z","value":{"timestamp": "2025-12-01T00:01:00Z","value": "a"}}',
      expect.stringMatching(/^id: 10\.rs\.[\w-]{6}\.[\w-]{4}$/),
      '',
      '',
    ]);
  });

  test('leave the value out if only its time changed', () => {
    const changes = new Changes('s');
    changes.update(at(1), [[SUPPLY, text(1, { deep: [1, 2] })]]);
    const { held } = changes.since(changes.heldBy([SUPPLY]))!;
    changes.update(at(2), [[SUPPLY, text(2, { deep: [1, 2] })]]);
    const [message] = parseStream(changes.since(held)!.message.toString());
    expect(message!.data).toBe('{"path":"economy/supply","timestamp":"2025-12-01T00:02:00Z"}');
    // A reader that may lack the value gets it.
    expect(read(changes, [SUPPLY])[0]!.data).toContain('"value":{');
  });

  test('are none if nothing requested has changed', () => {
    const changes = new Changes('s');
    const documents = [[SUPPLY, text(1, 5)]] as const;
    changes.update(at(1), documents);
    const { held } = changes.since(changes.heldBy([SUPPLY]))!;
    changes.update(at(2), documents);
    expect(changes.since(held)).toBeNull();
    expect(read(changes, [VIRTUES])).toEqual([]);
  });

  test('keep every digit of a number and every character of a text', () => {
    const changes = new Changes('s');
    const exact =
      '{\n  "timestamp": "2025-12-01T00:00:00Z",\n  "n": 12345678901234.000001,\n  "t": "a  b\\n  c\\r\\u2028"\n}\n';
    changes.update(at(1), [[SUPPLY, exact]]);
    const [message] = read(changes);
    expect(message!.data).toContain('"n": 12345678901234.000001,"t": "a  b\\n  c\\r\\u2028"}');
    expect(JSON.parse(message!.data!).value).toEqual(JSON.parse(exact));
  });

  test('are the same bytes for all readers that have the same', () => {
    const changes = new Changes('s');
    changes.update(at(1), [[SUPPLY, text(1, 5)]]);
    const [one, other] = [changes.heldBy(PATHS), changes.heldBy([...PATHS], 'nonsense')];
    const step = changes.since(one)!;
    expect(changes.since(other)!.message.equals(step.message)).toBe(true);
    changes.update(at(2), [[SUPPLY, text(2, 6)]]);
    expect(changes.since(step.held)).toBe(changes.since({ ...step.held }));
  });
});

describe('an id', () => {
  const ours = new Changes('https://data.example.org');
  ours.update(at(1, 1), [[SUPPLY, text(1, 5)]]);
  const [{ id }] = read(ours, [SUPPLY]) as [Message & { id: string }];

  test('is understood by every server of the service, and by no other service', () => {
    const replica = new Changes('https://data.example.org');
    const stranger = new Changes('https://data.example.com');
    for (const other of [replica, stranger]) other.update(at(1, 1), [[SUPPLY, text(1, 5)]]);
    expect(read(replica, [SUPPLY], id)).toEqual([]);
    expect(read(stranger, [SUPPLY], id)).toHaveLength(1);
  });

  test.each([
    '',
    'e1-3',
    '9f2c41d0-4',
    `${id}\n`,
    ` ${id}`,
    id.repeat(5),
    'x'.repeat(5000),
    '..~..',
    'zzzzzzzzzz.zzzzzzzzzz.aaaaaa.aaaa',
  ])('that no server of the service wrote gets everything (%#)', (other) => {
    expect(ours.isBehind(ours.heldBy([SUPPLY], other))).toBe(false);
    expect(read(ours, [SUPPLY], other)[0]!.data).toContain('"value":');
  });

  test('with any other character gets everything, and never waits', () => {
    for (const [place, found] of [...id].entries())
      for (const put of ['0', 'z', '~', '.', '_'].filter((put) => put !== found)) {
        const damaged = `${id.slice(0, place)}${put}${id.slice(place + 1)}`;
        expect(ours.isBehind(ours.heldBy([SUPPLY], damaged)), damaged).toBe(false);
        expect(read(ours, [SUPPLY], damaged), damaged).toHaveLength(1);
      }
  });

  test('of other paths gets every value, but none that is older', () => {
    const later = new Changes('https://data.example.org');
    later.update(at(2, 1), [
      [SUPPLY, text(1, 5)],
      [VIRTUES, text(1, 5)],
    ]);
    const [{ id: of }] = read(later, [VIRTUES]) as [Message];
    expect(ours.isBehind(ours.heldBy([SUPPLY], of))).toBe(true);
    expect(read(later, [SUPPLY], of)[0]!.data).toContain('"value":');
    expect(read(later, PATHS, of)).toHaveLength(2);
  });

  test('has a bounded length, and only characters that headers and addresses take', () => {
    const paths = ['a', 'b', 'c', 'd', 'e'];
    const changes = new Changes('s');
    const far = 2 ** 51;
    changes.update(
      at(far, far),
      paths.map((path) => [path, text(1, path)] as const),
    );
    const longest = read(changes, paths).map((message) => message.id!);
    for (const one of longest) expect(one).toMatch(/^[\w.~-]{1,40}$/);
    expect(read(changes, paths, longest.at(-1))).toEqual([]);
  });

  test('that many listeners make up leaves no messages behind', () => {
    const changes = new Changes('s');
    changes.update(at(1), [[SUPPLY, text(1, 5)]]);
    const { held } = changes.since(changes.heldBy([SUPPLY]))!;
    for (let other = 0; other < 1000; other += 1) changes.since(changes.heldBy([SUPPLY], `x${other}`));
    expect(changes.since(held)).toBeNull();
  });
});

/** What a listener shows, and how many events its server had when it last got something. */
interface Shown {
  held: Map<string, { value: unknown; timestamp: string }>;
  id: string | undefined;
}

test('a listener that changes servers at any time sees no older value than it has, and at last the newest', () => {
  const event = fc.array(
    fc.record({ path: fc.constantFrom(...PATHS), minutes: fc.nat(2), value: fc.nat(2) }),
    { maxLength: 2 },
  );
  const server = fc.nat(2);
  const step = fc.oneof(
    fc.record({ event }),
    fc.record({ follow: server, events: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ connect: server }),
    fc.record({ cutOffAfter: fc.nat(1) }),
    fc.constant({ read: true }),
  );
  const paths = fc.constantFrom(PATHS, [SUPPLY], [VIRTUES]);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), paths, (steps, paths) => {
      // The documents after each event; each server has read a prefix.
      const history = [new Map(PATHS.map((path) => [path, { minute: 0, value: 0 as unknown }]))];
      const servers = [0, 1, 2].map(() => ({ changes: new Changes('s'), has: 0 }));
      const follow = (server: (typeof servers)[number], upTo: number) => {
        server.has = Math.min(upTo, history.length - 1);
        const documents = [...history[server.has]!].map(
          ([path, d]) => [path, text(d.minute, d.value)] as const,
        );
        server.changes.update(at(server.has, server.has - (server.has % 4)), documents);
      };
      for (const server of servers) follow(server, 0);
      const documentAt = (events: number, path: string): unknown => {
        const { minute, value } = history[events]!.get(path)!;
        return JSON.parse(text(minute, value));
      };

      const shown: Shown = { held: new Map(), id: undefined };
      let newest = 0;
      let server = servers[0]!;
      let held = server.changes.heldBy(paths);
      let isResuming = true;
      const connect = (to: (typeof servers)[number]) => {
        server = to;
        held = to.changes.heldBy(paths, shown.id);
        isResuming = true;
      };
      const receive = (messages: readonly Message[]) => {
        for (const { data, id } of messages) {
          const { path, timestamp, value } = JSON.parse(data!);
          const before = shown.held.get(path);
          const after = { value: value ? value.value : before!.value, timestamp };
          shown.held.set(path, after);
          expect(after).toEqual(documentAt(server.has, path));
          // An older server may only confirm what the listener has.
          if (server.has < newest) expect(after).toEqual(before);
          newest = Math.max(newest, server.has);
          shown.id = id;
        }
      };
      const isAnswered = () => !(isResuming && server.changes.isBehind(held));
      const read = (count: number) => {
        if (!isAnswered()) return;
        isResuming = false;
        const step = server.changes.since(held);
        const messages = parseStream(step?.message.toString() ?? '');
        receive(messages.slice(0, count));
        if (count < messages.length) return connect(servers[(servers.indexOf(server) + 1) % servers.length]!);
        held = step?.held ?? held;
        for (const path of paths) expect(shown.held.get(path)).toEqual(documentAt(server.has, path));
      };

      for (const one of steps) {
        if ('event' in one) {
          const next = new Map(history.at(-1)!);
          for (const { path, minutes, value } of one.event)
            next.set(path, { minute: next.get(path)!.minute + minutes, value });
          history.push(next);
        }
        if ('follow' in one) follow(servers[one.follow]!, servers[one.follow]!.has + one.events);
        if ('connect' in one) connect(servers[one.connect]!);
        if ('cutOffAfter' in one) read(one.cutOffAfter);
        if ('read' in one) read(Number.POSITIVE_INFINITY);
      }
      follow(server, history.length);
      expect(isAnswered()).toBe(true);
      read(Number.POSITIVE_INFINITY);
      for (const path of paths) expect(shown.held.get(path)).toEqual(documentAt(history.length - 1, path));
    }),
    { numRuns: 1000 },
  );
});
