import { CathedralError } from '../errors.ts';
import { mergeNotes } from '../ledger/notes/merge-notes.ts';
import { noteText } from '../ledger/notes/note.ts';
import type { Database } from '../postgres/database.ts';
import { assertHeld, type Lease } from '../postgres/lease.ts';
import type { Status } from '../release/format/status.ts';
import { type Pointed, type Pointer, parsePointer } from './pointer.ts';

/** How long replicas have to fetch a release before all switch to it, in ms. They look for a new pointer every two seconds. */
const SWITCH_DELAY_MS = 10_000;

/** Notified when the pointer has changed, so that servers need not wait until they look again. */
export const RELEASE_CHANNEL = 'current_release';

interface Row {
  pointed: string;
  switch_at: Date;
  status: string | null;
}

/** The row that decides which release of a service is current, as the pointer copies it; null before the first. Throws store_failed. */
export async function readCurrentRelease(
  database: Pick<Database, 'name' | 'query'>,
  service: string,
): Promise<Pointer | null> {
  const { rows } = await database.query<Row>(
    'SELECT pointed, switch_at, status FROM cathedral.current_release WHERE service = $1',
    [service],
  );
  return rows[0] ? pointerOf(rows[0], database) : null;
}

/**
 * The same for whoever shows it to others. A row whose commit the standby never confirmed can be read, and is gone once the standby takes over;
 * this commit is confirmed only together with all before it. Throws store_failed without the standby.
 */
export async function confirmCurrentRelease(database: Database, service: string): Promise<Pointer | null> {
  const { rows } = await database.query<Row>(
    'UPDATE cathedral.current_release SET version = version WHERE service = $1 RETURNING pointed, switch_at, status',
    [service],
  );
  return rows[0] ? pointerOf(rows[0], database) : null;
}

/** The release and the few before it, which readers may still be fetching, newest first. */
export async function readRecentReleases(database: Database, service: string): Promise<Pointed[]> {
  const { rows } = await database.query<Row & { earlier: string[] }>(
    'SELECT pointed, switch_at, status, earlier FROM cathedral.current_release WHERE service = $1',
    [service],
  );
  return rows.flatMap((row) =>
    [row.pointed, ...row.earlier].map((pointed) => pointerOf({ ...row, pointed }, database)),
  );
}

/**
 * Makes a release the current one, in one transaction with the question whether the lease is still held: a successor that is taking it
 * waits, and finds the row. Making the current release current again changes nothing. Throws locked without the lease, release_refused where
 * the row has a later release or another one of the same version, and store_failed.
 */
export async function setCurrentRelease(
  database: Database,
  lease: Lease,
  pointed: Omit<Pointed, 'epoch'>,
  switchDelayMs: number = SWITCH_DELAY_MS,
): Promise<Pointer> {
  const { service, version, release, manifest } = pointed;
  return database.transaction(async (query) => {
    await assertHeld(query, database, lease);
    const found = await query<Row>(LOCKED, [service]);
    const before = found.rows[0] ? pointerOf(found.rows[0], database).log.checkpoint : null;
    // Witnesses may have cosigned it since this run took its copy.
    const log = { ...pointed.log, checkpoint: withSignaturesOf(before, pointed.log.checkpoint, database) };
    const text = JSON.stringify({ ...pointed, log, epoch: lease.epoch });
    const { rows } = await query<Row>(SET, [service, version, text, switchDelayMs]);
    if (rows[0]) return pointerOf(rows[0], database);
    const standing = (await readCurrentRelease({ name: database.name, query }, service))!;
    if (standing.manifest.sha256 === manifest.sha256) return standing;
    throw new CathedralError('release_refused', {
      place: `${database.name} cathedral.current_release`,
      expected: `a version after ${standing.version} (${standing.release}), which is current`,
      found: `${version} (${release})`,
    });
  });
}

/**
 * Adds the signatures of a note to the checkpoint of the current release, if it is the same one; whether it had fewer. Needs no lease, because it
 * changes nothing that a publisher decides. Throws store_failed.
 */
export async function addCosignatures(database: Database, service: string, note: string): Promise<boolean> {
  return database.transaction(async (query) => {
    const { rows } = await query<Row>(LOCKED, [service]);
    if (!rows[0]) return false;
    const { checkpoint } = pointerOf(rows[0], database).log;
    const [given, held] = [note, checkpoint].map((one) => noteText(one, placeIn(database)));
    if (given !== held) return false;
    // The publisher verified its own, so they come first.
    const merged = mergeNotes(note, checkpoint, placeIn(database));
    if (linesOf(merged).join() === linesOf(checkpoint).join()) return false;
    const release = JSON.parse(rows[0].pointed);
    const text = JSON.stringify({ ...release, log: { ...release.log, checkpoint: merged } });
    await query('UPDATE cathedral.current_release SET pointed = $2 WHERE service = $1', [service, text]);
    return true;
  });
}

/** `note` with the signatures of another note as well, where that has the same text. */
function withSignaturesOf(other: string | null, note: string, database: Pick<Database, 'name'>): string {
  const place = placeIn(database);
  if (other === null || noteText(other, place) !== noteText(note, place)) return note;
  return mergeNotes(note, other, place);
}

const linesOf = (note: string) => note.split('\n').sort();

function placeIn({ name }: Pick<Database, 'name'>): string {
  return `${name} cathedral.current_release`;
}

const LOCKED =
  'SELECT pointed, switch_at, status FROM cathedral.current_release WHERE service = $1 FOR UPDATE';

const SET = `
  INSERT INTO cathedral.current_release AS current (service, version, pointed, switch_at)
  VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
  ON CONFLICT (service) DO UPDATE SET version = excluded.version, pointed = excluded.pointed, switch_at = excluded.switch_at,
    earlier = (ARRAY[current.pointed] || current.earlier)[1:4]
  WHERE current.version < excluded.version
  RETURNING pointed, switch_at, status`;

/** Notes that the bucket is being cleaned; false if it was less than a day ago. Throws locked and store_failed. */
export function markCleaned(database: Database, lease: Lease, service: string): Promise<boolean> {
  return database.transaction(async (query) => {
    await assertHeld(query, database, lease);
    const { count } = await query(
      `UPDATE cathedral.current_release SET cleaned_at = clock_timestamp()
       WHERE service = $1 AND coalesce(cleaned_at < clock_timestamp() - interval '1 day', true)`,
      [service],
    );
    return count > 0;
  });
}

/**
 * Sets what `/status.json` of every replica says of the last run, unless the row has a later one. Does nothing before the first release.
 * Throws store_failed.
 */
export async function setStatus(database: Database, service: string, status: Status): Promise<void> {
  await database.query(
    `UPDATE cathedral.current_release SET status = $2
     WHERE service = $1 AND coalesce((status::json #>> '{last_run,finished_at}')::timestamptz <= $3::timestamptz, true)`,
    [service, JSON.stringify(status), status.last_run.finished_at],
  );
}

function pointerOf({ pointed, switch_at, status }: Row, { name }: Pick<Database, 'name'>): Pointer {
  const pointer = {
    format: 'cathedral-pointer/1',
    ...JSON.parse(pointed),
    switch_at: switch_at.toISOString(),
    status: status === null ? null : JSON.parse(status),
  };
  return parsePointer(JSON.stringify(pointer), `${name} cathedral.current_release`);
}
