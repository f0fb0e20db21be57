import { z } from 'zod';
import { AREAS, type Area, type Artifact } from '../../artifacts/artifact.ts';
import { homeOf, type Organisation } from '../../artifacts/documents/organisation.ts';
import { ARTIFACTS } from '../../artifacts/table.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { capitalise } from '../../words/phrase.ts';
import { escapeXml } from '../../words/xml.ts';
import { type Change, changesOf, MOST_CHANGES, type Recent } from './changes.ts';

/** A feed of the service, in Atom and as a JSON Feed: `feed.atom`, `feed.json`. */
export interface Feed {
  /** Without an ending. */
  path: string;
  /** Follows the name of the organisation. */
  title: string;
  subtitle: string;
  /** The page that it belongs to, below the service's root. */
  page: string;
}

export const CHANGES_FEED: Feed = {
  path: 'feed',
  title: 'changes to the data',
  subtitle:
    'Each closed day, change of a multiplier, decision, deliberation, audit, outage and alert, and each time that minting stops or goes on',
  page: '',
};

const AREA_SUBTITLES: Readonly<Record<Area, string>> = {
  government:
    'Alerts, outages of sentinels, audits, multipliers of FOR-GOVERNMENTS, and changed schemas of files',
  economy:
    'Each closed day, each change of a multiplier, each time that minting stops or goes on, outages of sentinels of FOR-ECONOMISTS, alerts about the economy, and changed schemas of files',
  academics: 'Multipliers of FOR-ACADEMICS, outages of its sentinels, and changed schemas of files',
  philosophy:
    'Decisions, deliberations, alerts about drift, multipliers of FOR-PHILOSOPHERS, outages of its sentinels, and changed schemas of files',
  diplomacy: 'Multipliers of DIPLOMACY, outages of its sentinels, and changed schemas of files',
};

/** The feed of an area, which is that of its cathedral, too. */
export function areaFeed(area: Area): Feed {
  return {
    path: `${area}/feed`,
    title: capitalise(area),
    subtitle: AREA_SUBTITLES[area],
    page: `${area}/`,
  };
}

/** Every feed of changes with its entries, newest first. */
export function feedsOf(recent: Recent): [Feed, readonly Change[]][] {
  const changes = changesOf(recent);
  return [
    [CHANGES_FEED, changes.slice(0, MOST_CHANGES)],
    ...AREAS.map((area): [Feed, readonly Change[]] => {
      const schemas = ARTIFACTS.filter((one) => one.area === area).flatMap((one) => schemaEntries(one));
      return [areaFeed(area), newest([...changes.filter(({ areas }) => areas.includes(area)), ...schemas])];
    }),
  ];
}

function newest(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => compareTimestamps(b.updated, a.updated)).slice(0, MOST_CHANGES);
}

function schemaEntries(artifact: Artifact): Change[] {
  if (artifact.kind === 'printed' || artifact.restricted) return [];
  const { path, title, schemaChanges = [] } = artifact;
  return schemaChanges.map(({ version, date, change }) => ({
    id: `schema/${path}/${version}`,
    title: `${title}: schema of ${path}, version ${version}`,
    summary: change,
    published: `${date}T00:00:00Z`,
    updated: `${date}T00:00:00Z`,
    path: `files/${path}/#schema`,
  }));
}

export interface FeedOptions {
  baseUrl: string;
  organisation: Organisation;
  /** The time of the first event: the last change of a feed without entries. */
  since: string;
}

function feedTitle(title: string, { name }: Organisation): string {
  return `${name}: ${title}`;
}

/** `/feed.atom` and the like (RFC 4287). */
export function formatAtom(
  { path, title, subtitle, page }: Feed,
  changes: readonly Change[],
  { baseUrl, organisation, since }: FeedOptions,
): string {
  const self = escapeXml(`${baseUrl}/${path}.atom`);
  const updated = changes[0]?.updated ?? since;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${self}</id>
  <title>${escapeXml(feedTitle(title, organisation))}</title>
  <subtitle>${escapeXml(subtitle)}</subtitle>
  <updated>${updated}</updated>
  <author><name>${escapeXml(organisation.name)}</name><uri>${escapeXml(homeOf(organisation, baseUrl))}</uri></author>
  <link rel="self" type="application/atom+xml" href="${self}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/${page}`)}"/>
  <link rel="license" href="${escapeXml(organisation.licence.url)}"/>
${changes.map((change) => formatEntry(change, baseUrl)).join('')}</feed>
`;
}

function formatEntry({ id, title, summary, published, updated, path }: Change, baseUrl: string): string {
  return `  <entry>
    <id>${escapeXml(entryId(baseUrl, id))}</id>
    <title>${escapeXml(title)}</title>
    <updated>${updated}</updated>
    <published>${published}</published>
    <link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/${path}`)}"/>
    <summary type="text">${escapeXml(summary)}</summary>
  </entry>
`;
}

/** A name that stays the same even if files are renamed (RFC 4151). */
function entryId(baseUrl: string, id: string): string {
  return `tag:${new URL(baseUrl).hostname},2025:${encodeURI(id)}`;
}

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

/** The JSON Feed as a published file. */
export const jsonFeed = ({ path }: Feed) => ({ path: `${path}.json`, mediaType: 'application/json', schema });

/** JSON Feed 1.1, with the entries of the Atom feed. */
export function jsonFeedOf(
  { path, title, subtitle, page }: Feed,
  changes: readonly Change[],
  { baseUrl, organisation }: Pick<FeedOptions, 'baseUrl' | 'organisation'>,
): z.output<typeof schema> {
  return {
    version: 'https://jsonfeed.org/version/1.1',
    title: feedTitle(title, organisation),
    home_page_url: `${baseUrl}/${page}`,
    feed_url: `${baseUrl}/${path}.json`,
    description: subtitle,
    language: 'en',
    authors: [{ name: organisation.name, url: homeOf(organisation, baseUrl) }],
    items: changes.map(({ id, title, summary, published, updated, path }) => ({
      id: entryId(baseUrl, id),
      url: `${baseUrl}/${path}`,
      title,
      content_text: summary,
      date_published: published,
      date_modified: updated,
    })),
  };
}
