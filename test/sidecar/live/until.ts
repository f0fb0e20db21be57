import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the condition holds; the test's own timeout bounds it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}
