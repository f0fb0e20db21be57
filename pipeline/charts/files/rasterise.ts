import { join } from 'node:path';
import type { Sharp } from 'sharp';
import { PROJECT } from '../../config/project.ts';
import { type MadeKind, pixelScale } from './chart-formats.ts';

/** Dots per inch at which librsvg maps one unit of the drawing to one pixel. */
const PLAIN_DENSITY = 72;
/** CSS pixels per inch, from which word processors and LaTeX compute the picture's size. */
const PIXELS_PER_INCH = 96;
/** Level 9 takes twice the time, drawing included, for a sixth fewer bytes. */
const LEVEL = 7;
/** With the configuration that names them. */
export const FONTS_FOLDER = 'pipeline/charts/files/fonts';
const FONTS = join(PROJECT, FONTS_FOLDER, 'fonts.conf');
const LETTER = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">a</text></svg>';

type Open = (svg: Buffer, options: { density: number }) => Sharp;

let opening: Promise<Open> | undefined;

/**
 * An SVG document as a PNG, usually of twice its size. Only the fonts in `fonts/` are used, so the result is the same on every
 * machine; a character that they lack becomes a box. Runs off the event loop.
 */
export async function rasterise(svg: string): Promise<Uint8Array> {
  opening ??= openLibrary();
  return draw(await opening, svg);
}

function draw(open: Open, svg: string): Promise<Buffer> {
  const scale = pixelScale(Number(/ height="(\d+)"/.exec(svg)![1]));
  return open(Buffer.from(svg), { density: PLAIN_DENSITY * scale })
    .removeAlpha()
    .withDensity(PIXELS_PER_INCH * scale)
    .png({ compressionLevel: LEVEL })
    .toBuffer();
}

/**
 * Loaded with the first picture, since a server may never need one. Fontconfig reads its variable once, with the first text
 * it draws. Afterwards the variable is restored, so that a browser that starts later uses the fonts of the machine.
 */
async function openLibrary(): Promise<Open> {
  const { default: sharp } = await import('sharp');
  // Its cache would only hold pictures that are done.
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

/** The bytes of a chart's file from its text. Rasterises a PNG, off the event loop. */
export async function chartBytes(text: string, kind: MadeKind): Promise<Uint8Array> {
  return kind === 'pixels' ? rasterise(text) : Buffer.from(text);
}
