import { TITLE } from '../facts.ts';
import { escapeXml } from '../xml.ts';
import type { Change } from './change.ts';

export interface FeedOptions {
  baseUrl: string;
  author: string;
  /** Of the first event: a feed without entries was last changed then. */
  since: string;
}

/** `/feed.atom` (RFC 4287). */
export function formatAtom(changes: readonly Change[], { baseUrl, author, since }: FeedOptions): string {
  const updated = changes[0]?.updated ?? since;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${escapeXml(`${baseUrl}/feed.atom`)}</id>
  <title>${TITLE}: changes of the data</title>
  <subtitle>Each day that is over, each multiplier that was set, each decision</subtitle>
  <updated>${updated}</updated>
  <author><name>${escapeXml(author)}</name><uri>${escapeXml(`${baseUrl}/`)}</uri></author>
  <link rel="self" type="application/atom+xml" href="${escapeXml(`${baseUrl}/feed.atom`)}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/`)}"/>
  <link rel="license" href="https://creativecommons.org/licenses/by/4.0/"/>
${changes.map((change) => formatEntry(change, baseUrl)).join('')}</feed>
`;
}

function formatEntry({ id, title, summary, updated, path }: Change, baseUrl: string): string {
  return `  <entry>
    <id>${escapeXml(entryId(baseUrl, id))}</id>
    <title>${escapeXml(title)}</title>
    <updated>${updated}</updated>
    <published>${updated}</published>
    <link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/${path}`)}"/>
    <summary type="text">${escapeXml(summary)}</summary>
  </entry>
`;
}

/** A name that stays, whatever the files are called one day (RFC 4151). */
export function entryId(baseUrl: string, id: string): string {
  return `tag:${new URL(baseUrl).hostname},2025:${encodeURI(id)}`;
}
