/** Loaded before the program, with --import: does to it what FAULTS says, and tells what it did. */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { effects, type Fault } from './effects.ts';
import { fixKeys, patchRandom } from './fixed-random.ts';
import { patchFs } from './patch-fs.ts';

export interface Armament {
  /** What is watched. */
  folder: string;
  fault: Fault | null;
  /** Of the key that it makes. */
  key: number;
  /** Its clock stands here: until when a release is good follows from it. ms since 1970 */
  now: number;
  /** A file for its calls, and how many of them failed. A process that is killed writes none. */
  report: string;
}

// The thread that renders pages loads this module as well, with an environment of its own; it only reads.
if (isMainThread) {
  const { folder, fault, key, now, report } = JSON.parse(process.env.FAULTS!) as Armament;
  patchRandom();
  fixKeys(key);
  Date.now = () => now;
  await patchFs();
  effects.watch(folder, fault);
  process.on('exit', () => {
    const told = JSON.stringify({ calls: effects.calls, failed: effects.failed.length });
    effects.watch(null);
    writeFileSync(report, told);
  });
}
