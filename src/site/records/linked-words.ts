import type { SiteRelease } from '../layout/release.ts';
import { decisionRecords } from './decisions.ts';
import { deliberationRecords } from './deliberations.ts';
import { sentinelsOfDay } from './sentinels.ts';

export interface Piece {
  text: string;
  /** Null: plain text. */
  href: string | null;
}

/** A candidate for an id in a sentence. Ids that contain a space are not found. */
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu;

/**
 * A text of the ledger in pieces, with links to what it names: the sentinels of its day, and the decisions and closed deliberations up to then.
 * What comes later is not linked, even if it has a name that the text contains, because the page would change long after its record.
 */
export function linkedWords(release: SiteRelease, text: string, { day, here }: Linking): Piece[] {
  const sentinels = sentinelsOfDay(release, day);
  const recorded = [deliberationRecords(release).ids, decisionRecords(release).ids];
  const pageOf = (word: string) => {
    const sentinel = sentinels.get(word);
    if (sentinel) return sentinel.href;
    const record = recorded
      .map((ids) => ids.get(word))
      .find((found) => found !== undefined && found.date <= day);
    return record?.href ?? null;
  };
  return linkWords(text, pageOf, here);
}

interface Linking {
  /** The day of the text: that of its record. */
  day: string;
  /** The current page, which is not linked. */
  here: string;
}

/** The same for any pages. */
export function linkWords(text: string, pageOf: (word: string) => string | null, here: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const href = pageOf(match[0]);
    if (href === null || href === here) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), href: null });
    pieces.push({ text: match[0], href });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), href: null });
  return pieces;
}
