import type { APIRoute } from 'astro';
import { openRelease } from '../../components/release.ts';
import { CARDS } from '../../components/site/cards/cards.ts';

/** The drawing of a card. Whoever renders the site turns it into pixels. */
export const GET: APIRoute = ({ params }) => {
  const draw = CARDS.get(params.card!)!;
  return new Response(draw(openRelease()), { headers: { 'content-type': 'image/svg+xml' } });
};
