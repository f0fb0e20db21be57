import { ICONS } from '../components/site/icons.ts';

const PURPOSES = [
  { name: 'icon-192', purpose: 'any' },
  { name: 'icon-512', purpose: 'any' },
  { name: 'icon-maskable-512', purpose: 'maskable' },
];

/** For who puts the site on a home screen. */
export function GET() {
  const icons = PURPOSES.map(({ name, purpose }) => {
    const side = ICONS[name]!.side;
    return { src: `/${name}.png`, sizes: `${side}x${side}`, type: 'image/png', purpose };
  });
  const manifest = {
    name: 'Cathedral Data Service',
    short_name: 'Cathedral',
    description: 'Open data of an append-only ledger.',
    start_url: '/',
    display: 'browser',
    background_color: '#fcfaf5',
    theme_color: '#fcfaf5',
    icons,
  };
  return new Response(`${JSON.stringify(manifest, null, 2)}\n`);
}
