import { withAdvice } from '../publish/with-advice.ts';
import { readIndex } from './read-kept.ts';

/** The list of snapshots can be gone on from: found out before a release is published, not after. Throws release_invalid. */
export async function assertListReadable(out: string): Promise<void> {
  try {
    await readIndex(out);
  } catch (cause) {
    // Not: remove it. It alone says which old histories are in use.
    throw withAdvice(cause, 'put back the list as it was, from a mirror or a back-up');
  }
}
