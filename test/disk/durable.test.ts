import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asDiskErrors, reasonOf, replaceFile } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

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

test('a file that cannot be written whole, as on a full disk, leaves no beginning of it behind', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'small.json');
  await writeFile(path, 'as before');
  const content = function* () {
    yield 'a beginning';
    throw full;
  };
  // Node writes such content as it comes, as it writes a long text in parts.
  const failure = await failureOf(() => replaceFile(path, content() as unknown as string));
  expect(failure).toMatchObject({ code: 'disk_full', place: path });
  expect(await readdir(folder)).toEqual(['small.json']);
});

test('a folder that cannot be made fails with the reason of its first missing part, not with what Node says of a read-only disk', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const said = Object.assign(new Error('ENOENT: no such file or directory, mkdir'), { code: 'ENOENT' });
  expect(reasonOf(said, join(file, 'a', 'b'))).toMatchObject({ code: 'ENOTDIR' });
  // The same of whatever makes folders itself.
  const work = () => Promise.reject(Object.assign(said, { syscall: 'mkdir', path: join(file, 'a') }));
  expect(await failureOf(() => asDiskErrors('a place', work))).toMatchObject({
    code: 'publish_failed',
    found: expect.stringContaining('ENOTDIR'),
  });
});
