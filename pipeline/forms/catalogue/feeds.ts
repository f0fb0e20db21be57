import { z } from 'zod';
import { AREAS, type Area, type Artifact } from '../../artifacts/artifact.ts';
import { asOfFile, permanentPath } from '../../artifacts/as-of.ts';
import { showDirections } from '../../artifacts/format/show-directions.ts';
import { ARTIFACTS } from '../../artifacts/table.ts';
import { compareTimestamps } from '../../ledger/timestamp.ts';
import { formatMoment } from '../../words/moment.ts';
import { capitalise } from '../../words/phrase.ts';
import { escapeXml } from '../../words/xml.ts';
import {
  type Change,
  changesOf,
  FEED_TABLES,
  MOST_CHANGES,
  mainChanges,
  RECENT_ROWS,
  type Recent,
  rowChanges,
} from './changes.ts';
import type { CatalogueFacts } from './facts.ts';
import { TITLE, versionsOf } from './facts.ts';
import { pageNames } from './page-names.ts';

/** A feed of the service, in Atom and as a JSON Feed: `feed.atom`, `feed.json`. */
export interface Feed {
  /** Without an ending. */
  path: string;
  title: string;
  subtitle: string;
  /** The page that it belongs to, below the service's root. */
  page: string;
}

export const CHANGES_FEED: Feed = {
  path: 'feed',
  title: `${TITLE}: changes to the data`,
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
    title: `${TITLE}: ${capitalise(area)}`,
    subtitle: AREA_SUBTITLES[area],
    page: `${area}/`,
  };
}

/** Null for a file that has none: it is restricted, printed from another one, or a list of all others. */
export function fileFeed(artifact: Artifact): Feed | null {
  const { path, title, restricted, kind } = artifact;
  if (restricted || kind === 'printed' || artifact.schemaHistory.length === 0) return null;
  return {
    path: `files/${path}/feed`,
    title: `${TITLE}: ${title} (${path})`,
    subtitle: 'New rows or the newest version of the file, and changes of its schema',
    page: `files/${path}/`,
  };
}

/** `name`: that of the sentinel's page. */
export function sentinelFeed(id: string, name: string): Feed {
  return {
    path: `sentinels/${name}/feed`,
    title: showDirections(`${TITLE}: ${id}`),
    subtitle: 'Changes of its status, alerts about it, decisions and deliberations that it took part in',
    page: `sentinels/${name}/`,
  };
}

/** Every feed of changes with its entries, newest first. */
export function feedsOf(facts: CatalogueFacts, recent: Recent): [Feed, readonly Change[]][] {
  const changes = changesOf(recent);
  const sentinels = pageNames(recent.standing.sentinels);
  const files = ARTIFACTS.flatMap((artifact) => {
    const feed = fileFeed(artifact);
    return feed ? [[feed, fileChanges(artifact, facts, recent)] as [Feed, Change[]]] : [];
  });
  return [
    [CHANGES_FEED, mainChanges(changes)],
    ...AREAS.map((area): [Feed, readonly Change[]] => {
      const schemas = ARTIFACTS.filter((one) => one.area === area).flatMap((one) =>
        schemaChanges(one).slice(0, -1),
      );
      return [areaFeed(area), newest([...changes.filter(({ areas }) => areas.includes(area)), ...schemas])];
    }),
    ...files,
    ...recent.standing.sentinels.map((id): [Feed, readonly Change[]] => {
      const own = changes.filter((change) => change.sentinels.includes(id));
      return [sentinelFeed(id, sentinels.get(id)!), newest(own)];
    }),
  ];
}

function newest(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => compareTimestamps(b.updated, a.updated)).slice(0, MOST_CHANGES);
}

function fileChanges(artifact: Artifact, facts: CatalogueFacts, { rows }: Recent): Change[] {
  const added =
    artifact.kind === 'history'
      ? FEED_TABLES.filter((table) => table.artifact === artifact).flatMap((table) =>
          rowChanges(table, rows.get(table.name) ?? [], RECENT_ROWS),
        )
      : versionChange(artifact, facts);
  return newest([...added, ...schemaChanges(artifact)]);
}

/** A file that is written whole has no record of its earlier versions here: each release has the newest as its entry. */
function versionChange(artifact: Artifact, facts: CatalogueFacts): Change[] {
  const { path, title } = artifact;
  const time = asOfFile({ asOf: facts.asOf, versions: versionsOf(facts) }, artifact);
  if (time === null) return [];
  return [
    {
      id: `version/${path}/${time}`,
      title: `${title} as of ${formatMoment(time)}`,
      summary: `The version of ${path} with the events until ${time}. Its permanent address is /${permanentPath(path, time)}.`,
      updated: time,
      path: `files/${path}/`,
    },
  ];
}

function schemaChanges(artifact: Artifact): Change[] {
  if (artifact.kind === 'printed' || artifact.restricted) return [];
  const { path, title, schemaHistory } = artifact;
  return schemaHistory.map(({ version, date, digest, change }) => ({
    id: `schema/${path}/${digest}`,
    title: `${title}: schema of ${path}, version ${version}`,
    summary: change,
    updated: `${date}T00:00:00Z`,
    path: `files/${path}/#schema`,
  }));
}

export interface FeedOptions {
  baseUrl: string;
  author: string;
  /** The time of the first event: the last change of a feed without entries. */
  since: string;
}

/** `/feed.atom` and the like (RFC 4287). */
export function formatAtom(
  { path, title, subtitle, page }: Feed,
  changes: readonly Change[],
  { baseUrl, author, since }: FeedOptions,
): string {
  const self = escapeXml(`${baseUrl}/${path}.atom`);
  const updated = changes[0]?.updated ?? since;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <id>${self}</id>
  <title>${escapeXml(title)}</title>
  <subtitle>${escapeXml(subtitle)}</subtitle>
  <updated>${updated}</updated>
  <author><name>${escapeXml(author)}</name><uri>${escapeXml(`${baseUrl}/`)}</uri></author>
  <link rel="self" type="application/atom+xml" href="${self}"/>
  <link rel="alternate" type="text/html" href="${escapeXml(`${baseUrl}/${page}`)}"/>
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

/** A name that stays the same even if files are renamed (RFC 4151). */
export function entryId(baseUrl: string, id: string): string {
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
export function formatJsonFeed(
  { path, title, subtitle, page }: Feed,
  changes: readonly Change[],
  { baseUrl, author }: Pick<FeedOptions, 'baseUrl' | 'author'>,
): string {
  const feed: z.output<typeof schema> = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: `${baseUrl}/${page}`,
    feed_url: `${baseUrl}/${path}.json`,
    description: subtitle,
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
