import { formatHeadersFile } from '../release/format/headers.ts';
import type { ManifestFile } from '../release/format/manifest.ts';
import type { PublicFile, PublicManifest } from '../release/format/public-manifest.ts';

const ASSET = /^(image|font|text\/css|text\/javascript|application\/(wasm|octet-stream|manifest\+json))\b/;

/** What belongs to pages although it has a media type of data: citations, codes to embed, the index of the search. */
const BESIDE_PAGES = /^(files|embed|oembed|search|charts\/[^/]+)\/|^\.well-known\/security\.txt$/;

/**
 * `_headers` for static hosts that read it, as the publisher's own would be. The manifest does not say what is a page and
 * what is data, so that is told by media type and folder. Nothing is called immutable that is not named by its hash.
 */
export function mirrorHeaders({ files }: PublicManifest): string {
  return formatHeadersFile(files.map((file) => ({ ...file, ...WHATEVER, kind: kindOf(file) })));
}

const WHATEVER = { area: null, restricted: false, rows: null, encodings: {}, immutable: false, modified: '' };

function kindOf({ path, media_type }: PublicFile): ManifestFile['kind'] {
  if (media_type.startsWith('text/html')) return 'page';
  if (BESIDE_PAGES.test(path)) return 'asset';
  const isDrawing = path.startsWith('charts/');
  return ASSET.test(media_type) && !isDrawing ? 'asset' : 'data';
}
