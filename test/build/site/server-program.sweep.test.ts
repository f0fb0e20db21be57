import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { compileSite } from '../../../pipeline/build/site/compile-site.ts';
import { SERVER_FACTS, SERVER_FOLDER } from '../../../pipeline/build/site/open-program.ts';
import { listTree } from '../../../pipeline/release/disk/list-tree.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { buildFixture } from '../../site/build-fixture.ts';

const PROJECT = new URL('../../../', import.meta.url).pathname;

const folder = useFolder();
let program: string;

beforeAll(async () => {
  program = join((await buildFixture()).release, SERVER_FOLDER);
});

describe('the program of a release, which renders pages on request', () => {
  test('contains no path of the machine that built it', async () => {
    const { files } = await listTree(program);
    expect(files).toContain('entry.mjs');
    for (const path of files) {
      const text = await readFile(join(program, path), 'utf8');
      for (const place of [inject('sharedFolder'), PROJECT])
        expect(text.includes(place), `${path} names ${place}`).toBe(false);
    }
  });

  test('contains nothing of the environment of its build', async () => {
    const text = await readFile(join(program, 'entry.mjs'), 'utf8');
    // Astro writes the members of the environment that a module seems to name: `_` is the shell's last command.
    expect(text).not.toMatch(/\{\s*_: "/);
  });

  test('lists what browsers load in an order that no compiler chose', async () => {
    const text = await readFile(join(program, 'entry.mjs'), 'utf8');
    const [list] = /(?<="assets":)\[[^\]]*\]/.exec(text)!;
    const paths = JSON.parse(list) as string[];
    expect(paths).toContain('/favicon.svg');
    expect(paths).toEqual(paths.toSorted());
  });

  test('is the same when built again elsewhere, in a folder whose name looks like a part of an address', async () => {
    const { server: again } = await compileSite(join(folder, 'again #1%41?x=é'));
    const { files } = await listTree(again);
    expect((await listTree(program)).files).toEqual([...files, basename(SERVER_FACTS)].sort());
    for (const path of files)
      expect((await readFile(join(again, path))).equals(await readFile(join(program, path))), path).toBe(
        true,
      );
  });
});
