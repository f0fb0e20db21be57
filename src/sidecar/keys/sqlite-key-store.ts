import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assertOwner } from '../../../pipeline/disk/owner.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { checkpointAndCloseWal, migrate } from '../storage/open-database.ts';
import { StoreFile } from '../storage/store-file.ts';
import { readKeyRow, selectKey } from './key-row.ts';
import type {
  AddResult,
  CodeResult,
  KeyRecord,
  KeyStore,
  NewKey,
  Verification,
  VerificationQuota,
} from './key-store.ts';
import { KEY_SCHEMA } from './sqlite-schema.ts';

const KEY = selectKey('');

type Statements = ReturnType<typeof prepareStatements>;

/** All statements of the store, prepared once. Values are always bound, never part of the text. */
function prepareStatements(database: DatabaseSync) {
  const sql = (text: string) => database.prepare(text);
  return {
    byHash: sql(`${KEY} WHERE hash = ?`),
    byId: sql(`${KEY} WHERE keys.id = ?`),
    all: sql(`${KEY} ORDER BY issued_at DESC, keys.id`),
    expiries: sql(`
      SELECT expires_at AS at FROM keys
      WHERE delivered_at IS NOT NULL AND revoked_at IS NULL AND expires_at > ? AND NOT EXISTS (
        SELECT 1 FROM keys AS next
        WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL)`),
    hasSuccessor: sql('SELECT 1 FROM keys WHERE replaces = ? AND revoked_at IS NULL'),
    addHolder: sql('INSERT INTO holders (id, email) VALUES (?, ?) ON CONFLICT (email) DO NOTHING'),
    addKey: sql(`
      INSERT INTO keys (id, holder, hash, prefix, tier, areas, name, affiliation, purpose, volume, basis, issued_at,
        expires_at, delivered_at, replaces)
      VALUES (:id, (SELECT id FROM holders WHERE email = :email), :hash, :prefix, :tier, :areas, :name, :affiliation,
        :purpose, :volume, :basis, :issuedAt, :expiresAt, :deliveredAt, :replaces)`),
    deliver: sql(
      'UPDATE keys SET delivered_at = ? WHERE id = ? AND delivered_at IS NULL AND revoked_at IS NULL',
    ),
    endReplaced: sql(`
      UPDATE keys SET expires_at = min(expires_at, ?) WHERE id = (SELECT replaces FROM keys WHERE id = ?)`),
    revoke: sql('UPDATE keys SET revoked_at = ?, revoked_for = ? WHERE id = ? AND revoked_at IS NULL'),
    claimNotice: sql('UPDATE keys SET notified_at = ? WHERE id = ? AND notified_at IS NULL'),
    releaseNotice: sql('UPDATE keys SET notified_at = NULL WHERE id = ?'),
    forgetCodes: sql(
      'DELETE FROM verifications WHERE used_at IS NULL AND created_at < ? AND expires_at <= ?',
    ),
    codesOf: sql('SELECT count(*) AS count FROM verifications WHERE email = ? AND created_at >= ?'),
    codesOfAll: sql('SELECT count(*) AS count FROM verifications WHERE created_at >= ?'),
    addCode: sql(`
      INSERT INTO verifications (id, email, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?)`),
    withdrawCode: sql('DELETE FROM verifications WHERE id = ? AND used_at IS NULL'),
    newestCode: sql('SELECT * FROM verifications WHERE email = ? ORDER BY created_at DESC, id DESC LIMIT 1'),
    countTry: sql('UPDATE verifications SET tries = tries + 1, used_at = ? WHERE id = ?'),
    verifiedAt: sql('SELECT max(used_at) AS at FROM verifications WHERE email = ?'),
  };
}

/** How long to wait for another writing process, ms. Writes take a few ms, so after five seconds something hangs. */
const BUSY_TIMEOUT_MS = 5000;

/** What a command does if there is no key store. */
export interface KeyStoreOptions {
  /** Refuses a path without a key store and creates nothing. By default a store is created. */
  mustExist?: boolean;
}

interface OpenStore {
  database: DatabaseSync;
  sql: Statements;
}

/**
 * The key store in one SQLite file, readable only by its owner. Several processes may use it at once. Each call sees everything
 * committed before it, so no cache can delay a revocation. Each call opens the file that is currently at the path, so a
 * restored back-up takes effect immediately.
 */
export function openKeyStore(path: string, { mustExist = false }: KeyStoreOptions = {}): KeyStore {
  return guard(path, () => {
    const open = (isFirst: boolean) => openFile(path, isFirst && !mustExist);
    return new SqliteKeyStore(path, new StoreFile(path, open));
  });
}

function openFile(path: string, mayMake: boolean): OpenStore {
  if (mayMake) makePrivate(path);
  else assertThere(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    migrate(path, database, KEY_SCHEMA);
    // A single file, without a write-ahead log, can be copied and restored safely. It is written only a few times a day.
    checkpointAndCloseWal(database);
    // EXTRA: an acknowledged revocation survives a power failure.
    database.exec('PRAGMA synchronous = EXTRA');
    return { database, sql: prepareStatements(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Create the file before SQLite does, which would use the umask. SQLite's journal inherits the mode. */
function makePrivate(path: string): void {
  // SQLite keeps the owner of a file that is there.
  if (!existsSync(path)) assertOwner(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** Creating an empty store by accident would make every key unknown. */
function assertThere(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size) return;
  const found = size === 0 ? 'an empty file' : 'no file';
  throw new CathedralError('keys_unreadable', { place: path, expected: 'a key store', found });
}

class SqliteKeyStore implements KeyStore {
  readonly #path: string;
  readonly #file: StoreFile<OpenStore>;

  constructor(path: string, file: StoreFile<OpenStore>) {
    this.#path = path;
    this.#file = file;
  }

  async addKey(key: NewKey): Promise<boolean> {
    const { holder, email, areas, ...columns } = key;
    return this.#write((sql) => {
      if (key.replaces !== null && sql.hasSuccessor.get(key.replaces)) return false;
      sql.addHolder.run(holder, email);
      sql.addKey.run({ ...columns, email, areas: areas.join(',') });
      return true;
    });
  }

  async activateKey(id: string, at: number, replacedEndsAt: number): Promise<boolean> {
    return this.#write((sql) => {
      if (sql.deliver.run(at, id).changes === 0) return false;
      sql.endReplaced.run(replacedEndsAt, id);
      return true;
    });
  }

  async keyByHash(hash: string): Promise<KeyRecord | null> {
    return this.#read((sql) => readKeyRow(sql.byHash.get(hash), this.#path));
  }

  async keyById(id: string): Promise<KeyRecord | null> {
    return this.#read((sql) => readKeyRow(sql.byId.get(id), this.#path));
  }

  async keys(): Promise<KeyRecord[]> {
    return this.#read((sql) => sql.all.all().map((row) => readKeyRow(row, this.#path)!));
  }

  async expiries(now: number): Promise<number[]> {
    return this.#read((sql) => (sql.expiries.all(now) as { at: number }[]).map(({ at }) => at));
  }

  async revokeKey(id: string, at: number, reason: string): Promise<boolean> {
    return this.#write((sql) => sql.revoke.run(at, reason, id).changes === 1);
  }

  async claimNotice(id: string, at: number): Promise<boolean> {
    return this.#write((sql) => sql.claimNotice.run(at, id).changes === 1);
  }

  async releaseNotice(id: string): Promise<void> {
    this.#write((sql) => sql.releaseNotice.run(id));
  }

  async addVerification(verification: Verification, quota: VerificationQuota): Promise<AddResult> {
    const { id, email, codeHash, createdAt, expiresAt } = verification;
    return this.#write((sql) => {
      sql.forgetCodes.run(quota.since, createdAt);
      if (count(sql.codesOf.get(email, quota.since)) >= quota.perAddress) return 'address_quota';
      if (count(sql.codesOfAll.get(quota.since)) >= quota.total) return 'total_quota';
      sql.addCode.run(id, email, codeHash, createdAt, expiresAt);
      return 'added';
    });
  }

  async withdrawVerification(id: string): Promise<void> {
    this.#write((sql) => sql.withdrawCode.run(id));
  }

  async tryCode(email: string, codeHash: string, at: number, maxTries: number): Promise<CodeResult> {
    return this.#write((sql) => {
      const code = sql.newestCode.get(email) as CodeRow | undefined;
      if (!code || code.used_at !== null || code.expires_at <= at) return 'none';
      if (code.tries >= maxTries) return 'spent';
      const isRight = code.code_hash === codeHash;
      sql.countTry.run(isRight ? at : null, code.id);
      return isRight ? 'verified' : 'wrong';
    });
  }

  async verifiedAt(email: string): Promise<number | null> {
    return this.#read((sql) => (sql.verifiedAt.get(email) as { at: number | null }).at);
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** Runs `work` in a transaction that takes the write lock at once, so it never needs a retry. */
  #write<T>(work: (sql: Statements) => T): T {
    return this.#use(({ database, sql }) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work(sql);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #read<T>(work: (sql: Statements) => T): T {
    return this.#use(({ sql }) => work(sql));
  }

  #use<T>(work: (store: OpenStore) => T): T {
    return guard(this.#path, () => {
      const store = this.#file.take();
      try {
        return work(store);
      } catch (error) {
        // The file may have been overwritten in place by another kind of database, which SQLite would not notice.
        this.#file.drop();
        throw error;
      }
    });
  }
}

interface CodeRow {
  id: string;
  code_hash: string;
  expires_at: number;
  tries: number;
  used_at: number | null;
}

function count(row: unknown): number {
  return (row as { count: number }).count;
}

/** SQLite's messages name constraints and files, never values. */
function guard<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'CathedralError') throw cause;
    const found = cause instanceof Error ? cause.message : String(cause);
    throw new CathedralError('keys_unreadable', {
      place,
      expected: 'a readable and writable key store',
      found,
      cause,
    });
  }
}
