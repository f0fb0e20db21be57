import { z } from 'zod';
import { TITLE } from '../facts.ts';
import { entryId, type FeedOptions } from './atom.ts';
import type { Change } from './change.ts';

const Link = z.strictObject({ name: z.string(), url: z.url() });

const schema = z.strictObject({
  version: z.literal('https://jsonfeed.org/version/1.1'),
  title: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  description: z.string(),
  language: z.literal('en'),
  authors: z.array(Link),
  items: z.array(
    z.strictObject({
      id: z.string(),
      url: z.url(),
      title: z.string(),
      content_text: z.string(),
      date_published: z.string(),
      date_modified: z.string(),
    }),
  ),
});

export const jsonFeed = { path: 'feed.json', mediaType: 'application/json', schema };

/** JSON Feed 1.1, with the entries of the Atom feed. */
export function formatJsonFeed(changes: readonly Change[], { baseUrl, author }: FeedOptions): string {
  const feed: z.output<typeof schema> = {
    version: 'https://jsonfeed.org/version/1.1',
    title: `${TITLE}: changes of the data`,
    home_page_url: `${baseUrl}/`,
    feed_url: `${baseUrl}/feed.json`,
    description: 'Each day that is over, each multiplier that was set, each decision',
    language: 'en',
    authors: [{ name: author, url: `${baseUrl}/` }],
    items: changes.map(({ id, title, summary, updated, path }) => ({
      id: entryId(baseUrl, id),
      url: `${baseUrl}/${path}`,
      title,
      content_text: summary,
      date_published: updated,
      date_modified: updated,
    })),
  };
  return `${JSON.stringify(feed, null, 2)}\n`;
}
