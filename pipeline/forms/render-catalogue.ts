import { join } from 'node:path';
import { accompanyingFile } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { pageNames } from '../words/page-names.ts';
import { catalogueFiles } from './catalogue/catalogue-files.ts';
import {
  FEED_TABLES,
  MOST_CHANGES,
  RECENT_ROWS,
  type RecentRows,
  type Standing,
} from './catalogue/changes.ts';
import { formatSitemaps, type Sitemapped } from './catalogue/crawlers.ts';
import { type CatalogueFacts, DATABASE } from './catalogue/facts.ts';
import type { Row } from './columns.ts';
import { countRows, historyRows } from './history-rows.ts';
import { readColumns } from './sqlite/public-database.ts';
import type { Table } from './tables.ts';

/** A decision is long, and its feed entry is one row. */
const RECENT_DECISIONS = MOST_CHANGES;

/** Writes the catalogues of the staged data files, the database among them. The site comes after them. */
export async function renderCatalogue(
  staging: Staging,
  facts: Omit<CatalogueFacts, 'files'>,
  standing: Standing,
): Promise<void> {
  const rows: RecentRows = new Map(
    await Promise.all(
      FEED_TABLES.map(async (table) => [table.name, await recentRows(staging, table)] as const),
    ),
  );
  const database = join(staging.dir, 'public', DATABASE.path);
  const [decisionIds, deliberationIds] = readColumns(database, [
    ['decisions', 'id'],
    ['deliberation_archive', 'id'],
  ]);
  const recent = { rows, decisionIds, deliberationIds, standing };
  for (const file of catalogueFiles({ ...facts, files: staging.files() }, recent)) await staging.write(file);
}

/** Writes the sitemap of the staged pages, if there are any, or several and their list. */
export async function renderSitemap(
  staging: Staging,
  facts: Omit<Sitemapped, 'files' | 'records'>,
): Promise<void> {
  const files = staging.files();
  if (!files.some(({ kind }) => kind === 'page')) return;
  const [decisions, dates, deliberations, closed] = readColumns(join(staging.dir, 'public', DATABASE.path), [
    ['decisions', 'id'],
    ['decisions', 'date'],
    ['deliberation_archive', 'id'],
    ['deliberation_archive', 'closed'],
  ]);
  const records = {
    decisions: recordTimes(decisions, dates),
    deliberations: recordTimes(deliberations, closed),
  };
  for (const { path, content } of formatSitemaps({ ...facts, files, records }))
    await staging.write(accompanyingFile(path, content));
}

/** When each record’s page got its newest row, by the name of the page. */
function recordTimes(ids: readonly string[], times: readonly string[]): Map<string, string> {
  const names = pageNames(ids);
  return new Map(ids.map((id, index) => [names.get(id)!, times[index]!]));
}

async function recentRows(staging: Staging, table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  const most = table.name === 'decisions' ? RECENT_DECISIONS : RECENT_ROWS;
  const from = Math.max(0, countRows(staging, table) - most);
  for await (const batch of historyRows(staging, table, from)) rows.push(...batch);
  return rows;
}
