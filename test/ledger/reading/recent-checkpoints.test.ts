import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { recentCheckpoints } from '../../../pipeline/ledger/reading/read-checkpoint.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { writeLedger } from '../test-ledger.ts';
import { signer } from '../test-signer.ts';

test('the checkpoints up to a snapshot are read from the newest back, as many as wanted, and verified', async () => {
  const folder = await temporaryFolder();
  await writeLedger(folder, 3, 4, 5, 6);
  const ledger = openDirectory(folder);
  const ids = (await ledger.snapshots(null)).map(({ id }) => id);
  const read = (last: string, most: number) => recentCheckpoints(ledger, last, [signer.verifier], most);
  const found = await read(ids[2]!, 2);
  expect(found.map(({ origin, snapshot, size }) => [origin, snapshot, size])).toEqual([
    [signer.verifier.name, ids[2], 12],
    [signer.verifier.name, ids[1], 7],
  ]);
  expect(await read(ids[3]!, 50)).toHaveLength(4);
  const [first] = await ledger.snapshots(null);
  await truncate(first!.checkpoint, 30);
  await expect(read(ids[3]!, 50)).rejects.toMatchObject({ code: 'ledger_corrupt' });
});
