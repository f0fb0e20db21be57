import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { readDisk } from '../../../src/sidecar/health/disks.ts';

test('a disk has the bytes and the inodes that df reports', async () => {
  const folder = tmpdir();
  const disk = await readDisk(folder);
  const reported = execFileSync('df', ['--output=size,itotal', '-B1', folder], { encoding: 'utf8' });
  expect(reported.trim().split(/\s+/).slice(-2).map(Number)).toEqual([disk!.size, disk!.inodes]);
  expect(disk!.freeInodes).toBeLessThanOrEqual(disk!.inodes);
  expect(await readDisk(`${folder}/none/at/all`)).toMatchObject({ inodes: disk!.inodes });
});
