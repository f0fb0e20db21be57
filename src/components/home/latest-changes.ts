import { z } from 'zod';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
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
  /** When it came into the data, UTC. */
  time: string;
  /** The page of the file that has it. */
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
    .map(({ url, title, date_published: time }) => ({ title, time, href: pageOf(url, release.baseUrl) }));
}

function pageOf(url: string, baseUrl: string): string {
  const path = url.slice(baseUrl.length + 1);
  return ARTIFACTS.some((artifact) => artifact.path === path) ? `/files/${path}/` : `/${path}`;
}
