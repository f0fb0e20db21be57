import { ARTIFACTS } from '../../artifacts/table.ts';
import type { NewFile } from '../../release/format/manifest.ts';
import { formatAtom } from './changes/atom.ts';
import { changesOf, type RecentRows } from './changes/changes-of.ts';
import { formatJsonFeed } from './changes/json-feed.ts';
import { citeFile } from './citation/cite.ts';
import { formatCslJson } from './citation/csl-json.ts';
import { formatRis } from './citation/ris.ts';
import { formatCroissant } from './croissant.ts';
import { formatDataPackage } from './data-package.ts';
import { formatDcat } from './dcat.ts';
import type { CatalogueFacts } from './facts.ts';
import { formatLlmsTxt } from './llms-txt.ts';
import { formatRobotsTxt } from './robots-txt.ts';

/** Everything that tells of the data files and is not one: path, media type and text. The sitemap is not among them: it needs the pages. */
export function catalogueFiles(facts: CatalogueFacts, recent: RecentRows): NewFile[] {
  const { baseUrl, author, asOf, cycle } = facts;
  const changes = changesOf(recent, facts);
  const cited = { documents: { citations: { author } }, baseUrl, state: { asOf, cycle } };
  const citations = ARTIFACTS.map((artifact) => citeFile(cited, artifact));
  return [
    catalogueFile('datapackage.json', 'application/json', formatDataPackage(facts)),
    catalogueFile('catalog.jsonld', 'application/ld+json', formatDcat(facts)),
    catalogueFile('croissant.json', 'application/json', formatCroissant(facts)),
    catalogueFile('citations.ris', 'application/x-research-info-systems', formatRis(citations)),
    catalogueFile('citations.csl.json', 'application/json', formatCslJson(citations)),
    catalogueFile('feed.atom', 'application/atom+xml', formatAtom(changes, facts)),
    catalogueFile('feed.json', 'application/json', formatJsonFeed(changes, facts)),
    catalogueFile('llms.txt', 'text/plain; charset=utf-8', formatLlmsTxt(facts)),
    catalogueFile('robots.txt', 'text/plain; charset=utf-8', formatRobotsTxt(baseUrl)),
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
