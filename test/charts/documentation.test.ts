import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';

const PROJECT = join(import.meta.dirname, '../..');
const hasConverter = spawnSync('rsvg-convert', ['--version']).error === undefined;
const IMAGES = [OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject];

test.skipIf(!hasConverter)(
  'the command in the documentation makes of an SVG a PDF page of its size, with text and without pixels',
  async () => {
    const text = await readFile(join(PROJECT, 'docs/charts.md'), 'utf8');
    const [, command = ''] = /```sh\n(rsvg-convert .*)\n```/.exec(text) ?? [];
    const [, svg = ''] = / (\S+\.svg)$/.exec(command) ?? [];
    const folder = await temporaryFolder();
    const drawing = join(PROJECT, 'test/contract/release/examples/charts/supply.svg');
    await copyFile(drawing, join(folder, svg));
    execFileSync('sh', ['-c', command], { cwd: folder });
    const data = new Uint8Array(await readFile(join(folder, svg.replace('.svg', '.pdf'))));
    const pdf = await getDocument({ data, verbosity: 0 }).promise;
    expect(pdf.numPages).toBe(1);
    const page = await pdf.getPage(1);
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(await readFile(drawing, 'utf8'))!;
    // A point is 4/3 pixels.
    expect(page.view).toEqual([0, 0, Number(width) * 0.75, Number(height) * 0.75]);
    const { items } = await page.getTextContent();
    expect(items.map((item) => ('str' in item ? item.str : '')).join(' ')).toContain(
      'Source: Council of Example',
    );
    const { fnArray } = await page.getOperatorList();
    expect(fnArray.filter((operation) => IMAGES.includes(operation))).toEqual([]);
  },
);
