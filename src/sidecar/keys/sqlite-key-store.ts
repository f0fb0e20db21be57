import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CathedralError } from '../../../pipeline/errors.ts';
import type {
  Added,
  KeyRecord,
  KeyStore,
  NewKey,
  Tried,
  Verification,
  VerificationQuota,
} from './key-store.ts';
import { migrate } from './migrate.ts';
import { readKeyRow } from './sqlite-rows.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import { prepareStatements, type Statements } from './sqlite-statements.ts';

/** For another process that writes, ms. Writes take a few; five seconds of waiting mean that something hangs. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * The key store in one SQLite file, made where there is none, readable by its owner alone. Several processes may use it at
 * once (WAL): a reader never waits for a writer, and each call sees what was committed before it, so there is no cache that
 * a revocation would have to reach.
 */
export function openKeyStore(path: string): KeyStore {
  return guard(path, () => {
    makePrivate(path);
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    try {
      migrate(database, MIGRATIONS, path);
      // Full: a revocation that was answered for is on the disk, whatever happens to the power.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      return new SqliteKeyStore(path, database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Before SQLite makes it by the umask; its -wal and -shm files take the mode from it. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

class SqliteKeyStore implements KeyStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    this.#sql = prepareStatements(database);
  }

  async addKey(key: NewKey): Promise<boolean> {
    const { holder, email, areas, ...columns } = key;
    return this.#write(() => {
      if (key.replaces !== null && this.#sql.hasSuccessor.get(key.replaces)) return false;
      this.#sql.addHolder.run(holder, email);
      this.#sql.addKey.run({ ...columns, email, areas: areas.join(',') });
      return true;
    });
  }

  async deliverKey(id: string, at: number, replacedEndsAt: number): Promise<boolean> {
    return this.#write(() => {
      if (this.#sql.deliver.run(at, id).changes === 0) return false;
      this.#sql.endReplaced.run(replacedEndsAt, id);
      return true;
    });
  }

  async keyByHash(hash: string): Promise<KeyRecord | null> {
    return this.#guard(() => readKeyRow(this.#sql.byHash.get(hash), this.#path));
  }

  async keyById(id: string): Promise<KeyRecord | null> {
    return this.#guard(() => readKeyRow(this.#sql.byId.get(id), this.#path));
  }

  async keys(): Promise<KeyRecord[]> {
    return this.#guard(() => this.#sql.all.all().map((row) => readKeyRow(row, this.#path)!));
  }

  async revokeKey(id: string, at: number, reason: string): Promise<boolean> {
    return this.#write(() => this.#sql.revoke.run(at, reason, id).changes === 1);
  }

  async claimNotice(id: string, at: number): Promise<boolean> {
    return this.#write(() => this.#sql.claimNotice.run(at, id).changes === 1);
  }

  async releaseNotice(id: string): Promise<void> {
    this.#write(() => this.#sql.releaseNotice.run(id));
  }

  async addVerification(verification: Verification, quota: VerificationQuota): Promise<Added> {
    const { id, email, codeHash, createdAt, expiresAt } = verification;
    return this.#write(() => {
      this.#sql.forgetCodes.run(quota.since, createdAt);
      if (count(this.#sql.codesOf.get(email, quota.since)) >= quota.perAddress) return 'address_quota';
      if (count(this.#sql.codesOfAll.get(quota.since)) >= quota.total) return 'total_quota';
      this.#sql.addCode.run(id, email, codeHash, createdAt, expiresAt);
      return 'added';
    });
  }

  async withdrawVerification(id: string): Promise<void> {
    this.#write(() => this.#sql.withdrawCode.run(id));
  }

  async tryCode(email: string, codeHash: string, at: number, maxTries: number): Promise<Tried> {
    return this.#write(() => {
      const code = this.#sql.newestCode.get(email) as CodeRow | undefined;
      if (!code || code.used_at !== null || code.expires_at <= at) return 'none';
      if (code.tries >= maxTries) return 'spent';
      const isRight = code.code_hash === codeHash;
      this.#sql.countTry.run(isRight ? at : null, code.id);
      return isRight ? 'verified' : 'wrong';
    });
  }

  async verifiedAt(email: string): Promise<number | null> {
    return this.#guard(() => (this.#sql.verifiedAt.get(email) as { at: number | null }).at);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** `work` in a transaction that has the write lock from its first statement, so it never has to start again. */
  #write<T>(work: () => T): T {
    return this.#guard(() => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #guard<T>(work: () => T): T {
    return guard(this.#path, work);
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
      expected: 'a key store that can be read and written',
      found,
      cause,
    });
  }
}
