import { TITLE } from '../facts.ts';
import { entryId, type FeedOptions } from './atom.ts';
import type { Change } from './change.ts';

/** `/feed.json` (JSON Feed 1.1), with the entries of the Atom feed. */
export function formatJsonFeed(changes: readonly Change[], { baseUrl, author }: FeedOptions): string {
  const feed = {
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
