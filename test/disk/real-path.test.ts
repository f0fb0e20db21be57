import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realOf } from '../../pipeline/disk/real-path.ts';
import { signingFolder } from '../../pipeline/release/signing/file-records.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

test('a link leads to the same place whether its target exists or not', async () => {
  const folder = realOf(await temporaryFolder());
  await mkdir(join(folder, 'vault'));
  await symlink('vault', join(folder, 'to-vault'));
  await symlink('to-vault/p.key', join(folder, 'p.key'));
  await symlink(join(folder, 'p.key'), join(folder, 'vault/again.key'));
  const lost = ['p.key', 'vault/again.key'].map((name) => signingFolder(join(folder, name)));
  await writeFile(join(folder, 'vault/p.key'), 'x');
  const there = ['p.key', 'vault/again.key'].map((name) => signingFolder(join(folder, name)));
  expect(there).toEqual(Array(2).fill(join(folder, 'vault/p.key.signed')));
  expect(lost).toEqual(there);
});

test('links in a circle and below missing folders are paths of their own', async () => {
  const folder = realOf(await temporaryFolder());
  await symlink('b', join(folder, 'a'));
  await symlink('a', join(folder, 'b'));
  await symlink('none/deep', join(folder, 'c'));
  expect(realOf(join(folder, 'a/x'))).toBe(join(folder, 'a/x'));
  expect(realOf(join(folder, 'c/x'))).toBe(join(folder, 'none/deep/x'));
});
