import { expect, test } from 'vitest';
import { asDiskErrors } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { failureOf } from '../release/temporary-folder.ts';

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const refused = new CathedralError('log_forked', { place: 'a log', expected: 'one', found: 'another' });
const other = new Error('another fault');

test.each([
  [full, other, { code: 'disk_full', place: 'a place', found: full.message }],
  [other, full, { code: 'disk_full', place: 'a place' }],
  [refused, full, { code: 'log_forked', place: 'a log' }],
  [other, other, { code: 'publish_failed', found: other.message }],
])('%s is named although closing fails too: %s', async (first, second, expected) => {
  const work = async () => {
    await using _ = { [Symbol.asyncDispose]: () => Promise.reject(second) };
    throw first;
  };
  expect(await failureOf(() => asDiskErrors('a place', work))).toMatchObject(expected);
});
