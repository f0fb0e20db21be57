import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';
import { Cluster, MISSING } from './cluster.ts';

const DAY_MS = 86_400_000;
/** `npm run cluster -- --break` has all of them; these are quick, and the last one leaves no standby. */
const QUICK = ['quota', 'revoked', 'simulation', 'failover'];

describe.skipIf(MISSING.length > 0)('a small cluster', () => {
  let folder: string;
  let cluster: Cluster;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cathedral-cluster-'));
    cluster = await Cluster.start({
      folder,
      publishers: 1,
      sidecars: 2,
      from: new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10),
      settings: { CATHEDRAL_WITHOUT_SITE: 'true' },
      log: () => {},
    });
    await cluster.ready();
  });

  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(
    ATTACKS.filter(({ name }) => QUICK.includes(name)).map((attack) => [attack.name, attack] as const),
  )('withstands the attack %s', async (_, attack) => {
    expect(await attack.run(cluster)).toBeTruthy();
  });

  test('has no member that ended by itself', () => cluster.assertRunning());
});
