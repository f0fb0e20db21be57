import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { FORK_ALERT } from '../../../pipeline/sources/civic/convert.ts';
import { type CivicEvent, civicEvent, formatPage, newestFirst } from './civic-server.ts';
import { Folders, filesOf, idsOf, importInto, verifiedLedger } from './import-fixture.ts';

const folders = new Folders();
afterEach(() => folders.remove());

const START = Date.parse('2025-12-01T04:00:00Z');

/** A remote ledger whose time advances with every event. Events arrive between requests. */
class Remote {
  readonly events: CivicEvent[] = [];
  now = START;

  /**
   * `wait` in ms; `back`: how many events before the newest the predecessor is, 0 in an ordinary chain; `late`: by how
   * many ms the event's clock is behind.
   */
  append({ wait, back, late = 0 }: Arrival): void {
    this.now += wait;
    const before = this.events.at(-1 - back) ?? this.events.at(-1);
    const event_id = `e${this.events.length}`;
    const timestamp = `${new Date(this.now - late).toISOString().slice(0, 23)}000+00:00`;
    const link = before ? { previous_hash: before.event_hash } : {};
    this.events.push(civicEvent({ event_id, timestamp, ...link }));
  }

  /** Adds the next of `arrivals`, then answers like the server. */
  fetch(arrivals: Arrival[]): typeof fetch {
    return async (input) => {
      const next = arrivals.shift();
      if (next) this.append(next);
      const { searchParams } = new URL(`${input}`);
      const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name))) as [
        number,
        number,
      ];
      return new Response(formatPage(newestFirst(this.events).slice(offset, offset + limit)));
    };
  }
}

type Arrival = { wait: number; back: number; late?: number };
const arrival = fc.record({
  wait: fc.oneof(
    fc.constantFrom(0, 1, 300, 700),
    fc.integer({ min: 1000, max: 90_000 }),
    fc.constant(5 * 3_600_000),
  ),
  back: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 30 })),
});
const lateArrival = fc.record({
  wait: fc.integer({ min: 0, max: 90_000 }),
  back: fc.constant(0),
  late: fc.integer({ min: 0, max: 7 * 3_600_000 }),
});
const step = fc.record({
  before: fc.array(fc.oneof({ weight: 8, arbitrary: arrival }, lateArrival), { maxLength: 25 }),
  during: fc.array(fc.oneof({ weight: 8, arbitrary: arrival }, lateArrival), { maxLength: 4 }),
  pageSize: fc.integer({ min: 1, max: 12 }),
});

test('for any arrivals, every event is imported once, after its predecessor, and forks are reported', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const remote = new Remote();
      const directory = folders.make();
      const run = (folder: string, pageSize: number, arrivals: Arrival[]) =>
        // Later than the arrivals, whose time advances during the import.
        importInto(folder, 'http://ledger.example', {
          fetch: remote.fetch(arrivals),
          pageSize,
          now: new Date(remote.now + arrivals.reduce((sum, { wait }) => sum + wait, 0)).toISOString(),
        });
      for (const { before, during, pageSize } of steps) {
        for (const one of before) remote.append(one);
        await run(directory, pageSize, [...during]);
      }
      await run(directory, 10, []);
      const { events } = await verifiedLedger(directory);
      const ids = idsOf(events).filter((id) => !id.startsWith('!'));
      expect(ids.toSorted()).toEqual(remote.events.map(({ event_id }) => event_id).toSorted());
      const place = new Map(ids.map((id, index) => [id, index]));
      const byHash = new Map(remote.events.map((event) => [event.event_hash, event]));
      for (const event of remote.events) {
        const before = byHash.get(event.previous_hash);
        if (before) expect(place.get(before.event_id)).toBeLessThan(place.get(event.event_id)!);
      }
      const forks = remote.events.length - new Set(remote.events.map((event) => event.previous_hash)).size;
      const alerts = events.filter(({ data }) => data.alert === FORK_ALERT);
      expect(alerts).toHaveLength(forks);
    }),
    { numRuns: Number(process.env.RUNS ?? 40) },
  );
});

test('an import names anything removed or replaced once, at the latest after a full comparison', async () => {
  const spacing = fc.array(fc.constantFrom(0, 0, 400, 1000, 60_000, 1_800_000), {
    minLength: 30,
    maxLength: 90,
  });
  await fc.assert(
    fc.asyncProperty(
      spacing,
      fc.nat(),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (waits, which, replace, pageSize) => {
        const remote = new Remote();
        for (const wait of waits) remote.append({ wait, back: 0 });
        const directory = folders.make();
        const now = new Date(remote.now).toISOString();
        const run = () =>
          importInto(directory, 'http://ledger.example', { fetch: remote.fetch([]), pageSize, now });
        await run();
        const [gone] = remote.events.splice(which % waits.length, 1);
        const { event_hash: _, ...fields } = gone!;
        if (replace)
          remote.events.splice(which % waits.length, 0, civicEvent({ ...fields, event_id: 'other' }));
        const deleted = [];
        for (let count = 0; count <= waits.length; count += 1)
          deleted.push(...(await run()).findings.filter(({ kind }) => kind === 'deleted'));
        expect(deleted).toMatchObject([{ rows: [gone!.event_id] }]);
        const { events } = await verifiedLedger(directory);
        expect(idsOf(events)).toEqual(expect.arrayContaining(remote.events.map(({ event_id }) => event_id)));
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 15) },
  );
});

test('two imports of the same events at the same time give the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { maxLength: 40 }),
      fc.nat(11),
      fc.nat(11),
      async (arrivals, one, other) => {
        const remote = new Remote();
        for (const next of arrivals) remote.append(next);
        const [first, second] = [folders.make(), folders.make()];
        const now = new Date(remote.now).toISOString();
        await importInto(first, 'http://a.example', { fetch: remote.fetch([]), pageSize: one + 1, now });
        await importInto(second, 'http://b.example', { fetch: remote.fetch([]), pageSize: other + 1, now });
        expect(filesOf(second)).toEqual(filesOf(first));
      },
    ),
    { numRuns: 20 },
  );
});
