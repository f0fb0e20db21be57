import type { APIContext } from 'astro';
import { openRelease, rasteriserAddress } from '../../components/release.ts';
import { CARDS } from '../../components/site/cards/cards.ts';

type Rasteriser = typeof import('../../../../pipeline/charts/files/rasterise.ts');

export function getStaticPaths() {
  return [...CARDS.keys()].map((card) => ({ params: { card } }));
}

export async function GET({ params: { card } }: APIContext) {
  // Imported from disk rather than bundled, because it loads fonts from the folder of the software.
  const { rasterise }: Rasteriser = await import(/* @vite-ignore */ rasteriserAddress());
  const draw = CARDS.get(card!)!;
  return new Response(new Uint8Array(await rasterise(draw(openRelease()))));
}
