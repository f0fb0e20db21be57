import { drawFavicon } from '../components/site/icons.ts';

export async function GET() {
  return new Response(new Uint8Array(await drawFavicon()));
}
