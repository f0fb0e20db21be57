import { openRelease } from './release.ts';

const ICONS = [
  ['/icon-192.png', '192x192', 'any'],
  ['/icon-512.png', '512x512', 'any'],
  ['/icon-maskable-512.png', '512x512', 'maskable'],
] as const;

/** What a browser calls the site that a reader keeps on a home screen. */
export function GET(): Response {
  const manifest = {
    name: openRelease().organisation.name,
    description: 'Open data of an append-only ledger.',
    start_url: '/',
    display: 'browser',
    background_color: '#fcfaf5',
    theme_color: '#fcfaf5',
    icons: ICONS.map(([src, sizes, purpose]) => ({ src, sizes, type: 'image/png', purpose })),
  };
  return new Response(`${JSON.stringify(manifest, null, 2)}\n`);
}
