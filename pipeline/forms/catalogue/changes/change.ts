/** One change of the data, as feeds tell it. */
export interface Change {
  /** Stable, and unique in the feed: `day/2026-09-29`. */
  id: string;
  title: string;
  /** Plain text. */
  summary: string;
  /** When it happened, UTC: the time of the event; of a decision the beginning, and of a day’s sums the end, of its day. */
  updated: string;
  /** Of the page that tells of it: `decisions/decision-506-1/`. */
  path: string;
}

/** Entries in a feed. */
export const MOST_CHANGES = 50;
/** Days that a feed tells of. */
export const FEED_DAYS = 30;
