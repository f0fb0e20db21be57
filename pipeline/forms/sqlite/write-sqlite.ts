import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Staging } from '../../release/staging/staging.ts';
import { DATABASE } from '../catalogue/facts.ts';
import type { Row } from '../columns.ts';
import { historyRows } from '../history-rows.ts';
import { TABLES } from '../tables.ts';
import { assertUnchanged, hashFile, type PreviousFile, readRange, writeChunks } from '../write-chunks.ts';
import { DayCursor, PublicDatabase } from './public-database.ts';

/** A database of the closed days only, which the next run extends. */
const BASE = 'extras/closed-days.sqlite';

const GROWING = TABLES.filter(({ grows }) => grows);

export interface SqliteOptions {
  /** The day of the last event, which is not closed yet. */
  today: string;
  /** Whether this version wrote the previous release's database of closed days. */
  extendsHistory: boolean;
  /** Rows of the tables that do not grow, by name. */
  small: ReadonlyMap<string, readonly Row[]>;
  about: Readonly<Record<string, string>>;
}

/**
 * One SQLite file with every public table. Rebuilding it in every run would take as long as the history is, so each run adds
 * the days that have closed to a database that it keeps, and publishes a copy of it with the current day and the small
 * tables added.
 */
export async function writeSqlite(staging: Staging, options: SqliteOptions): Promise<void> {
  const { today, small, about } = options;
  const { database, path } = await openBase(staging, options);
  const cursors = GROWING.map(
    (table) => new DayCursor(table, historyRows(staging, table, database.count(table))),
  );
  await database.insertDays(cursors, today);
  await database.close();
  staging.keep(BASE, await copyAsPublic(staging, path));

  const whole = join(staging.dir, 'public', DATABASE.path);
  const published = new PublicDatabase(whole);
  await published.insertDays(cursors, null);
  for (const table of TABLES) published.insert(table, small.get(table.name) ?? []);
  published.describe(about);
  await published.close();
  staging.record({
    path: DATABASE.path,
    kind: 'data',
    area: null,
    restricted: false,
    media_type: 'application/vnd.sqlite3',
    bytes: (await stat(whole)).size,
    sha256: await hashFile(whole),
    rows: null,
    encodings: {},
    immutable: false,
  });
}

async function openBase(staging: Staging, { extendsHistory }: SqliteOptions) {
  const previous = extendsHistory ? previousBase(staging) : null;
  if (previous) await assertUnchanged(previous);
  await writeChunks(staging.folder, BASE, previous ? readRange(previous.path, 0, previous.bytes) : []);
  const path = join(staging.dir, BASE);
  return { path, database: new PublicDatabase(path) };
}

function previousBase({ previous }: Staging): PreviousFile | null {
  const kept = previous?.manifest.unlisted.find(({ file }) => file === BASE);
  return previous && kept ? { ...kept, path: join(previous.dir, BASE) } : null;
}

async function copyAsPublic(staging: Staging, path: string) {
  staging.claim(DATABASE.path);
  const { size } = await stat(path);
  return writeChunks(staging.folder, `public/${DATABASE.path}`, readRange(path, 0, size));
}
