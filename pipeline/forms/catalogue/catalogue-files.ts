import { ARTIFACTS } from '../../artifacts/table.ts';
import type { NewFile } from '../../release/format/manifest.ts';
import type { Change, Recent } from './changes.ts';
import { CHECKPOINTS_FEED, checkpointEntries } from './checkpoints.ts';
import { citeFile, formatCslJson, formatRis } from './citation.ts';
import { CFF, formatCff } from './citation-cff.ts';
import { formatRobotsTxt } from './crawlers.ts';
import { formatCroissant } from './croissant.ts';
import { formatDataPackage } from './data-package.ts';
import { dataciteFiles } from './datacite.ts';
import { formatDcat } from './dcat.ts';
import { type CatalogueFacts, versionsOf } from './facts.ts';
import { type Feed, type FeedOptions, feedsOf, formatAtom, formatJsonFeed } from './feeds.ts';
import { formatLlmsTxt } from './llms-txt.ts';

/** Every file that describes the data files, except the sitemap, which needs the pages. */
export function catalogueFiles(facts: CatalogueFacts, recent: Recent): NewFile[] {
  const { baseUrl } = facts;
  const cited = { ...facts, versions: versionsOf(facts) };
  const citations = ARTIFACTS.map((artifact) => citeFile(cited, artifact));
  return [
    catalogueFile('datapackage.json', 'application/json', formatDataPackage(facts)),
    catalogueFile('catalog.jsonld', 'application/ld+json', formatDcat(facts)),
    catalogueFile('croissant.json', 'application/json', formatCroissant(facts)),
    ...dataciteFiles(facts).map(({ path, content }) => catalogueFile(path, 'application/json', content)),
    catalogueFile(CFF.path, CFF.mediaType, formatCff(facts.software)),
    catalogueFile('citations.ris', 'application/x-research-info-systems', formatRis(citations)),
    catalogueFile('citations.csl.json', 'application/json', formatCslJson(citations)),
    ...feedsOf(facts, recent).flatMap(([feed, entries]) => feedFiles(feed, entries, facts)),
    ...feedFiles(CHECKPOINTS_FEED, checkpointEntries(recent.checkpoints), facts),
    catalogueFile('llms.txt', 'text/plain; charset=utf-8', formatLlmsTxt(facts)),
    catalogueFile('robots.txt', 'text/plain; charset=utf-8', formatRobotsTxt(baseUrl)),
  ];
}

/** A feed in both of its formats. */
export function feedFiles(feed: Feed, entries: readonly Change[], options: FeedOptions): NewFile[] {
  return [
    catalogueFile(`${feed.path}.atom`, 'application/atom+xml', formatAtom(feed, entries, options)),
    catalogueFile(`${feed.path}.json`, 'application/json', formatJsonFeed(feed, entries, options)),
  ];
}

export function catalogueFile(path: string, mediaType: string, content: string): NewFile {
  return {
    path,
    kind: 'schema',
    area: null,
    restricted: false,
    mediaType,
    rows: null,
    immutable: false,
    content,
  };
}
