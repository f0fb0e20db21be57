import { join } from 'node:path';
import { citeAll, citePapers } from '../artifacts/academics/citations.ts';
import type { View } from '../artifacts/artifact.ts';
import { ARTIFACTS } from '../artifacts/table.ts';
import { standings } from '../model/queries/compliance.ts';
import { activeAlerts } from '../model/queries/health.ts';
import { accompanyingFile, type Facts, type NewFile } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { deliberationNames, pageNames } from '../words/page-names.ts';
import { type Catalogue, DATABASE, describeCatalogue } from './catalogue/catalogue.ts';
import { type Change, MOST_CHANGES, type Recent, type Standing } from './catalogue/changes.ts';
import { formatCslJson, formatRis } from './catalogue/citation.ts';
import { CFF_PATH, formatCff } from './catalogue/citation-cff.ts';
import { formatRobotsTxt, formatSitemaps, type Sitemapped } from './catalogue/crawlers.ts';
import { croissant } from './catalogue/croissant.ts';
import { dataPackage } from './catalogue/data-package.ts';
import { dcat } from './catalogue/dcat.ts';
import { type Feed, feedsOf, formatAtom, jsonFeedOf } from './catalogue/feeds.ts';
import { formatLlmsTxt } from './catalogue/llms-txt.ts';
import { readColumns } from './sqlite.ts';
import { writeTables } from './write-tables.ts';

/** Writes the tables in other formats, and the catalogues of all that is staged: after the data files, before the site. */
export async function renderExtras(
  staging: Staging,
  facts: Facts,
  { state, documents, baseUrl }: View,
  printed: readonly string[],
): Promise<void> {
  const { organisation } = documents;
  const { timestamp: asOf, ledger, software } = facts;
  const recentRows = await writeTables(staging, { facts, baseUrl, organisation });
  // A decision is long, and its feed entry is one row.
  const decisions = (recentRows.get('decisions') ?? []).slice(-MOST_CHANGES);
  const [decisionIds, ids, opened] = readColumns(databaseOf(staging), [
    ['decisions', 'id'],
    ['deliberation_archive', 'id'],
    ['deliberation_archive', 'opened'],
  ]);
  const standing = {
    asOf,
    alerts: activeAlerts(state),
    deliberations: state.deliberations,
    audits: standings(state),
    sentinels: Object.keys(state.sentinels),
  };
  const rows = new Map([...recentRows, ['decisions', decisions]]);
  const recent = { rows, decisionIds, archived: zip(ids, opened), standing };
  const papers = citePapers({ documents, baseUrl });
  const described = { baseUrl, organisation, software, since: state.since, asOf, ledger, papers, printed };
  const catalogue = describeCatalogue({ ...described, files: staging.files() });
  for (const file of catalogueFiles(catalogue, recent)) await staging.write(file);
}

/** Every file that describes the data files, except the sitemap, which needs the pages. */
function catalogueFiles(catalogue: Catalogue, recent: Recent): NewFile[] {
  const citations = citeAll(catalogue, catalogue.papers, ARTIFACTS);
  return [
    jsonFile('datapackage.json', dataPackage(catalogue)),
    jsonFile('catalog.jsonld', dcat(catalogue)),
    jsonFile('croissant.json', croissant(catalogue)),
    accompanyingFile(CFF_PATH, formatCff(catalogue)),
    accompanyingFile('citations.ris', formatRis(citations)),
    accompanyingFile('citations.csl.json', formatCslJson(citations)),
    ...feedsOf(recent).flatMap(([feed, changes]) => feedFiles(catalogue, feed, changes)),
    accompanyingFile('llms.txt', formatLlmsTxt(catalogue)),
    accompanyingFile('robots.txt', formatRobotsTxt(catalogue.baseUrl)),
  ];
}

/** A feed in both of its formats. */
function feedFiles(catalogue: Catalogue, feed: Feed, changes: readonly Change[]): NewFile[] {
  return [
    accompanyingFile(`${feed.path}.atom`, formatAtom(feed, changes, catalogue)),
    jsonFile(`${feed.path}.json`, jsonFeedOf(feed, changes, catalogue)),
  ];
}

function jsonFile(path: string, document: unknown): NewFile {
  return accompanyingFile(path, `${JSON.stringify(document, null, 2)}\n`);
}

/** Writes the sitemap of the staged pages, if there are any, or several and their list. */
export async function renderSitemap(
  staging: Staging,
  facts: Omit<Sitemapped, 'files' | 'records'>,
  { deliberations: current }: Pick<Standing, 'deliberations'>,
): Promise<void> {
  const files = staging.files();
  if (!files.some(({ kind }) => kind === 'page')) return;
  const [decisions, dates, deliberations, opened, closed] = readColumns(databaseOf(staging), [
    ['decisions', 'id'],
    ['decisions', 'date'],
    ['deliberation_archive', 'id'],
    ['deliberation_archive', 'opened'],
    ['deliberation_archive', 'closed'],
  ]);
  const names = deliberationNames(zip(deliberations, opened), current.map(({ id }) => id).toReversed());
  const records = {
    decisions: recordTimes(pageNames(decisions), decisions, dates),
    deliberations: recordTimes(names, deliberations, closed),
  };
  for (const { path, content } of formatSitemaps({ ...facts, files, records }))
    await staging.write(accompanyingFile(path, content));
}

/** When each record’s page got its newest row, by the name of the page. */
function recordTimes(
  names: ReadonlyMap<string, string>,
  ids: readonly string[],
  times: readonly string[],
): Map<string, string> {
  return new Map(ids.map((id, index) => [names.get(id)!, times[index]!]));
}

function zip(ids: readonly string[], opened: readonly string[]): { id: string; opened: string }[] {
  return ids.map((id, index) => ({ id, opened: opened[index]! }));
}

function databaseOf({ dir }: Staging): string {
  return join(dir, 'public', DATABASE.path);
}
