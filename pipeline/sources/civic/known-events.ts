import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { z } from 'zod';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import { OLD_INDEX } from '../../ledger/reading/directory.ts';
import type { Link } from './chain.ts';

/** A Unix second before every event, at which a first import and an audit begin. */
export const BEGINNING = Number.MIN_SAFE_INTEGER;

/** Changes with `SCHEMA`. A file of another version is rebuilt from the ledger. */
const VERSION = 2;
const SCHEMA = `
  CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    event_hash BLOB NOT NULL UNIQUE,
    previous_hash BLOB NOT NULL,
    timestamp TEXT NOT NULL,
    second INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX event_previous_hash ON event (previous_hash, seq);
  CREATE INDEX event_second ON event (second);
  CREATE TABLE change (
    seq INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    event_hash BLOB,
    previous_hash BLOB,
    timestamp TEXT,
    second INTEGER,
    PRIMARY KEY (event_id, seq)
  ) STRICT;
  CREATE INDEX change_event_hash ON change (event_hash);
  CREATE VIEW latest AS SELECT * FROM change AS one WHERE seq = (SELECT max(seq) FROM change WHERE event_id = one.event_id);
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL, audited INTEGER NOT NULL) STRICT;
  PRAGMA user_version = ${VERSION};
`;
const LINK = `event_id, lower(hex(event_hash)) AS event_hash, lower(hex(previous_hash)) AS previous_hash, timestamp`;

/** `seq` of a change that is not in the ledger yet. */
const NOT_YET = Number.MAX_SAFE_INTEGER;

/** That the remote ledger has an imported event no longer, or with another content, as an alert in the ledger lists it. */
export const RemoteChange = z.object({
  event_id: z.string(),
  change: z.enum(['modified', 'deleted']),
  /** The hash of its new content, and what it says now about its place. */
  event_hash: z.string().optional(),
  previous_hash: z.string().optional(),
  timestamp: z.string().optional(),
});
export type RemoteChange = z.output<typeof RemoteChange>;

/** Unix second of a remote or ledger timestamp, by which the remote ledger orders events. */
export function secondOf({ timestamp }: { timestamp: string }): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}

const FILE = OLD_INDEX;
/** The names of the index in the ledger's folder. */
const INDEX_FILES = [FILE, `${FILE}-journal`] as const;
/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const DAMAGED = [11, 26];

/** Whether an error means that the index is unreadable. */
export function isIndexDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  // The primary result code. The higher bytes only refine it.
  return errcode !== undefined && DAMAGED.includes(errcode & 0xff);
}

/** Removes a ledger's index. The next import rebuilds it. */
export function removeIndex(ledger: string): void {
  for (const name of INDEX_FILES) rmSync(join(ledger, name), { force: true });
}

/**
 * An index of the imported events beside the local ledger, so that an import can look up any of them without reading the ledger. It is
 * derived: if it is lost, damaged or stale, it is rebuilt. One transaction spans an import and `save` commits it, so an import that
 * fails or is killed leaves the index unchanged.
 */
export class KnownEvents {
  /** End of the indexed part of the ledger. */
  readonly position: LedgerPosition;
  /** Unix second up to which the current audit has compared the two ledgers. */
  readonly audited: number;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync, position: LedgerPosition, audited: number) {
    this.#database = database;
    this.position = position;
    this.audited = audited;
  }

  /** Opens the index in a ledger's folder, empty if `fits` says that the ledger does not have its position. */
  static open(ledger: string, fits: (position: LedgerPosition) => boolean): KnownEvents {
    return KnownEvents.#resume(join(ledger, FILE), fits) ?? KnownEvents.#begin(ledger);
  }

  static #resume(path: string, fits: (position: LedgerPosition) => boolean): KnownEvents | undefined {
    if (!existsSync(path)) return undefined;
    const database = new DatabaseSync(path);
    try {
      database.exec('BEGIN IMMEDIATE');
      const { user_version } = database.prepare('PRAGMA user_version').get()!;
      const state = database.prepare('SELECT position, audited FROM state').get();
      const position = JSON.parse(`${state?.position}`) as LedgerPosition;
      if (user_version === VERSION && fits(position)) {
        return new KnownEvents(database, position, state?.audited as number);
      }
    } catch {
      // Damaged, or not an index. It can be discarded without loss.
    }
    database.close();
    return undefined;
  }

  static #begin(ledger: string): KnownEvents {
    removeIndex(ledger);
    const database = new DatabaseSync(join(ledger, FILE));
    database.exec(SCHEMA);
    database.exec('BEGIN IMMEDIATE');
    return new KnownEvents(database, LEDGER_START, BEGINNING);
  }

  /** `seq` is that of the local ledger. */
  add(seq: number, link: Link): void {
    const { event_id, event_hash, previous_hash, timestamp } = link;
    this.#prepare('INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?)').run(
      seq,
      event_id,
      Buffer.from(event_hash, 'hex'),
      Buffer.from(previous_hash, 'hex'),
      timestamp,
      secondOf(link),
    );
  }

  /** What an import has found, or, with its `seq`, an alert of the ledger. The imported event stays as it is. */
  change({ event_id, event_hash, previous_hash, timestamp }: RemoteChange, seq = NOT_YET): void {
    const bytes = (hex: string | undefined) => (hex === undefined ? null : Buffer.from(hex, 'hex'));
    const second = timestamp === undefined ? null : secondOf({ timestamp });
    this.#prepare('INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?, ?, ?)').run(
      seq,
      event_id,
      bytes(event_hash),
      bytes(previous_hash),
      timestamp ?? null,
      second,
    );
  }

  /** The event that has or had this hash. */
  withHash(hash: string): Link | undefined {
    const bytes = Buffer.from(hash, 'hex');
    return this.#one('event_hash = ?', bytes) ?? this.#one('event_hash = ?', bytes, 'change');
  }

  /** The event as the remote ledger had it last; null if it had been deleted. */
  withId(id: string): Link | null | undefined {
    const last = this.#one('event_id = ?', id, 'latest');
    return last ? (last.timestamp === null ? null : last) : this.#one('event_id = ?', id);
  }

  /** The first event that named this hash as its predecessor. */
  firstAfter(hash: string): Link | undefined {
    return this.#one('previous_hash = ? ORDER BY seq LIMIT 1', Buffer.from(hash, 'hex'));
  }

  /** Unix second of the newest event; null without events. */
  get newest(): number | null {
    return this.#prepare('SELECT max(second) AS newest FROM event').get()!.newest as number | null;
  }

  /** Number of events of this Unix second or later that the remote ledger had last. */
  countFrom(second: number): number {
    const sql = `SELECT (SELECT count(*) FROM event WHERE second >= ?1)
      - (SELECT count(*) FROM latest CROSS JOIN event USING (event_id) WHERE event.second >= ?1)
      + (SELECT count(*) FROM latest WHERE second >= ?1) AS count`;
    return this.#prepare(sql).get(second)!.count as number;
  }

  /** The events from one Unix second up to, but excluding, another, as the remote ledger had them last. */
  between(from: number, until: number): Link[] {
    const sql = `SELECT ${LINK} FROM event WHERE second >= ?1 AND second < ?2 AND event_id NOT IN (SELECT event_id FROM change)
      UNION ALL SELECT ${LINK} FROM latest WHERE second >= ?1 AND second < ?2`;
    return this.#prepare(sql).all(from, until) as unknown as Link[];
  }

  /** Commits what the ledger has sealed, for the next import. */
  save(position: LedgerPosition, audited: number): void {
    for (const table of ['event', 'change'])
      this.#prepare(`DELETE FROM ${table} WHERE seq >= ?`).run(position.size);
    this.#prepare('INSERT OR REPLACE INTO state VALUES (1, ?, ?)').run(JSON.stringify(position), audited);
    this.#database.exec('COMMIT');
  }

  /** Discards all changes since the last `save`. */
  close(): void {
    this.#database.close();
  }

  #one(condition: string, value: string | Uint8Array, table = 'event'): Link | undefined {
    return this.#prepare(`SELECT ${LINK} FROM ${table} WHERE ${condition}`).get(value) as Link | undefined;
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#database.prepare(sql));
  }
}
