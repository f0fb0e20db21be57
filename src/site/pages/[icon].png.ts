import type { APIContext } from 'astro';
import { drawIcon, ICONS } from '../components/site/icons.ts';

export function getStaticPaths() {
  return Object.keys(ICONS).map((icon) => ({ params: { icon } }));
}

export async function GET({ params: { icon } }: APIContext) {
  return new Response(new Uint8Array(await drawIcon(ICONS[icon!]!)));
}
