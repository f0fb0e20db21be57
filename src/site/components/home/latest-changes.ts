import { z } from 'zod';
import type { SiteRelease } from '../release.ts';

/** Made with the catalogues, before the pages; a release without them has none. */
const FEED = 'feed.json';

const Feed = z.looseObject({
  items: z.array(z.looseObject({ url: z.string(), title: z.string(), date_published: z.string() })),
});

/** Days like any other are not news: of them, only the newest. */
const ORDINARY = /^\d{4}-\d{2}-\d{2}: /;

export interface LatestChange {
  title: string;
  /** When it happened, UTC. */
  time: string;
  /** The page that tells of it. */
  href: string;
}

/** What changed last, newest first, as the feeds tell it: the newest whole day, multipliers, decisions. */
export function latestChanges(release: SiteRelease, count: number): LatestChange[] {
  if (!release.find(FEED)) return [];
  const { items } = release.read(FEED, Feed);
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
