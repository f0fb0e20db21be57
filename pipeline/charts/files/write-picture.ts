import { type NewFile, sha256 } from '../../release/format/manifest.ts';
import type { Staging } from '../../release/staging/staging.ts';
import { rasterise, rasteriser } from './rasterise.ts';

/** A PNG of a release and the SVG document that it is drawn from. */
export interface PictureFile extends Omit<NewFile, 'content' | 'mediaType'> {
  svg: string;
}

/**
 * Adds a picture to a release: that of the previous release if its drawing, its fonts and the rasteriser are the same, and what the
 * manifest says of it; otherwise it is drawn, off the event loop.
 */
export async function writePicture(
  staging: Pick<Staging, 'reuseMade' | 'write'>,
  { svg, ...file }: PictureFile,
): Promise<void> {
  const key = sha256(JSON.stringify([rasteriser(), sha256(svg), file]));
  if (await staging.reuseMade(file.path, key)) return;
  await staging.write({ ...file, mediaType: 'image/png', content: await rasterise(svg) }, key);
}
