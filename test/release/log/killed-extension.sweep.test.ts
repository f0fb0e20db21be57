import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../../pipeline/release/log/open-log.ts';
import { temporaryFolder, writeLedger } from '../../ledger/test-ledger.ts';
import { filesBelow, publishLog } from './publish-log.ts';

const LOOP = join(import.meta.dirname, 'log-loop.ts');

test('a log whose extension is killed at any moment matches its checkpoint, and the next run extends it', async () => {
  const ledger = temporaryFolder();
  const end = await writeLedger(ledger, ...Array.from({ length: 150 }, (_, at) => 1 + ((at * 37) % 90)));
  const [out, fresh] = [temporaryFolder(), temporaryFolder()];
  for (let round = 0; round < 12; round += 1) {
    const before = round === 0 ? 0 : (await openLog(out)).edge.size;
    const child = spawn(process.execPath, [LOOP, out, ledger], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    // It has published once, so it is working on the next ones.
    await once(child.stdout, 'data');
    await sleep((round * 7) % 40);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
    expect((await openLog(out)).edge.size).toBeGreaterThan(before);
  }
  await publishLog(out, ledger, end);
  await publishLog(fresh, ledger, end);
  const [grown, atOnce] = [filesBelow(out), filesBelow(fresh)];
  const same = Object.entries(grown).filter(([path]) => path in atOnce);
  expect(same).toEqual(Object.entries(atOnce));
});
