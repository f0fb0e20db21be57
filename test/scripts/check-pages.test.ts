import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
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

/** Script and template of each page, and where its error is; null for a page without one. */
const PAGES: readonly (readonly [script: string, template: string, place: string | null])[] = [
  ['', '<Card title="One" />', null],
  ['const one = "1".lenght;', '<Card title={one} />', '(3,17): error TS2551'],
  ['', '<p>One</p>\n<Card title={1} />', '(6,7): error TS2322'],
  ['', '<Card />', '(5,2): error TS2322'],
  ["import Gone from './Gone.astro';", '<Gone />\n<Card title="One" />', '(3,18): error TS'],
];

test('the type check of pages names the place of each error, and no other', async () => {
  const folder = await temporaryFolder();
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: resolve('tsconfig.json') }));
  await writeFile(join(folder, 'src/Card.astro'), CARD);
  for (const [index, [script, template]] of PAGES.entries()) {
    const page = `---\nimport Card from './Card.astro';\n${script}\n---\n${template}\n`;
    await writeFile(join(folder, `src/page-${index}.astro`), page);
  }
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8', env });
  const found = (stdout + stderr).split('\n').filter((line) => /^\S*src\//.test(line));
  const expected = PAGES.flatMap(([, , place], index) => (place ? [`src/page-${index}.astro${place}`] : []));
  expect(found.map((line, at) => (line.includes(expected[at]!) ? expected[at] : line))).toEqual(expected);
  expect(status).toBe(1);
});
