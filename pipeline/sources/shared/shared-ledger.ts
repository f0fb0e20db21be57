import { CathedralError, errorOf } from '../../errors.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import type { SnapshotFile } from '../../ledger/reading/directory.ts';
import { readSnapshot, type SnapshotEnd } from '../../ledger/reading/read-snapshot.ts';
import type { Database } from '../../postgres/database.ts';
import type { Query } from '../../sql/store.ts';

export const contradiction = errorOf('log_forked');

/** A file of a ledger snapshot, as the object store has it. */
export interface SharedFile {
  /** Hex. */
  sha256: string;
  bytes: number;
}

/** A ledger snapshot in the object store. */
export interface SharedSnapshot {
  id: string;
  /** Its end. */
  position: LedgerPosition;
  root: string;
  events: SharedFile;
  checkpoint: SharedFile;
}

export interface SharedFacts {
  /** The log origin of the ledger. */
  origin: string;
  /** Number of events, the sealed ones included. */
  size: number;
  /** Null before the first snapshot. */
  newest: SharedSnapshot | null;
}

/** A line of the head, without its line end. */
export interface SharedLine {
  seq: number;
  line: Buffer;
}

/** A folder with a shared ledger, or with one that is to be shared. */
export interface LedgerCopy {
  folder: string;
  /** One of these keys must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  shared: SharedLedger;
}

/** The channel on which replicas are woken. */
const LEDGER_CHANNEL = 'cathedral_ledger';

/** Lines in one statement, and their bytes. */
const PAGE_LINES = 2000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Someone else wrote meanwhile. Read again, and decide again. */
export class StaleLedger extends Error {}

/** What the database says about the ledger of many machines. Every method throws what the database throws. */
export class SharedLedger {
  /** The database's address, for messages. */
  readonly name: string;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.name = database.name;
  }

  /** Null as long as nobody has shared a ledger. */
  async facts(): Promise<SharedFacts | null> {
    return factsOf(this.#database.query);
  }

  /** The snapshots after `after`, oldest first. */
  async snapshots(after: string | null): Promise<SharedSnapshot[]> {
    const { rows } = await this.#database.query<SnapshotRow>(
      'SELECT * FROM cathedral.ledger_snapshots WHERE id COLLATE "C" > $1 ORDER BY id COLLATE "C"',
      [after ?? ''],
    );
    return rows.map(snapshotOf);
  }

  async snapshot(id: string): Promise<SharedSnapshot | null> {
    const { rows } = await this.#database.query<SnapshotRow>(
      'SELECT * FROM cathedral.ledger_snapshots WHERE id = $1',
      [id],
    );
    return rows[0] ? snapshotOf(rows[0]) : null;
  }

  /**
   * The lines from seq `from` on, in batches, as they are at one moment: all of what was shared at once, or nothing of it. They begin at a
   * later seq if the earlier ones are only in snapshots.
   */
  async lines(from: number, take: (lines: SharedLine[]) => Promise<void>): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      for (let next = from; ; ) {
        const { rows } = await query<SharedLine>(
          'SELECT seq, line FROM cathedral.ledger_events WHERE seq >= $1 ORDER BY seq LIMIT $2',
          [next, PAGE_LINES],
        );
        if (rows.length === 0) return;
        await take(rows);
        next = rows.at(-1)!.seq + 1;
      }
    });
  }

  /** The leaf hashes of the lines in [from, to) that the database has, by seq. */
  async hashes(from: number, to: number): Promise<Map<number, string>> {
    if (from >= to) return new Map();
    const { rows } = await this.#database.query<{ seq: number; hash: string }>(
      `SELECT seq, encode(sha256('\\x00'::bytea || line), 'hex') AS hash FROM cathedral.ledger_events WHERE seq >= $1 AND seq < $2`,
      [from, to],
    );
    return new Map(rows.map(({ seq, hash }) => [seq, hash]));
  }

  /** Makes this the database of a ledger, unless it has one already. */
  async begin(origin: string): Promise<void> {
    await this.#database.query(
      'INSERT INTO cathedral.ledger (origin) VALUES ($1) ON CONFLICT (one) DO NOTHING',
      [origin],
    );
  }

  /** The fingerprint of the key with which imports are signed and salted: `own` if there was none. */
  async importKey(own: string): Promise<string> {
    const { rows } = await this.#database.query<{ import_key: string }>(
      'UPDATE cathedral.ledger SET import_key = coalesce(import_key, $1) RETURNING import_key',
      [own],
    );
    return rows[0]?.import_key ?? own;
  }

  /** The same without setting it; null if there is none. */
  async knownImportKey(): Promise<string | null> {
    const { rows } = await this.#database.query<{ import_key: string | null }>(
      'SELECT import_key FROM cathedral.ledger',
    );
    return rows[0]?.import_key ?? null;
  }

  /** Adds lines after the first `size` events: all of them or none, and wakes the replicas. Throws StaleLedger if there are not as many events. */
  async append(
    size: number,
    write: (add: (lines: readonly SharedLine[]) => Promise<void>) => Promise<number>,
  ): Promise<void> {
    await this.#database.transaction(async (query) => {
      await lockAt(query, size);
      const end = await write(async (lines) => {
        for (const page of pagesOf(lines))
          await query(
            'INSERT INTO cathedral.ledger_events (seq, line) SELECT * FROM unnest($1::bigint[], $2::bytea[])',
            [page.map(({ seq }) => seq), page.map(({ line }) => line)],
          );
      });
      await query('UPDATE cathedral.ledger SET size = $1', [end]);
    });
    await this.#wakeReplicas();
  }

  /**
   * Adds the snapshots that follow `previous`, whose files the object store has. `size`: the events that were shared when their events were
   * compared with them. Removes the events that no replica needs any more: a replica without the files of the newest snapshot can still go
   * on with its events, so these stay until the next one. Wakes the replicas. Throws StaleLedger.
   */
  async seal(
    snapshots: readonly SharedSnapshot[],
    previous: SharedSnapshot | null,
    size: number,
  ): Promise<void> {
    await this.#database.transaction(async (query) => {
      await lockAt(query, size);
      const newest = (await factsOf(query))!.newest;
      if ((newest?.id ?? null) !== (previous?.id ?? null)) throw new StaleLedger();
      for (const { id, position, root, events, checkpoint } of snapshots)
        await query('INSERT INTO cathedral.ledger_snapshots VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
          id,
          position.size,
          root,
          position.range,
          position.timestamp,
          events.sha256,
          events.bytes,
          checkpoint.sha256,
          checkpoint.bytes,
        ]);
      const [before, last] = [previous, ...snapshots].slice(-2).map((one) => one?.position.size ?? 0) as [
        number,
        number,
      ];
      // Events that were sealed before they were shared are only in the snapshot, so the rows before them lead nowhere.
      const from = size < last ? last : before;
      await query('DELETE FROM cathedral.ledger_events WHERE seq < $1', [from]);
      if (size < last) await query('UPDATE cathedral.ledger SET size = $1', [last]);
    });
    await this.#wakeReplicas();
  }

  /** In a statement of its own: a NOTIFY makes commits wait for each other. */
  async #wakeReplicas(): Promise<void> {
    await this.#database.query(`NOTIFY ${LEDGER_CHANNEL}`);
  }

  /** Calls `wake` when something was shared; may miss some, so the caller also polls. Returns how to stop. */
  listen(wake: () => void): () => void {
    return this.#database.listen(LEDGER_CHANNEL, wake);
  }
}

/** Of snapshots that are shared or taken in one step. */
const BATCH = 64;

/** Many small snapshots take their time in round trips and flushes, so a year of them goes in batches. */
export function batchesOf<T>(snapshots: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(snapshots.length / BATCH) }, (_, at) =>
    snapshots.slice(at * BATCH, (at + 1) * BATCH),
  );
}

/** Of all ledger snapshots in the object store. */
export const SNAPSHOTS_PREFIX = 'ledger/snapshots/';

/** Names the objects by their hash: a writer that was killed may have left another form of the same snapshot. */
export function snapshotKeys({ id, events, checkpoint }: Omit<SharedSnapshot, 'position' | 'root'>) {
  return {
    events: `${SNAPSHOTS_PREFIX}${id}.${events.sha256}.ndjson.zst`,
    checkpoint: `${SNAPSHOTS_PREFIX}${id}.${checkpoint.sha256}.checkpoint`,
  };
}

/** Names a state of the shared ledger. */
export function nameOf({ size, newest }: SharedFacts): string {
  return `${size} ${newest?.id}`;
}

/** Whether a folder and the shared ledger contradict each other. */
export function isContradiction(error: unknown): boolean {
  return error instanceof CathedralError && error.code === 'log_forked';
}

export function notShared(place: string, seq: number, own: string, shared: string): CathedralError {
  return contradiction(`${place}, event ${seq}`, `the event that was shared, with the hash ${shared}`, own);
}

/** Reads a snapshot. Throws `differs` where the hash of an event that is known is another one, once all is verified: nothing else can contradict. */
export async function readCompared(
  file: SnapshotFile,
  before: LedgerPosition,
  verifiers: readonly Verifier[],
  known: ReadonlyMap<number, string>,
  differs: (seq: number, hash: string, known: string) => CathedralError,
): Promise<SnapshotEnd> {
  const leaves = readSnapshot(file, before, verifiers);
  let fault: CathedralError | null = null;
  let step = await leaves.next();
  for (; !step.done; step = await leaves.next())
    for (const { event, hash } of step.value) {
      const other = known.get(event.seq) ?? hash;
      if (other !== hash) fault ??= differs(event.seq, hash, other);
    }
  if (fault) throw fault;
  return step.value;
}

/** Throws config_invalid if these keys are not those of the shared ledger. */
export function assertOrigin(place: string, origin: string, verifiers: readonly Verifier[]): void {
  if (verifiers.some(({ name }) => name === origin)) return;
  const own = [...new Set(verifiers.map(({ name }) => name))].join(', ');
  throw new CathedralError('config_invalid', {
    place: '--ledger-key',
    expected: `a verifier key of ${origin}, the ledger that ${place} has (or a database of its own for each ledger)`,
    found: `keys of ${own}`,
  });
}

interface SnapshotRow {
  id: string;
  size: number;
  root: string;
  range: string[];
  timestamp: string | null;
  events_sha256: string;
  events_bytes: number;
  checkpoint_sha256: string;
  checkpoint_bytes: number;
}

function snapshotOf(row: SnapshotRow): SharedSnapshot {
  const { id, root, range, timestamp } = row;
  return {
    id,
    root,
    position: { snapshot: id, size: row.size, range, timestamp },
    events: { sha256: row.events_sha256, bytes: row.events_bytes },
    checkpoint: { sha256: row.checkpoint_sha256, bytes: row.checkpoint_bytes },
  };
}

async function factsOf(query: Query): Promise<SharedFacts | null> {
  const { rows } = await query<SnapshotRow & { origin: string; shared: number }>(
    `SELECT ledger.origin, ledger.size AS shared, newest.* FROM cathedral.ledger
     LEFT JOIN (SELECT * FROM cathedral.ledger_snapshots ORDER BY id COLLATE "C" DESC LIMIT 1) newest ON true`,
  );
  const [row] = rows;
  if (!row) return null;
  const newest = row.id === null ? null : snapshotOf(row);
  return { origin: row.origin, size: row.shared, newest };
}

/** Takes the turn to write. */
async function lockAt(query: Query, size: number): Promise<void> {
  const { rows } = await query<{ size: number }>('SELECT size FROM cathedral.ledger FOR UPDATE');
  if (rows[0]?.size !== size) throw new StaleLedger();
}

function* pagesOf(lines: readonly SharedLine[]): Generator<SharedLine[]> {
  let page: SharedLine[] = [];
  let bytes = 0;
  for (const one of lines) {
    page.push(one);
    bytes += one.line.length;
    if (page.length < PAGE_LINES && bytes < PAGE_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}
