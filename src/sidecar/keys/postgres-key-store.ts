import { CathedralError } from '../../../pipeline/errors.ts';
import type { Answer, Query } from '../../../pipeline/postgres/connection.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { GroupCommit } from '../storage/group-commit.ts';
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

const KEY = selectKey('cathedral.');

const SQL = {
  byHashes: `${KEY} WHERE hash = ANY ($1)`,
  byId: `${KEY} WHERE keys.id = $1`,
  all: `${KEY} ORDER BY issued_at DESC, keys.id`,
  expiries: `
    SELECT expires_at AS at FROM cathedral.keys
    WHERE delivered_at IS NOT NULL AND revoked_at IS NULL AND expires_at > $1 AND NOT EXISTS (
      SELECT 1 FROM cathedral.keys AS next
      WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL)`,
  addHolder: 'INSERT INTO cathedral.holders (id, email) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING',
  // The index of successors decides which of two rotations wins, also at the same time.
  addKey: `
    INSERT INTO cathedral.keys (id, holder, hash, prefix, tier, areas, name, affiliation, purpose, volume, basis, issued_at,
      expires_at, delivered_at, replaces)
    VALUES ($1, (SELECT id FROM cathedral.holders WHERE email = $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (replaces) WHERE replaces IS NOT NULL AND revoked_at IS NULL DO NOTHING`,
  activate: `
    WITH delivered AS (
      UPDATE cathedral.keys SET delivered_at = $2 WHERE id = $1 AND delivered_at IS NULL AND revoked_at IS NULL
      RETURNING replaces
    ), ended AS (
      UPDATE cathedral.keys SET expires_at = least(expires_at, $3) WHERE id = (SELECT replaces FROM delivered)
    )
    SELECT 1 FROM delivered`,
  revoke: 'UPDATE cathedral.keys SET revoked_at = $2, revoked_for = $3 WHERE id = $1 AND revoked_at IS NULL',
  claimNotice: 'UPDATE cathedral.keys SET notified_at = $2 WHERE id = $1 AND notified_at IS NULL',
  releaseNotice: 'UPDATE cathedral.keys SET notified_at = NULL WHERE id = $1',
  // Two codes at the same time may not both be the last one of a quota.
  lockCodes: 'LOCK TABLE cathedral.verifications IN SHARE ROW EXCLUSIVE MODE',
  forgetCodes:
    'DELETE FROM cathedral.verifications WHERE used_at IS NULL AND created_at < $1 AND expires_at <= $2',
  countCodes: `
    SELECT count(*) AS total, count(*) FILTER (WHERE email = $1) AS own FROM cathedral.verifications
    WHERE created_at >= $2`,
  addCode: `
    INSERT INTO cathedral.verifications (id, email, code_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
  withdrawCode: 'DELETE FROM cathedral.verifications WHERE id = $1 AND used_at IS NULL',
  // Locked, so that each of several attempts at the same time counts.
  newestCode: `
    SELECT id, code_hash AS hash, expires_at AS "expiresAt", tries, used_at AS "usedAt" FROM cathedral.verifications
    WHERE email = $1 ORDER BY created_at DESC, id DESC LIMIT 1 FOR UPDATE`,
  countTry: 'UPDATE cathedral.verifications SET tries = tries + 1, used_at = $2 WHERE id = $1',
  verifiedAt: 'SELECT max(used_at) AS at FROM cathedral.verifications WHERE email = $1',
} as const;

/**
 * The key store in a database that several machines share. Each lookup asks the primary, so a revocation on one machine is in force on all.
 * Closing it leaves the database open.
 */
export function postgresKeyStore(database: Database): KeyStore {
  return new PostgresKeyStore(database);
}

class PostgresKeyStore implements KeyStore {
  readonly #database: Database;

  /** Clients that ask at the same time share a round trip, which begins after all of them have asked. */
  readonly #lookups: GroupCommit<string, unknown>;

  constructor(database: Database) {
    this.#database = database;
    this.#lookups = new GroupCommit({ commit: (hashes) => this.#rowsByHash(hashes) });
  }

  addKey(key: NewKey): Promise<boolean> {
    return this.#transaction(async (query) => {
      await query(SQL.addHolder, [key.holder, key.email]);
      const { id, email, hash, prefix, tier, areas, name, affiliation, purpose, volume, basis } = key;
      const { count } = await query(SQL.addKey, [
        ...[id, email, hash, prefix, tier, areas.join(','), name, affiliation, purpose, volume, basis],
        ...[key.issuedAt, key.expiresAt, key.deliveredAt, key.replaces],
      ]);
      return count === 1;
    });
  }

  async activateKey(id: string, at: number, replacedEndsAt: number): Promise<boolean> {
    return (await this.#query(SQL.activate, [id, at, replacedEndsAt])).count === 1;
  }

  async keyByHash(hash: string): Promise<KeyRecord | null> {
    return readKeyRow(await this.#lookups.add(hash), this.#database.name);
  }

  /** The rows of keys, unread: a row that another program damaged concerns only who asks for it. */
  async #rowsByHash(hashes: readonly string[]): Promise<unknown[]> {
    const { rows } = await this.#query<{ hash: string }>(
      SQL.byHashes,
      [[...new Set(hashes)]],
      'keys by hash',
    );
    const found = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => found.get(hash));
  }

  async keyById(id: string): Promise<KeyRecord | null> {
    return readKeyRow((await this.#query(SQL.byId, [id])).rows[0], this.#database.name);
  }

  async keys(): Promise<KeyRecord[]> {
    const { rows } = await this.#query(SQL.all);
    return rows.map((row) => readKeyRow(row, this.#database.name)!);
  }

  async expiries(now: number): Promise<number[]> {
    return (await this.#query<{ at: number }>(SQL.expiries, [now])).rows.map(({ at }) => at);
  }

  async revokeKey(id: string, at: number, reason: string): Promise<boolean> {
    return (await this.#query(SQL.revoke, [id, at, reason])).count === 1;
  }

  async claimNotice(id: string, at: number): Promise<boolean> {
    return (await this.#query(SQL.claimNotice, [id, at])).count === 1;
  }

  async releaseNotice(id: string): Promise<void> {
    await this.#query(SQL.releaseNotice, [id]);
  }

  addVerification(verification: Verification, quota: VerificationQuota): Promise<AddResult> {
    const { id, email, codeHash, createdAt, expiresAt } = verification;
    return this.#transaction(async (query) => {
      await query(SQL.lockCodes);
      await query(SQL.forgetCodes, [quota.since, createdAt]);
      const { rows } = await query<{ own: number; total: number }>(SQL.countCodes, [email, quota.since]);
      const { own, total } = rows[0]!;
      if (own >= quota.perAddress) return 'address_quota';
      if (total >= quota.total) return 'total_quota';
      await query(SQL.addCode, [id, email, codeHash, createdAt, expiresAt]);
      return 'added';
    });
  }

  async withdrawVerification(id: string): Promise<void> {
    await this.#query(SQL.withdrawCode, [id]);
  }

  tryCode(email: string, codeHash: string, at: number, maxTries: number): Promise<CodeResult> {
    return this.#transaction(async (query) => {
      const [code] = (await query<CodeRow>(SQL.newestCode, [email])).rows;
      if (!code || code.usedAt !== null || code.expiresAt <= at) return 'none';
      if (code.tries >= maxTries) return 'spent';
      const isRight = code.hash === codeHash;
      await query(SQL.countTry, [code.id, isRight ? at : null]);
      return isRight ? 'verified' : 'wrong';
    });
  }

  async verifiedAt(email: string): Promise<number | null> {
    return (await this.#query<{ at: number | null }>(SQL.verifiedAt, [email])).rows[0]!.at;
  }

  async close(): Promise<void> {
    await this.#lookups.idle();
  }

  #query<Row>(...statement: Parameters<Query>): Promise<Answer<Row>> {
    return this.#database.query<Row>(...statement).catch(refuse);
  }

  #transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#database.transaction(work).catch(refuse);
  }
}

interface CodeRow {
  id: string;
  hash: string;
  expiresAt: number;
  tries: number;
  usedAt: number | null;
}

function refuse(cause: unknown): never {
  if (!(cause instanceof CathedralError)) throw cause;
  const { place, expected, found } = cause;
  throw new CathedralError('keys_unreadable', { place, expected, found, cause });
}
