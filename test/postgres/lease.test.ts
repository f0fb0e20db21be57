import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { assertHeld, type Lease, withLease } from '../../pipeline/postgres/lease.ts';
import { meanwhile } from '../meanwhile.ts';
import { useStore } from '../setups/use-store.ts';

const postgres = useStore();

describe.skipIf(postgres.isMissing)('a lease', () => {
  let address: string;
  const open = async () => {
    const database = await openDatabase(address, { application: 'a test', connections: 2 });
    onTestFinished(() => database.close());
    return database;
  };

  beforeAll(async () => {
    address = await postgres.newDatabase();
  });

  const hold = <T>(
    database: Database,
    name: string,
    work: (lease: Lease) => Promise<T>,
    { waitMs = 120_000, lengthMs = 30_000 } = {},
  ) => withLease(database, { name, holder: `holder of ${name}`, waitMs, lengthMs }, work);

  const isHeld = (database: Database, lease: Lease) =>
    database.transaction((query) => assertHeld(query, database, lease));

  test('lasts as long as its holder works, and not longer than its length when the holder is gone', async () => {
    const [first, second] = [await open(), await open()];
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
    const lease = await new Promise<Lease>((resolve) => {
      const options = { lengthMs: 300 };
      void hold(
        first,
        'long',
        (lease) => {
          resolve(lease);
          return passed;
        },
        options,
      );
    });
    const expiry = async (): Promise<number> => {
      const { rows } = await second.query("SELECT expires_at FROM cathedral.leases WHERE name = 'long'");
      return rows[0]!.expires_at.getTime();
    };
    const begun = await expiry();
    // Beyond its length. On a busy machine it may expire between two renewals, so nobody else tries to take it.
    await expect.poll(expiry).toBeGreaterThan(begun + 300);
    await isHeld(first, lease);
    // As a process that was killed: it renews nothing, and gives nothing back.
    await first.close();
    await hold(second, 'long', async ({ epoch }) => expect(epoch).toBe(2));
    pass();
  });

  test('is lost to the next holder, who has another epoch, and to one of the same epoch', async () => {
    const [first, second] = [await open(), await open()];
    await hold(
      first,
      'lost',
      async (lease) => {
        await isHeld(first, lease);
        const taking = hold(second, 'lost', async (next) => {
          await isHeld(second, next);
          await expect(isHeld(first, lease)).rejects.toThrow(/hold it in epoch 1.*epoch 2 \(locked\)/);
          await expect.poll(() => lease.signal.aborted).toBe(true);
          expect(() => lease.signal.throwIfAborted()).toThrow(/epoch 2 \(locked\)/);
          // A database that was restored from a back-up counts the same epochs again.
          const restored = { ...next, token: lease.token };
          await expect(isHeld(first, restored)).rejects.toThrow(/locked/);
        });
        // As if this process had been paused. It renews the lease until the second one is there.
        const expire =
          "UPDATE cathedral.leases SET expires_at = '-infinity' WHERE name = 'lost' AND epoch = 1";
        await meanwhile(
          () => taking,
          async (isOver) => {
            while (!isOver()) await first.query(expire);
          },
        );
      },
      { lengthMs: 300 },
    );
  });
});
