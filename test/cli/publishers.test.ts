import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePointer } from '../../pipeline/bucket/pointer.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useStore } from '../setups/use-store.ts';

const postgres = useStore();

describe.skipIf(postgres.isMissing)('publishers on several machines', () => {
  let store: InProcessStore;

  beforeAll(async () => {
    store = await InProcessStore.start();
  });
  afterAll(() => {
    store?.stop();
  });

  async function sample() {
    const folder = await temporaryFolder();
    const ledger = join(folder, 'ledger');
    await runHere('sample', ['--ledger', ledger, '--to', '2025-07-03T12:00:00Z', '--seed=7']);
    const env = {
      CATHEDRAL_LEDGER: ledger,
      CATHEDRAL_WITHOUT_SITE: 'true',
      CATHEDRAL_WITHOUT_PDF: 'true',
      CATHEDRAL_BASE_URL: 'https://data.example.org',
      CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
    return { folder, env };
  }

  test('publish in turn, and tell all machines how it went and when the next run is', async () => {
    const { folder, env } = await sample();
    const shared = { ...env, CATHEDRAL_RELEASES: store.bucket('releases') };
    const build = (out: string, env: Record<string, string>) =>
      runHere('build', ['--out', join(folder, out)], { env });
    const alone = await build('a', shared);
    expect([alone.status, alone.stderr]).toEqual([
      2,
      expect.stringMatching(
        /--releases .*expected a database in CATHEDRAL_STORE beside it: .*\(config_invalid\)/,
      ),
    ]);
    const all = { ...shared, CATHEDRAL_STORE: await postgres.newDatabase() };
    const first = await build('a', all);
    expect([first.status, first.stdout]).toEqual([0, expect.stringMatching(/^published 2025-07-03T12Z-/)]);
    const publisher = new RunningCli(['publisher', 'run', '--out', join(folder, 'b')], all);
    // The demo ledger ends long ago.
    await publisher.printed(/has not sealed the snapshot that is due/);
    const told = () => parsePointer(String(store.objects.get('releases/pointer.json')!.bytes)).status!;
    // It is told after it is printed.
    await expect.poll(() => told().last_run.outcome).toBe('unchanged');
    await expect
      .poll(async () => told().next_run_at === (await readStatus(join(folder, 'b')))!.next_run_at)
      .toBe(true);
    publisher.child.kill('SIGTERM');
    const [status] = await once(publisher.child, 'exit');
    expect(status).toBe(0);

    const objects = [...store.objects.keys()];
    const other = {
      ...all,
      CATHEDRAL_STORE: await postgres.newDatabase(),
      CATHEDRAL_BASE_URL: 'https://other.example.org',
    };
    const refused = await build('c', other);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/service\.json: .*release_refused/),
    ]);
    expect([...store.objects.keys()]).toEqual(objects);
  });
});
