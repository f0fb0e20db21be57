import { ARTIFACTS } from '../../artifacts/table.ts';
import { accompanyingFile, type NewFile } from '../../release/format/manifest.ts';
import type { Change, Recent } from './changes.ts';
import { citeFile, formatCslJson, formatRis } from './citation.ts';
import { CFF_PATH, formatCff } from './citation-cff.ts';
import { formatRobotsTxt } from './crawlers.ts';
import { formatCroissant } from './croissant.ts';
import { formatDataPackage } from './data-package.ts';
import { formatDcat } from './dcat.ts';
import { type CatalogueFacts, versionsOf } from './facts.ts';
import { type Feed, type FeedOptions, feedsOf, formatAtom, formatJsonFeed } from './feeds.ts';
import { formatLlmsTxt } from './llms-txt.ts';

/** Every file that describes the data files, except the sitemap, which needs the pages. */
export function catalogueFiles(facts: CatalogueFacts, recent: Recent): NewFile[] {
  const { baseUrl } = facts;
  const cited = { ...facts, versions: versionsOf(facts) };
  const papers = facts.papers.map((paper) => ({ ...paper, asOf: null }));
  const citations = [...papers, ...ARTIFACTS.map((artifact) => citeFile(cited, artifact))];
  return [
    accompanyingFile('datapackage.json', formatDataPackage(facts)),
    accompanyingFile('catalog.jsonld', formatDcat(facts)),
    accompanyingFile('croissant.json', formatCroissant(facts)),
    accompanyingFile(CFF_PATH, formatCff(facts)),
    accompanyingFile('citations.ris', formatRis(citations)),
    accompanyingFile('citations.csl.json', formatCslJson(citations)),
    ...feedsOf(recent).flatMap(([feed, entries]) => feedFiles(feed, entries, facts)),
    accompanyingFile('llms.txt', formatLlmsTxt(facts)),
    accompanyingFile('robots.txt', formatRobotsTxt(baseUrl)),
  ];
}

/** A feed in both of its formats. */
function feedFiles(feed: Feed, entries: readonly Change[], options: FeedOptions): NewFile[] {
  return [
    accompanyingFile(`${feed.path}.atom`, formatAtom(feed, entries, options)),
    accompanyingFile(`${feed.path}.json`, formatJsonFeed(feed, entries, options)),
  ];
}
