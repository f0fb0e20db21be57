import { srcDir } from 'astro:config/server';
import type { APIContext } from 'astro';
import { openRelease } from '../../components/release.ts';
import { CARDS } from '../../components/site/cards/cards.ts';

type Rasteriser = typeof import('../../../../pipeline/charts/files/rasterise.ts');

export function getStaticPaths() {
  return [...CARDS.keys()].map((card) => ({ params: { card } }));
}

export async function GET({ params: { card } }: APIContext) {
  // Imported from disk rather than bundled, because it loads fonts from its own folder.
  const rasteriser = new URL('../../pipeline/charts/files/rasterise.ts', srcDir);
  const { rasterise }: Rasteriser = await import(/* @vite-ignore */ rasteriser.href);
  const draw = CARDS.get(card!)!;
  return new Response(new Uint8Array(await rasterise(draw(openRelease()))));
}
