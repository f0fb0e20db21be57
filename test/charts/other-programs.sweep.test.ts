import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { textsOf } from './drawing.ts';

const GOLDEN = join(import.meta.dirname, '../contract/release/examples/charts');
const DRAWINGS = globSync('*.svg', { cwd: GOLDEN }).sort();

/** Programs in which people open a chart that they downloaded. None is needed for anything else. */
const PROGRAMS: Record<string, (files: readonly string[], folder: string) => void> = {
  // LibreOffice Draw, as Debian calls it: `soffice` is also there where only Calc is, which opens no drawing.
  lodraw: (files, folder) =>
    execFileSync(
      'lodraw',
      [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        '--convert-to',
        'png',
        '--outdir',
        folder,
        ...files,
      ],
      { stdio: 'ignore' },
    ),
  cairosvg: (files) => {
    for (const file of files) execFileSync('cairosvg', [file, '--output', pngOf(file)]);
  },
  'rsvg-convert': (files) => {
    for (const file of files) execFileSync('rsvg-convert', [file, '--output', pngOf(file)]);
  },
  inkscape: (files) => execFileSync('inkscape', ['--export-type=png', ...files], { stdio: 'ignore' }),
};

const pngOf = (file: string) => file.replace('.svg', '.png');

interface Picture {
  width: number;
  height: number;
  /** Red, green and blue of each pixel. */
  data: Buffer;
}

async function pixelsOf(
  file: string,
  { width, height }: { width: number; height: number },
): Promise<Picture> {
  const data = await sharp(file)
    .flatten({ background: '#fff' })
    .resize(width, height, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
  return { width, height, data };
}

const rgb = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

const far = (one: ArrayLike<number>, other: ArrayLike<number>, at = 0) =>
  Math.abs(one[at]! - other[0]!) + Math.abs(one[at + 1]! - other[1]!) + Math.abs(one[at + 2]! - other[2]!);

/** The share of a box's pixels that are nearer to a colour than to the other. */
function shareOf(
  { width, data }: Picture,
  [colour, other]: readonly [string, string],
  box: { left: number; right: number; top: number; bottom: number },
): number {
  const [wanted, ground] = [rgb(colour), rgb(other)];
  let [near, all] = [0, 0];
  for (let y = Math.floor(box.top); y < box.bottom; y += 1) {
    for (let x = Math.floor(box.left); x < box.right; x += 1) {
      const at = 3 * (y * width + x);
      all += 1;
      if (far(data, wanted, at) < far(data, ground, at)) near += 1;
    }
  }
  return near / all;
}

describe.each(Object.entries(PROGRAMS))('%s', (program, convert) => {
  test.skipIf(spawnSync(program, ['--version']).error !== undefined)(
    'shows every text of every chart, and cuts none off',
    { timeout: 180_000 },
    async () => {
      const folder = await temporaryFolder();
      const files = DRAWINGS.map((name) => join(folder, name));
      for (const file of files) await copyFile(join(GOLDEN, basename(file)), file);
      convert(files, folder);
      for (const file of files) {
        const svg = await readFile(file, 'utf8');
        const [width, height] = /width="(\d+)" height="(\d+)"/.exec(svg)!.slice(1).map(Number) as [
          number,
          number,
        ];
        const paper = /<rect width="\d+" height="\d+" fill="(#\w+)"/.exec(svg)![1]!;
        const picture = await pixelsOf(pngOf(file), { width, height });
        for (const { text, left, right, y, size, fill, turned } of textsOf(svg)) {
          if (turned || text.trim() === '') continue;
          const box = { left, right: Math.min(right, width), top: y - size * 0.8, bottom: y + 1 };
          expect(shareOf(picture, [fill, paper], box), `${basename(file)}: “${text}”`).toBeGreaterThan(0.02);
        }
        // A program may leave a line of its own at the edge.
        for (const left of [2, width - 4]) {
          const edge = { left, right: left + 2, top: 4, bottom: height - 4 };
          expect(shareOf(picture, [paper, '#808080'], edge), `the edge of ${basename(file)}`).toBe(1);
        }
      }
    },
  );
});
