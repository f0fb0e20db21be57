import sharp from 'sharp';
import { iconSvg } from './icon-svg.ts';

interface Icon {
  /** Pixels. */
  side: number;
  svg: string;
}

const WHOLE = iconSvg({ radius: 0, scale: 0.86 });
/** A mask may cut all but a circle of 80 % of the side. */
const MASKABLE = iconSvg({ radius: 0, scale: 0.66 });
const ROUNDED = iconSvg({ radius: 6, scale: 1 });

/** The mark as pictures, by the name of the file. */
export const ICONS: Readonly<Record<string, Icon>> = {
  'apple-touch-icon': { side: 180, svg: WHOLE },
  'icon-192': { side: 192, svg: ROUNDED },
  'icon-512': { side: 512, svg: ROUNDED },
  'icon-maskable-512': { side: 512, svg: MASKABLE },
};

export function drawIcon({ side, svg }: Icon): Promise<Buffer> {
  // 72 dots an inch draw the 32 units of the drawing as 32 pixels.
  return sharp(Buffer.from(svg), { density: (72 * side) / 32 })
    .resize(side)
    .png({ compressionLevel: 9 })
    .toBuffer();
}

const ICO_SIDE = 32;
const ICO_HEADER = 22;

/** `/favicon.ico`, which browsers and crawlers ask for by itself: one PNG in the frame of an ICO file. */
export async function drawFavicon(): Promise<Buffer> {
  const png = await drawIcon({ side: ICO_SIDE, svg: ROUNDED });
  const header = Buffer.alloc(ICO_HEADER);
  // Reserved, type (icon), number of pictures.
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  // Width, height, no palette, one plane of 32 bits, then where the picture is.
  header.writeUInt8(ICO_SIDE, 6);
  header.writeUInt8(ICO_SIDE, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(ICO_HEADER, 18);
  return Buffer.concat([header, png]);
}
