import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';

const SCRIPT = resolve('scripts/check-pages.ts');
const BIN = resolve('node_modules/.bin');

const CARD = `---
interface Props {
  title: string;
}
const { title } = Astro.props;
---

<p>{title}</p>
`;

/** Checks a site of one component, `Card` with a title, and one page. */
async function check(page: string) {
  const folder = await temporaryFolder();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: resolve('tsconfig.json') }));
  await writeFile(join(folder, 'src/Card.astro'), CARD);
  await writeFile(join(folder, 'src/page.astro'), page);
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8', env });
  return { status, said: stdout.trim() + stderr };
}

describe('the type check of pages', () => {
  test('finds nothing in a page that uses its components as they are to be used', async () => {
    const page = '---\nimport Card from \'./Card.astro\';\n---\n<Card title="One" />\n';
    expect(await check(page)).toEqual({ status: 0, said: '' });
  });

  test.each([
    [
      'a member that a value does not have',
      'const one = "1".lenght;',
      '<Card title={one} />',
      'src/page.astro(3,17): error TS2551',
    ],
    ['a property of a wrong type', '', '<p>One</p>\n<Card title={1} />', 'src/page.astro(6,7): error TS2322'],
    ['a property that is missing', '', '<Card />', 'src/page.astro(5,2): error TS2322'],
    [
      'a component that is not there',
      "import Gone from './Gone.astro';",
      '<Gone />',
      'src/page.astro(3,18): error TS',
    ],
  ])('names the place of %s', async (_, script, template, place) => {
    const { status, said } = await check(
      `---\nimport Card from './Card.astro';\n${script}\n---\n${template}\n`,
    );
    expect([status, said]).toEqual([1, expect.stringContaining(place)]);
  });
});
