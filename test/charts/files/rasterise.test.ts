import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { rasterise } from '../../../pipeline/charts/files/rasterise.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

const DRAWING = await readFile(
  join(import.meta.dirname, '../../contract/release/examples/charts/supply.svg'),
  'utf8',
);
const MODULE = new URL('../../../pipeline/charts/files/rasterise.ts', import.meta.url).href;
const RUN = `
  const { createHash } = await import('node:crypto');
  const { rasterise } = await import(process.argv[1]);
  let drawing = '';
  for await (const chunk of process.stdin) drawing += chunk;
  const png = await rasterise(drawing);
  console.log(createHash('sha256').update(png).digest('hex'), process.env.FONTCONFIG_FILE ?? 'none');
`;

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Draws in a process of its own, which has read no font before; gives the digest and the variable afterwards. */
async function elsewhere(env: Record<string, string>): Promise<{ words: string[]; stderr: string }> {
  const { PATH = '' } = process.env;
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', RUN, MODULE], {
    env: { PATH, ...env },
  });
  child.child.stdin!.end(DRAWING);
  const { stdout, stderr } = await child;
  return { words: stdout.trim().split(' '), stderr };
}

test('a drawing becomes twice as many pixels each way, at the size that it has on a page', async () => {
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(DRAWING)!.map(Number);
  const { format, channels, density, ...size } = await sharp(await rasterise(DRAWING)).metadata();
  expect({ format, channels, density }).toEqual({ format: 'png', channels: 3, density: 192 });
  expect([size.width, size.height]).toEqual([width! * 2, height! * 2]);
});

test('a drawing that is too tall for that has fewer pixels', async () => {
  const tall =
    '<svg xmlns="http://www.w3.org/2000/svg" width="820" height="40000"><rect width="9" height="9"/></svg>';
  const { width, height } = await sharp(await rasterise(tall)).metadata();
  expect([width, height]).toEqual([656, 32_000]);
});

test('the same drawing gives the same bytes, whatever fonts a machine has and is told of', async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, 'none'));
  const none = join(home, 'fonts.conf');
  await writeFile(none, `<fontconfig><dir>${join(home, 'none')}</dir></fontconfig>`);
  const own = digest(await rasterise(DRAWING));
  expect(digest(await rasterise(DRAWING))).toBe(own);
  expect(await elsewhere({ HOME: home })).toEqual({ words: [own, 'none'], stderr: '' });
  expect(await elsewhere({ HOME: home, FONTCONFIG_FILE: none })).toEqual({ words: [own, none], stderr: '' });
});

test('letters are drawn in the fonts that are asked for', async () => {
  const letters = (family: string, weight: number) =>
    rasterise(
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><rect width="200" height="40" fill="#fff"/><text x="4" y="28" font-size="24" font-family="${family}" font-weight="${weight}">Integrity 0.95</text></svg>`,
    );
  const faces = [
    await letters("'Source Sans 3'", 400),
    await letters("'Source Sans 3'", 600),
    await letters("'Source Serif 4'", 600),
  ].map(digest);
  expect(new Set(faces).size).toBe(3);
  // What is not there is drawn in the one for data, not in whatever a machine has.
  expect(digest(await letters('Helvetica', 400))).toBe(faces[0]);
});
