/** One change of the data, as feeds tell it. */
export interface Change {
  /** Stable, and unique in the feed: `day/2026-09-29`. */
  id: string;
  title: string;
  /** Plain text. */
  summary: string;
  /** When it came into the data, UTC: the time of the event, or the end of the day. */
  updated: string;
  /** Path of the file that has it. */
  path: string;
}

/** Entries in a feed. */
export const MOST_CHANGES = 50;
/** Days that a feed tells of. */
export const FEED_DAYS = 30;
