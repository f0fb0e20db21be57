/** Beside the page that searches in it: the same content security policy holds for both, and for its worker. */
export const SEARCH_INDEX = 'search/index/';

/** What a reader can narrow a search to: the pages below a folder, but not the folder's own list. */
const KINDS = {
  sentinel: /^sentinels\/[^/]+\/index\.html$/,
  deliberation: /^deliberations\/[^/]+\/index\.html$/,
  decision: /^decisions\/(?!in-\d{4}\/)[^/]+\/index\.html$/,
  cycle: /^cycles\/(?!in-\d{4}\/)[^/]+\/index\.html$/,
  chart: /^charts\/[^/]+\/index\.html$/,
  file: /^files\/.+\/index\.html$/,
} as const;

export type SearchKind = keyof typeof KINDS | 'page';
export const SEARCH_KINDS: readonly SearchKind[] = [
  ...(Object.keys(KINDS) as (keyof typeof KINDS)[]),
  'page',
];

/** `decisions/d-1/index.html` → `decision`. */
export function kindOf(path: string): SearchKind {
  const found = Object.entries(KINDS).find(([, pattern]) => pattern.test(path));
  return (found?.[0] as SearchKind | undefined) ?? 'page';
}
