import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until it is so; a test that waits in vain ends with its own time-out. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}
