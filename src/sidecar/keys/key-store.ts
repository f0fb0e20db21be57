import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import type { Answer, Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion, places, type RowOf, rowSchema } from '../../../pipeline/sql/table.ts';
import { KEY_FILE, KEYS, VERIFICATIONS } from '../../../pipeline/sql/tables.ts';
import { KEY_AREAS, TIER_NAMES } from '../../api/tiers.ts';
import { GroupCommit } from '../storage/group-commit.ts';

/**
 * A key as stored after its issue. Rows are checked when they are read: another program may have written to the store, and an unknown tier must
 * not pass as a valid one.
 */
const KeyRow = rowSchema(KEYS).extend({
  /** In lower case. All keys of one address have one holder. */
  email: z.string(),
  hash: z.string().length(64),
  tier: z.enum(TIER_NAMES),
  /** In the order of KEY_AREAS. */
  areas: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(KEY_AREAS)).min(1)),
  /** The id of the delivered key that replaced this one; never a revoked one. */
  replaced_by: z.string().nullable(),
});

export type KeyRecord = z.output<typeof KeyRow>;

/** `holder` applies only if the address has no holder yet; otherwise the existing holder is kept. */
export type NewKey = Omit<KeyRecord, 'revoked_at' | 'revoked_for' | 'replaced_by' | 'notified_at'>;

/** A verification code sent to an address. */
export type Verification = Omit<RowOf<typeof VERIFICATIONS>, 'tries' | 'used_at'>;

/** How many codes may be sent since a given time. */
export interface VerificationQuota {
  since: number;
  perAddress: number;
  total: number;
}

export type AddResult = 'added' | 'address_quota' | 'total_quota';
export type CodeResult = 'verified' | 'wrong' | 'spent' | 'none';

/** Keys as `KeyRow` has them. Revoked and undelivered successors do not count, because the holder cannot use them. */
const KEY = `
  SELECT ${Object.keys(KEYS.columns)
    .map((name) => `keys.${name}`)
    .join(', ')}, holders.email,
    (SELECT id FROM keys AS next
      WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL) AS replaced_by
  FROM keys JOIN holders ON holders.id = keys.holder`;

const SQL = {
  byId: `${KEY} WHERE keys.id = $1`,
  all: `${KEY} ORDER BY issued_at DESC, keys.id`,
  expiries: `
    SELECT expires_at AS at FROM keys
    WHERE delivered_at IS NOT NULL AND revoked_at IS NULL AND expires_at > $1 AND NOT EXISTS (
      SELECT 1 FROM keys AS next
      WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL)`,
  addHolder: 'INSERT INTO holders (id, email) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING',
  holder: 'SELECT id FROM holders WHERE email = $1',
  // Follows an insertion: the index of successors decides which of two rotations wins, also at the same time.
  addOnce: ' ON CONFLICT (replaces) WHERE replaces IS NOT NULL AND revoked_at IS NULL DO NOTHING',
  deliver: 'UPDATE keys SET delivered_at = $2 WHERE id = $1 AND delivered_at IS NULL AND revoked_at IS NULL',
  endReplaced: `
    UPDATE keys SET expires_at = $2 WHERE expires_at > $2 AND id = (SELECT replaces FROM keys AS next WHERE next.id = $1)`,
  revoke: 'UPDATE keys SET revoked_at = $2, revoked_for = $3 WHERE id = $1 AND revoked_at IS NULL',
  claimNotice: 'UPDATE keys SET notified_at = $2 WHERE id = $1 AND notified_at IS NULL',
  releaseNotice: 'UPDATE keys SET notified_at = NULL WHERE id = $1',
  forgetCodes: 'DELETE FROM verifications WHERE used_at IS NULL AND created_at < $1 AND expires_at <= $2',
  countCodes: `
    SELECT count(*) AS total, count(*) FILTER (WHERE email = $1) AS own FROM verifications WHERE created_at >= $2`,
  withdrawCode: 'DELETE FROM verifications WHERE id = $1 AND used_at IS NULL',
  newestCode: 'SELECT * FROM verifications WHERE email = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
  countTry: 'UPDATE verifications SET tries = tries + 1, used_at = $2 WHERE id = $1',
  verifiedAt: 'SELECT max(used_at) AS at FROM verifications WHERE email = $1',
} as const;

/** Two codes at the same time may not both be the last one of a quota, and each of several attempts at one counts. */
const CODES = 'verifications';

/**
 * The keys in a file of this machine. Each call sees what any process has written before. A file that was replaced, for example by a back-up, is
 * opened again; one that was removed is an error, since an empty one would make every key unknown. `mustExist`: none is made.
 */
export async function openKeyStore(path: string, { mustExist = false } = {}): Promise<KeyStore> {
  const store = await openSqlite(path, KEY_FILE, { mustExist }).catch(refuse);
  return new KeyStore(store, () => store.close());
}

/**
 * The keys in a database. Each lookup asks the primary, so a revocation on one machine is in force on all. Closing it leaves the database
 * open.
 */
export function keyStoreIn(database: SqlStore): KeyStore {
  return new KeyStore(database, async () => undefined);
}

/** Each method is one transaction: atomic, and visible to every later call in any process. Throws keys_unreadable if the storage fails. */
export class KeyStore {
  readonly #store: SqlStore;
  readonly #close: () => Promise<void>;

  /** Clients that ask at the same time share a statement, which begins after all of them have asked. */
  readonly #lookups: GroupCommit<string, unknown>;

  constructor(store: SqlStore, close: () => Promise<void>) {
    this.#store = store;
    this.#close = close;
    this.#lookups = new GroupCommit({ commit: (hashes) => this.#rowsByHash(hashes) });
  }

  /** Returns false and adds nothing if the key that `replaces` names already has an unrevoked successor. */
  addKey({ email, areas, ...key }: NewKey): Promise<boolean> {
    const never = { revoked_at: null, revoked_for: null, notified_at: null };
    return this.#transaction(async (query) => {
      await query(SQL.addHolder, [key.holder, email]);
      const [known] = (await query<{ id: string }>(SQL.holder, [email])).rows;
      const [insert, values] = insertion(KEYS, [
        { ...key, ...never, holder: known!.id, areas: areas.join(',') },
      ]);
      return (await query(insert + SQL.addOnce, values)).count === 1;
    });
  }

  /**
   * Activates the key. The key it replaces expires at `replacedEndsAt` or at its own expiry, whichever is sooner. Returns false
   * if the key is unknown, already delivered or revoked.
   */
  activateKey(id: string, at: number, replacedEndsAt: number): Promise<boolean> {
    return this.#transaction(async (query) => {
      if ((await query(SQL.deliver, [id, at])).count === 0) return false;
      await query(SQL.endReplaced, [id, replacedEndsAt]);
      return true;
    });
  }

  async keyByHash(hash: string): Promise<KeyRecord | null> {
    return this.#read(await this.#lookups.add(hash));
  }

  /** The rows of keys, unread: a row that another program damaged concerns only who asks for it. */
  async #rowsByHash(hashes: readonly string[]): Promise<unknown[]> {
    const asked = [...new Set(hashes)];
    // Powers of two, so that the statements are few.
    const size = 2 ** Math.ceil(Math.log2(asked.length));
    const values = Array.from({ length: size }, (_, at) => asked[at] ?? asked[0]);
    const text = `${KEY} WHERE hash IN (${places(size)})`;
    const { rows } = await this.#query<{ hash: string }>(text, values, `keys by ${size} hashes`);
    const found = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => found.get(hash));
  }

  async keyById(id: string): Promise<KeyRecord | null> {
    return this.#read((await this.#query(SQL.byId, [id])).rows[0]);
  }

  /** Newest first; ordered by id at equal times. */
  async keys(): Promise<KeyRecord[]> {
    const { rows } = await this.#query(SQL.all);
    return rows.map((row) => this.#read(row)!);
  }

  /** When each key in use expires, ms, in any order: delivered, not revoked, not expired at `now`, and without a delivered successor. */
  async expiries(now: number): Promise<number[]> {
    return (await this.#query<{ at: number }>(SQL.expiries, [now])).rows.map(({ at }) => at);
  }

  /** Returns false if the key is unknown or already revoked: the first revocation stands. */
  async revokeKey(id: string, at: number, reason: string): Promise<boolean> {
    return (await this.#query(SQL.revoke, [id, at, reason])).count === 1;
  }

  /** Claims the right to notify the holder of the expiry, once. Returns false if it is already claimed. */
  async claimNotice(id: string, at: number): Promise<boolean> {
    return (await this.#query(SQL.claimNotice, [id, at])).count === 1;
  }

  /** Releases the claim after the notice was not accepted. */
  async releaseNotice(id: string): Promise<void> {
    await this.#query(SQL.releaseNotice, [id]);
  }

  /** Adds a code unless that exceeds the quota. Forgets unused codes older than the quota's window. */
  addVerification(verification: Verification, quota: VerificationQuota): Promise<AddResult> {
    const { email, created_at } = verification;
    return this.#transaction(async (query) => {
      await query(SQL.forgetCodes, [quota.since, created_at]);
      const { rows } = await query<{ own: number; total: number }>(SQL.countCodes, [email, quota.since]);
      const { own, total } = rows[0]!;
      if (own >= quota.perAddress) return 'address_quota';
      if (total >= quota.total) return 'total_quota';
      await query(...insertion(VERIFICATIONS, [{ ...verification, tries: 0, used_at: null }]));
      return 'added';
    }, CODES);
  }

  /** Forgets a code that was not sent. */
  async withdrawVerification(id: string): Promise<void> {
    await this.#query(SQL.withdrawCode, [id]);
  }

  /**
   * Compares a code with the newest unused, unexpired one of the address. Every attempt counts, up to `maxTries`. The correct
   * code can be used once.
   */
  tryCode(email: string, code_hash: string, at: number, maxTries: number): Promise<CodeResult> {
    return this.#transaction(async (query) => {
      const [code] = (await query<RowOf<typeof VERIFICATIONS>>(SQL.newestCode, [email])).rows;
      if (!code || code.used_at !== null || code.expires_at <= at) return 'none';
      if (code.tries >= maxTries) return 'spent';
      const isRight = code.code_hash === code_hash;
      await query(SQL.countTry, [code.id, isRight ? at : null]);
      return isRight ? 'verified' : 'wrong';
    }, CODES);
  }

  /** When the address was last verified; null if never. */
  async verifiedAt(email: string): Promise<number | null> {
    return (await this.#query<{ at: number | null }>(SQL.verifiedAt, [email])).rows[0]!.at;
  }

  async close(): Promise<void> {
    await this.#lookups.idle();
    await this.#close();
  }

  /** Null if there is no row. */
  #read(row: unknown): KeyRecord | null {
    if (row === undefined) return null;
    const parsed = KeyRow.safeParse(row);
    if (parsed.success) return parsed.data;
    throw new CathedralError('keys_unreadable', schemaFault(this.#store.name, parsed.error, row));
  }

  #query<Row>(...statement: Parameters<Query>): Promise<Answer<Row>> {
    return this.#store.query<Row>(...statement).catch(refuse);
  }

  #transaction<T>(work: (query: Query) => Promise<T>, lock?: string): Promise<T> {
    return this.#store.transaction(work, lock).catch(refuse);
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof CathedralError) || cause.code !== 'store_failed') throw cause;
  throw new CathedralError('keys_unreadable', { ...cause, cause });
}
