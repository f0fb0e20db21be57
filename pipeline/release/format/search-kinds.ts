/** The index is stored beside the search page, so one content security policy covers the page, the index and its worker. */
export const SEARCH_INDEX = 'search/index/';
/** The folders, below that, of the indexes of the archive: `["2020s/","2026/"]`. */
export const SEARCH_BUNDLES = `${SEARCH_INDEX}bundles.json`;

/** Kinds of page that a search can be narrowed to: the pages below a folder, without the folder's own list. */
const KINDS = {
  sentinel: /^sentinels\/[^/]+\/index\.html$/,
  deliberation: /^deliberations\/[^/]+\/index\.html$/,
  decision: /^decisions\/(?!in-\d{4}\/)[^/]+\/index\.html$/,
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
