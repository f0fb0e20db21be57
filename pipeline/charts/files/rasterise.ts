import { fileURLToPath } from 'node:url';
import type { Sharp } from 'sharp';
import type { AnyStateContent } from './chart-forms.ts';

/** Pixels for one of the drawing, each way: for screens of double density, and for print. */
const SCALE = 2;
/** Dots an inch at which librsvg makes one pixel of one of the drawing. */
const PLAIN_DENSITY = 72;
/** CSS pixels an inch: what a word processor and LaTeX take the size of the picture from. */
const PIXELS_PER_INCH = 96;
const FONTS = fileURLToPath(new URL('./fonts/fonts.conf', import.meta.url));
const LETTER = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">a</text></svg>';

type Open = (svg: Buffer, options: { density: number }) => Sharp;

let opening: Promise<Open> | undefined;

/**
 * An SVG document as a PNG of twice its size. Its type is of the fonts in `fonts/` and of no others, so that it comes out
 * the same on a machine with other fonts, or without any; a character that they do not have is a box. Not on the event loop.
 */
export async function rasterise(svg: string): Promise<Uint8Array> {
  opening ??= openLibrary();
  return draw(await opening, svg);
}

function draw(open: Open, svg: string): Promise<Buffer> {
  return open(Buffer.from(svg), { density: PLAIN_DENSITY * SCALE })
    .removeAlpha()
    .withDensity(PIXELS_PER_INCH * SCALE)
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/**
 * Loaded with the first picture: a server may never be asked for one. Fontconfig reads its variable once, with the first
 * letter that is drawn; afterwards it is as before, for a browser that is started later has the fonts of the machine.
 */
async function openLibrary(): Promise<Open> {
  const { default: sharp } = await import('sharp');
  // What it would keep is of pictures that were drawn already.
  sharp.cache(false);
  const { FONTCONFIG_FILE: before } = process.env;
  process.env.FONTCONFIG_FILE = FONTS;
  try {
    await draw(sharp, LETTER);
  } finally {
    if (before === undefined) delete process.env.FONTCONFIG_FILE;
    else process.env.FONTCONFIG_FILE = before;
  }
  return sharp;
}

/** The bytes of a chart's file, of its text: a file of pixels is drawn, and not on the event loop. */
export async function chartBytes(text: string, { kind }: AnyStateContent): Promise<Uint8Array> {
  return kind === 'pixels' ? rasterise(text) : Buffer.from(text);
}
