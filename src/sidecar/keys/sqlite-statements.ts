import type { DatabaseSync } from 'node:sqlite';

/** A revoked or an undelivered successor is none to the holder of the key. */
const KEY = `
  SELECT keys.id, holder, holders.email, hash, prefix, tier, areas, name, affiliation, purpose, volume, basis,
    issued_at AS issuedAt, expires_at AS expiresAt, delivered_at AS deliveredAt, revoked_at AS revokedAt,
    revoked_for AS revokedFor, replaces, notified_at AS notifiedAt,
    (SELECT id FROM keys AS next
      WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL) AS replacedBy
  FROM keys JOIN holders ON holders.id = keys.holder`;

export type Statements = ReturnType<typeof prepareStatements>;

/** Every statement of the store, prepared once: values are always bound, never part of the text. */
export function prepareStatements(database: DatabaseSync) {
  const sql = (text: string) => database.prepare(text);
  return {
    byHash: sql(`${KEY} WHERE hash = ?`),
    byId: sql(`${KEY} WHERE keys.id = ?`),
    all: sql(`${KEY} ORDER BY issued_at DESC, keys.id`),
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
