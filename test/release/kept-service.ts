import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { useFolder } from '../setups/use-folder.ts';
import { type SmallService, smallService } from './small-service.ts';

/**
 * A service that publishes after each of these numbers of events, once a test file. The function sets it back to how its n-th run left it:
 * a copy takes a tenth of the time of a run. It is always in the same folder, since the publisher's record names it.
 */
export function keptService(...counts: number[]): (runs: number) => Promise<SmallService> {
  const folder = useFolder();
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', join(folder, from), join(folder, to)]);
  beforeAll(async () => {
    const of = smallService(join(folder, 'now'));
    for (let runs = 1; runs <= counts.length; runs += 1) {
      await of.seal(...counts.slice(0, runs));
      await of.publish({ snapshots: { days: 366 } });
      copy('now', `${runs}`);
    }
  });
  return async (runs) => {
    await rm(join(folder, 'now'), { recursive: true });
    copy(`${runs}`, 'now');
    return smallService(join(folder, 'now'));
  };
}
