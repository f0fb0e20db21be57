/** Folders with hundreds of pages that differ in their words alone: so many of each are looked at. */
const ALIKE = /^(problems|sentinels|deliberations|decisions)\//;
const OF_EACH = 8;

/** The pages of a site, path and HTML, of those that are alike the first ones. */
export function unlike(pages: Iterable<[path: string, html: string]>): [path: string, html: string][] {
  const seen = new Map<string, number>();
  return [...pages].filter(([path]) => {
    const [, kind] = ALIKE.exec(path) ?? [];
    const count = (seen.get(kind ?? '') ?? 0) + 1;
    if (kind !== undefined) seen.set(kind, count);
    return kind === undefined || count <= OF_EACH;
  });
}
