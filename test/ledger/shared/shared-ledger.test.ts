import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEDGER_START } from '../../../pipeline/ledger/leaf.ts';
import { emptyState } from '../../../pipeline/model/state.ts';
import { Random } from '../../../pipeline/random.ts';
import { LedgerFold } from '../../../src/sidecar/live/ledger-fold.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { eventsOf, filesOf, Machines, VERIFIERS } from './cluster.ts';

let server: PostgresServer;
const machines = async () => Machines.start(await server.newDatabase());

describe.skipIf(!hasPostgres)('a shared ledger', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });

  afterAll(() => server?.stop());

  test('is followed by a replica whose folder is a whole ledger at each moment, and the same in the end', async () => {
    const all = await machines();
    const replica = all.newReplica();
    const random = new Random('follow');
    await all.append(2);
    await all.sharer.share();
    await replica.update();
    let isWriting = true;
    const background = async (work: () => Promise<void>) => {
      for (let last = false; !last; await sleep(1)) {
        last = !isWriting;
        await work();
      }
    };
    let read = 0;
    const fold = new LedgerFold(replica.folder, VERIFIERS, { position: LEDGER_START, state: emptyState() });
    const followers = Promise.all([
      background(async () => void (await all.sharer.share())),
      background(async () => void (await replica.update())),
      background(async () => {
        const events = await eventsOf(replica.folder);
        if (!events) return;
        expect(events.length).toBeGreaterThanOrEqual(read);
        read = events.length;
        // Half a batch never shows.
        expect(events.at(-1)!.data.last).toBeLessThan(read);
      }),
      background(async () => void (await fold.advance())),
    ]);
    for (let turn = 0; turn < 150; turn += 1) {
      await all.append(random.whole(1, 9));
      if (random.chance(0.15)) await all.seal();
      if (random.chance(0.5)) await sleep(random.whole(0, 8));
    }
    isWriting = false;
    await followers;
    await all.sharer.share();
    await replica.update();
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
    expect((await fold.advance()).events).toBe(all.writer.end.size);
    // One that comes late takes what is sealed from the objects.
    const late = all.newReplica();
    expect(await late.update()).toEqual({ size: all.writer.end.size, aside: null });
    expect(filesOf(late.folder)).toEqual(filesOf(all.folder));
    const rows = await all.database.query('SELECT seq FROM cathedral.ledger_events');
    expect(rows.rows.length).toBeLessThan(all.writer.end.size);
  });

  test('takes 20,000 events at once, and a replica shows all of them or none', async () => {
    const all = await machines();
    await all.append(1);
    await all.sharer.share();
    const replica = all.newReplica();
    await replica.update();
    await all.append(20_000);
    const seen = new Set<number>();
    let isWriting = true;
    const reading = (async () => {
      while (isWriting) seen.add((await eventsOf(replica.folder))!.length);
    })();
    const sharing = all.sharer.share();
    while ((await replica.update()).size === 1) await sleep(1);
    await sharing;
    isWriting = false;
    await reading;
    seen.add((await eventsOf(replica.folder))!.length);
    expect([...seen].sort()).toEqual([1, 20_001]);
    expect(filesOf(replica.folder)).toEqual(filesOf(all.folder));
  });
});
