import { join } from 'node:path';
import type { Staging } from '../release/staging/staging.ts';
import { catalogueFile, catalogueFiles } from './catalogue/catalogue-files.ts';
import { FEED_TABLES, MOST_CHANGES, type Recent, type RecentRows } from './catalogue/changes.ts';
import { formatSitemaps, type Sitemapped } from './catalogue/crawlers.ts';
import { type CatalogueFacts, DATABASE } from './catalogue/facts.ts';
import type { Row } from './columns.ts';
import { countRows, historyRows } from './history-rows.ts';
import { readColumn } from './sqlite/public-database.ts';
import type { Table } from './tables.ts';

/** Rows read of a table: more than the feeds show of any. A decision is long, and its feed entry is one row. */
const RECENT_ROWS = 400;
const RECENT_DECISIONS = MOST_CHANGES;

/** Writes the catalogues of the staged data files, the database among them. The site comes after them. */
export async function renderCatalogue(
  staging: Staging,
  facts: Omit<CatalogueFacts, 'files'>,
  checkpoints: Recent['checkpoints'],
): Promise<void> {
  const rows: RecentRows = new Map(
    await Promise.all(
      FEED_TABLES.map(async (table) => [table.name, await recentRows(staging, table)] as const),
    ),
  );
  const database = join(staging.dir, 'public', DATABASE.path);
  const recent = { rows, checkpoints, decisionIds: readColumn(database, 'decisions', 'id') };
  for (const file of catalogueFiles({ ...facts, files: staging.files() }, recent)) await staging.write(file);
}

/** Writes the sitemap of the staged pages, if there are any, or several and their list. */
export async function renderSitemap(staging: Staging, facts: Omit<Sitemapped, 'files'>): Promise<void> {
  const files = staging.files();
  if (!files.some(({ kind }) => kind === 'page')) return;
  for (const { path, content } of formatSitemaps({ ...facts, files }))
    await staging.write(catalogueFile(path, 'application/xml', content));
}

async function recentRows(staging: Staging, table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  const most = table.name === 'decisions' ? RECENT_DECISIONS : RECENT_ROWS;
  const from = Math.max(0, countRows(staging, table) - most);
  for await (const batch of historyRows(staging, table, from)) rows.push(...batch);
  return rows;
}
