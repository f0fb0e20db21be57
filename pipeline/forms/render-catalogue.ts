import type { Staging } from '../release/staging/staging.ts';
import { catalogueFile, catalogueFiles } from './catalogue/catalogue-files.ts';
import { FEED_TABLES, type RecentRows } from './catalogue/changes/changes-of.ts';
import type { CatalogueFacts } from './catalogue/facts.ts';
import { formatSitemap } from './catalogue/sitemap.ts';
import { countRows, historyRows } from './history-rows.ts';
import type { Row } from './row.ts';
import type { Table } from './tables.ts';

/** Read whole: an entry leads to its page, whose name depends on the ids of those before it. */
const NAMED = 'decisions';
/** Of another table, for the feeds: more than they tell of. */
const RECENT_ROWS = 400;

/** The catalogues of what is staged: after the data files, before the site. */
export async function renderCatalogue(staging: Staging, facts: Omit<CatalogueFacts, 'files'>): Promise<void> {
  const recent: RecentRows = new Map(
    await Promise.all(
      FEED_TABLES.map(async (table) => [table.name, await recentRows(staging, table)] as const),
    ),
  );
  for (const file of catalogueFiles({ ...facts, files: staging.files() }, recent)) await staging.write(file);
}

/** The sitemap, after the site; without pages there is none. */
export async function renderSitemap(staging: Staging, baseUrl: string, asOf: string): Promise<void> {
  const files = staging.files();
  if (!files.some(({ kind }) => kind === 'page')) return;
  await staging.write(catalogueFile('sitemap.xml', 'application/xml', formatSitemap(baseUrl, asOf, files)));
}

async function recentRows(staging: Staging, table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  const from = table.name === NAMED ? 0 : Math.max(0, countRows(staging, table) - RECENT_ROWS);
  for await (const batch of historyRows(staging, table, from)) rows.push(...batch);
  return rows;
}
