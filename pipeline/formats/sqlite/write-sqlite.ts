import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Staging } from '../../release/staging/staging.ts';
import { damageError } from '../../release/staging/staging-folder.ts';
import { DATABASE } from '../catalogue/facts.ts';
import type { Row } from '../columns.ts';
import { historyRows } from '../history-rows.ts';
import { TABLES } from '../tables.ts';
import { assertHash, hashFile, type PreviousFile, readRange, writeChunks } from '../write-chunks.ts';
import { DayCursor, hasDayBefore, PublicDatabase } from './public-database.ts';

/** A database of the closed days only, which the next run extends. */
const BASE = 'extras/closed-days.sqlite';
const PUBLISHED = `public/${DATABASE.path}`;

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
 * One SQLite file with every public table. Rebuilding it in every run would take as long as the history is, so each run copies
 * the database of closed days that the previous one kept, and adds the days that have closed, the current day and the small
 * tables. Only where days have closed does it keep a new copy for the next run.
 */
export async function writeSqlite(staging: Staging, options: SqliteOptions): Promise<void> {
  const { today, small, about } = options;
  staging.claim(DATABASE.path);
  const previous = options.extendsHistory ? previousBase(staging) : null;
  await copyTo(staging, PUBLISHED, previous);
  const whole = join(staging.dir, PUBLISHED);
  let database = new PublicDatabase(whole);
  const cursors = GROWING.map(
    (table) => new DayCursor(table, historyRows(staging, table, database.count(table))),
  );
  if (previous && !(await hasDayBefore(cursors, today))) await keepBase(staging, previous);
  else {
    await database.insertDays(cursors, today);
    await database.close();
    const { size } = await stat(whole);
    staging.keep(BASE, await writeChunks(staging.folder, BASE, readRange(whole, 0, size)));
    database = new PublicDatabase(whole);
  }
  await database.insertDays(cursors, null);
  for (const table of TABLES) database.insert(table, small.get(table.name) ?? []);
  database.describe(about);
  await database.close();
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

/** Copies a file of the previous release, or makes an empty one. Throws release_invalid for a file that has changed. */
async function copyTo(staging: Staging, file: string, previous: PreviousFile | null): Promise<void> {
  const { sha256 } = await writeChunks(staging.folder, file, previous ? readRange(previous.path, 0) : []);
  if (previous) assertHash(previous, sha256);
}

/** Keeps the previous release's database, which has all the closed days. */
async function keepBase(staging: Staging, { bytes, sha256 }: PreviousFile): Promise<void> {
  const base = { file: BASE, bytes, sha256 };
  const { dir } = staging.previous!;
  if (!(await staging.folder.link(dir, [base]))) throw await damageError(dir, [base]);
  staging.keep(BASE, { bytes, sha256 });
}

function previousBase({ previous }: Staging): PreviousFile | null {
  const kept = previous?.manifest.unlisted.find(({ file }) => file === BASE);
  return previous && kept ? { ...kept, path: join(previous.dir, BASE) } : null;
}
