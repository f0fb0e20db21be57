import { jsonFeed } from '../../../../pipeline/forms/catalogue/changes/json-feed.ts';
import type { SiteRelease } from '../release.ts';

/** The title of an ordinary day, which is no news. Only the newest of them is listed. */
const ORDINARY = /^\d{4}-\d{2}-\d{2}: /;

export interface LatestChange {
  title: string;
  /** When it happened, UTC. */
  time: string;
  /** The page about it. */
  href: string;
}

/** The latest entries of the feed, newest first: the newest completed day, multipliers, decisions. Empty in a release without a feed. */
export function latestChanges(release: SiteRelease, count: number): LatestChange[] {
  if (!release.find(jsonFeed.path)) return [];
  const { items } = release.read(jsonFeed);
  const newestDay = items.find(({ title }) => ORDINARY.test(title));
  return items
    .filter((item) => item === newestDay || !ORDINARY.test(item.title))
    .slice(0, count)
    .map(({ url, title, date_published: time }) => ({
      title,
      time,
      href: url.slice(release.baseUrl.length),
    }));
}
