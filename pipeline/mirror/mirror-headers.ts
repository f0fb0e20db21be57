import type { ManifestFile } from '../release/format/manifest.ts';
import type { PublicFile, PublicManifest } from '../release/format/public-manifest.ts';
import { formatHeadersFile } from '../release/format/response-headers.ts';

const ASSET = /^(image|font|text\/css|text\/javascript|application\/(wasm|octet-stream|manifest\+json))\b/;

/** Belongs to pages although its media type is one of data: citations, embed codes, the search index. */
const BESIDE_PAGES = /^(files|embed|oembed|search|charts\/[^/]+)\/|^\.well-known\/security\.txt$/;

/**
 * The publisher's `_headers`, for static hosts that read it. The manifest does not distinguish pages from data, so this goes by
 * media type and folder. Nothing is called immutable unless its name contains its hash.
 */
export function mirrorHeaders({ files }: PublicManifest): string {
  return formatHeadersFile(files.map((file) => ({ ...file, ...UNUSED, kind: kindOf(file) })));
}

/** Members that make no difference to headers. */
const UNUSED = { area: null, restricted: false, rows: null, encodings: {}, immutable: false, modified: '' };

function kindOf({ path, media_type }: PublicFile): ManifestFile['kind'] {
  if (media_type.startsWith('text/html')) return 'page';
  if (BESIDE_PAGES.test(path)) return 'asset';
  const isDrawing = path.startsWith('charts/');
  return ASSET.test(media_type) && !isDrawing ? 'asset' : 'data';
}
