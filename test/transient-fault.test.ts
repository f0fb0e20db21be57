import { expect, test } from 'vitest';
import { reasonOf, retrying, TransientFault } from '../pipeline/transient-fault.ts';

/** Work that always fails, and how often it was tried before the given moment ended it. */
async function triedUntil(ended: 'during an attempt' | 'during the wait') {
  const stop = new AbortController();
  const reason = new Error('the time limit');
  let tried = 0;
  const failure = retrying(
    {
      // The last attempt's fault would be given up.
      attempts: ended === 'during an attempt' ? 1 : 5,
      signal: stop.signal,
      wait: async () => {
        if (ended === 'during the wait') stop.abort(reason);
      },
    },
    async () => {
      tried += 1;
      if (ended === 'during an attempt') stop.abort(reason);
      throw new TransientFault('status 503');
    },
    () => new Error('gave up'),
  );
  await expect(failure).rejects.toBe(reason);
  return tried;
}

test('whoever ends the work ends its retries, with that reason and not with the last fault', async () => {
  expect(await triedUntil('during an attempt')).toBe(1);
  expect(await triedUntil('during the wait')).toBe(1);
});

test.for([
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'a certificate of an authority that this machine does not know (UNABLE_TO_VERIFY_LEAF_SIGNATURE); NODE_EXTRA_CA_CERTS=FILE names another one',
  ],
  ['CERT_HAS_EXPIRED', 'an unfit certificate (CERT_HAS_EXPIRED): said by Node'],
  ['ECONNREFUSED', 'fetch failed: ECONNREFUSED'],
] as const)('of a connection with %s is said what an operator can do about it', ([code, said]) => {
  const cause = Object.assign(new Error('said by Node'), { code });
  expect(reasonOf(new TypeError('fetch failed', { cause }))).toBe(said);
});
