import { join } from 'node:path';
import { accompanyingFile } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { deliberationNames, pageNames } from '../words/page-names.ts';
import { catalogueFiles } from './catalogue/catalogue-files.ts';
import { MOST_CHANGES, type RecentRows, type Standing } from './catalogue/changes.ts';
import { formatSitemaps, type Sitemapped } from './catalogue/crawlers.ts';
import { type CatalogueFacts, DATABASE } from './catalogue/facts.ts';
import { readColumns } from './sqlite.ts';

/** A decision is long, and its feed entry is one row. */
const RECENT_DECISIONS = MOST_CHANGES;

/** Writes the catalogues of the staged data files, the database among them. The site comes after them. */
export async function renderCatalogue(
  staging: Staging,
  facts: Omit<CatalogueFacts, 'files'>,
  { rows: recentRows, standing }: { rows: RecentRows; standing: Standing },
): Promise<void> {
  const decisions = recentRows.get('decisions') ?? [];
  const rows = new Map([...recentRows, ['decisions', decisions.slice(-RECENT_DECISIONS)]]);
  const database = join(staging.dir, 'public', DATABASE.path);
  const [decisionIds, ids, opened] = readColumns(database, [
    ['decisions', 'id'],
    ['deliberation_archive', 'id'],
    ['deliberation_archive', 'opened'],
  ]);
  const recent = { rows, decisionIds, archived: zip(ids, opened), standing };
  for (const file of catalogueFiles({ ...facts, files: staging.files() }, recent)) await staging.write(file);
}

/** Writes the sitemap of the staged pages, if there are any, or several and their list. */
export async function renderSitemap(
  staging: Staging,
  facts: Omit<Sitemapped, 'files' | 'records'>,
  { deliberations: current }: Pick<Standing, 'deliberations'>,
): Promise<void> {
  const files = staging.files();
  if (!files.some(({ kind }) => kind === 'page')) return;
  const [decisions, dates, deliberations, opened, closed] = readColumns(
    join(staging.dir, 'public', DATABASE.path),
    [
      ['decisions', 'id'],
      ['decisions', 'date'],
      ['deliberation_archive', 'id'],
      ['deliberation_archive', 'opened'],
      ['deliberation_archive', 'closed'],
    ],
  );
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
