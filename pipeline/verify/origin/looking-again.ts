import { printable } from '../../attestation/printable.ts';
import { CathedralError } from '../../errors.ts';
import { withClientErrors } from './client-errors.ts';

/** Looks at an origin that contradicts itself: a release that is being published looks like a lie for some seconds. */
const LOOKS = 4;
const LOOK_AGAIN_MS = 2000;

export interface Looking {
  wait: (ms: number) => Promise<void>;
  log: (line: string) => void;
}

/** Does `work` over where what it reads is of two releases, and gives it up when it stays so: mirror_mismatch. */
export async function lookingAgain<T>({ wait, log }: Looking, work: () => Promise<T>): Promise<T> {
  for (let look = 1; ; look += 1) {
    try {
      return await withClientErrors(work);
    } catch (error) {
      const isMixed = error instanceof CathedralError && error.code === 'mirror_mismatch';
      if (!isMixed || look === LOOKS) throw error;
      log(`${printable(error.message)}; looking again`);
      await wait(LOOK_AGAIN_MS * 2 ** (look - 1));
    }
  }
}
