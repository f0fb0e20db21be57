import type { SiteRelease } from '../release.ts';
import { perRelease } from '../release.ts';
import { cycles } from './cycles.ts';
import { decisions } from './decisions.ts';
import { deliberations } from './deliberations.ts';
import { sentinelEntries } from './sentinels.ts';

export interface Piece {
  text: string;
  /** Null: plain text. */
  href: string | null;
}

/** A candidate for an id in a sentence. Ids that contain a space are not found. */
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu;

const pages = perRelease(
  (release) =>
    new Map<string, string>([
      ...cycles(release).flatMap(({ label, href }) => (href === null ? [] : [[label, href] as const])),
      ...decisions(release).map(({ id, href }) => [id, href] as const),
      ...deliberations(release).map(({ id, href }) => [id, href] as const),
      ...sentinelEntries(release).map(({ id, href }) => [id, href] as const),
    ]),
);

/** A text from the ledger in pieces, with links to the sentinels, cycles, deliberations and decisions that it names. */
export function linkedWords(release: SiteRelease, text: string, here: string): Piece[] {
  return linkWords(text, pages(release), here);
}

/** The same for a given table of pages. The current page, `here`, is not linked. */
export function linkWords(text: string, pages: ReadonlyMap<string, string>, here: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const href = pages.get(match[0]);
    if (href === undefined || href === here) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), href: null });
    pieces.push({ text: match[0], href });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), href: null });
  return pieces;
}
