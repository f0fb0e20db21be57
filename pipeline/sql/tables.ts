import type { SqliteForm } from './sqlite-file.ts';
import { createTables, defineTable, type Table } from './table.ts';

// Every table that a single machine has as well as many: in a file of each subject, with its own owner and back-ups, or in the schema
// `cathedral` of PostgreSQL. What only many machines need is in pipeline/postgres/migrations.ts.

/** All keys of one e-mail address have one holder. */
const HOLDERS = defineTable({
  name: 'holders',
  columns: { id: 'text', email: 'text' },
  constraints: ['PRIMARY KEY (id)', 'UNIQUE (email)'],
});

export const KEYS = defineTable({
  name: 'keys',
  columns: {
    // `k_` and 12 base62 characters: names the key in lists, the server log and commands.
    id: 'text',
    // `h_` and 12 base62 characters: limits count per holder.
    holder: 'text',
    // SHA-256 of the key, hex.
    hash: 'text',
    // cds_economy_Ab3d
    prefix: 'text',
    tier: 'text',
    // academics,philosophy
    areas: 'text',
    // As the applicant stated them when this key was issued.
    name: 'text',
    affiliation: 'text',
    purpose: 'text',
    volume: 'text?',
    // The operator's reason for granting the tier.
    basis: 'text?',
    issued_at: 'integer',
    // The key is invalid from this time on.
    expires_at: 'integer',
    // When the key reached its holder. Until then it opens nothing.
    delivered_at: 'integer?',
    // Final: a revocation cannot be undone.
    revoked_at: 'integer?',
    revoked_for: 'text?',
    // The id of the key that this one replaced.
    replaces: 'text?',
    // When the holder was notified of the expiry.
    notified_at: 'integer?',
  },
  constraints: [
    'PRIMARY KEY (id)',
    'UNIQUE (hash)',
    'CHECK (length(hash) = 64)',
    "CHECK (areas <> '')",
    'CHECK ((revoked_at IS NULL) = (revoked_for IS NULL))',
    // Deferred: a copy adds keys in any order.
    'FOREIGN KEY (holder) REFERENCES holders (id) DEFERRABLE INITIALLY DEFERRED',
    'FOREIGN KEY (replaces) REFERENCES keys (id) DEFERRABLE INITIALLY DEFERRED',
  ],
  // Two rotations of one key at the same time: one of them wins.
  statements: [
    'CREATE UNIQUE INDEX successors ON keys (replaces) WHERE replaces IS NOT NULL AND revoked_at IS NULL',
  ],
});

/** Codes that were sent to addresses. */
export const VERIFICATIONS = defineTable({
  name: 'verifications',
  columns: {
    id: 'text',
    email: 'text',
    code_hash: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    tries: 'integer',
    used_at: 'integer?',
  },
  constraints: ['PRIMARY KEY (id)', 'CHECK (length(code_hash) = 64)'],
  statements: ['CREATE INDEX verifications_of ON verifications (email, created_at)'],
});

/** Requests of a day. Personal data, so what is deleted leaves no bytes behind. */
export const COUNTS = defineTable({
  name: 'counts',
  columns: {
    day: 'text',
    area: 'text',
    subject: 'text',
    n: 'integer',
    // Of the last statement: how many it counted, and the limit that it knew.
    granted: 'integer',
    most: 'integer',
  },
  constraints: ['PRIMARY KEY (day, area, subject)'],
  partition: 'day',
});

/** The secret with which addresses of a day are hashed, in hex digits. */
const COUNT_SECRETS = defineTable({
  name: 'count_secrets',
  columns: { day: 'text', secret: 'text' },
  constraints: ['PRIMARY KEY (day)'],
  partition: 'day',
});

/** In the order in which rows refer to each other. */
export const KEY_TABLES: readonly Table[] = [HOLDERS, KEYS, VERIFICATIONS];
export const COUNT_TABLES: readonly Table[] = [COUNTS, COUNT_SECRETS];

export const KEY_FILE: SqliteForm = {
  name: 'a key store',
  // CATK
  applicationId: 0x4341_544b,
  steps: [createTables(KEY_TABLES, 'sqlite')],
  // A single file, without a write-ahead log, can be copied and restored safely. It is written only a few times a day.
  journal: 'DELETE',
  // A revocation that was acknowledged survives a power failure.
  synchronous: 'EXTRA',
  // A server only reads it; commands write.
  isWaitedFor: false,
  isRenewed: false,
};

export const COUNT_FILE: SqliteForm = {
  name: 'a store of counts',
  applicationId: 0x4344_5331,
  steps: [createTables(COUNT_TABLES, 'sqlite')],
  journal: 'WAL',
  // No flush for each request. A power failure may lose the counts of the last moments.
  synchronous: 'NORMAL',
  isWaitedFor: false,
  // Without its counts, the service goes on.
  isRenewed: true,
};

// Whoever controls a database can switch triggers off. They keep what was recorded from mistakes, and from whoever controls a server only;
// everything else is found by a verification.

/** What the engines say about an entry that does not follow the last one, or where that one is gone. */
export const NOT_NEXT = 'an entry of the access log follows the last one';

/** One access to a restricted path. Times are texts, as in an export: what is hashed is what is stored. */
export const ENTRIES = defineTable({
  name: 'access_log_entries',
  columns: {
    // 0, 1, 2 … without gaps.
    seq: 'integer',
    // 2025-12-01T06:00:00.000Z
    time: 'text',
    request_id: 'text',
    key_id: 'text?',
    holder: 'text?',
    area: 'text',
    method: 'text',
    path: 'text',
    // With the question mark, so that no spreadsheet reads it as a formula; empty if there is no query.
    query: 'text',
    status: 'integer',
    client: 'text',
    // The hash of the previous entry.
    prev_hash: 'text',
    // 64 hex digits.
    hash: 'text',
  },
  constraints: ['PRIMARY KEY (seq)', 'CHECK (seq >= 0)'],
  guards: {
    sqlite: `
      CREATE TRIGGER access_log_keep BEFORE UPDATE ON access_log_entries BEGIN
        SELECT RAISE(ABORT, 'entries of the access log never change');
      END;
      CREATE TRIGGER access_log_expire BEFORE DELETE ON access_log_entries
        WHEN OLD.seq > (SELECT coalesce(max(last), -1) FROM access_log_removals) BEGIN
        SELECT RAISE(ABORT, 'entries of the access log are removed only where access_log_removals says so');
      END;
      CREATE TRIGGER access_log_follow BEFORE INSERT ON access_log_entries
        WHEN NOT EXISTS (
          SELECT 1 FROM access_log_head AS head WHERE NEW.seq = seq + 1 AND NEW.prev_hash = hash AND (seq = -1 OR EXISTS (
            SELECT 1 FROM access_log_entries WHERE seq = head.seq AND hash = head.hash
            UNION ALL SELECT 1 FROM access_log_removals WHERE last = head.seq AND hash = head.hash))) BEGIN
        SELECT RAISE(ABORT, '${NOT_NEXT}');
      END;
      CREATE TRIGGER access_log_extend AFTER INSERT ON access_log_entries BEGIN
        UPDATE access_log_head SET seq = NEW.seq, hash = NEW.hash;
      END;`,
    postgres: `
      CREATE FUNCTION cathedral.access_log_keep() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'entries and removals of the access log never change' USING ERRCODE = 'restrict_violation';
        END $$;
      CREATE TRIGGER access_log_keep BEFORE UPDATE OR TRUNCATE ON cathedral.access_log_entries
        FOR EACH STATEMENT EXECUTE FUNCTION cathedral.access_log_keep();

      CREATE FUNCTION cathedral.access_log_expire() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT max(seq) FROM gone) > (SELECT coalesce(max(last), -1) FROM cathedral.access_log_removals) THEN
            RAISE EXCEPTION 'entries of the access log are removed only where access_log_removals says so'
              USING ERRCODE = 'restrict_violation';
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER access_log_expire AFTER DELETE ON cathedral.access_log_entries
        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION cathedral.access_log_expire();

      CREATE FUNCTION cathedral.access_log_extend() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NOT EXISTS (SELECT FROM added) THEN RETURN NULL; END IF;
          IF NOT EXISTS (
            SELECT FROM cathedral.access_log_head AS head JOIN added ON added.seq = head.seq + 1 AND added.prev_hash = head.hash
              WHERE head.seq = -1 OR EXISTS (
                SELECT FROM cathedral.access_log_entries WHERE seq = head.seq AND hash = head.hash
                UNION ALL SELECT FROM cathedral.access_log_removals WHERE last = head.seq AND hash = head.hash)) THEN
            RAISE EXCEPTION '${NOT_NEXT}' USING ERRCODE = 'restrict_violation';
          END IF;
          UPDATE cathedral.access_log_head SET (seq, hash) = (SELECT seq, hash FROM added ORDER BY seq DESC LIMIT 1);
          RETURN NULL;
        END $$;
      CREATE TRIGGER access_log_extend AFTER INSERT ON cathedral.access_log_entries
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION cathedral.access_log_extend();`,
  },
});

/** The last entry, in one row, which each entry moves on. */
const LOG_HEAD = defineTable({
  name: 'access_log_head',
  columns: { one: 'integer', seq: 'integer', hash: 'text' },
  constraints: ['PRIMARY KEY (one)', 'CHECK (one = 1)'],
  statements: [`INSERT INTO access_log_head (one, seq, hash) VALUES (1, -1, '${'0'.repeat(64)}')`],
  guards: {
    sqlite: `
      CREATE TRIGGER access_log_advance AFTER UPDATE ON access_log_head
        WHEN NEW.seq <= OLD.seq OR NOT EXISTS (
          SELECT 1 FROM access_log_entries WHERE seq = NEW.seq AND hash = NEW.hash
          UNION ALL SELECT 1 FROM access_log_removals WHERE last = NEW.seq AND hash = NEW.hash) BEGIN
        SELECT RAISE(ABORT, 'the head of the access log only moves forward, to an entry');
      END;
      CREATE TRIGGER access_log_stay BEFORE DELETE ON access_log_head BEGIN
        SELECT RAISE(ABORT, 'the head of the access log stays');
      END;
      -- REPLACE deletes without that trigger.
      CREATE TRIGGER access_log_one BEFORE INSERT ON access_log_head BEGIN
        SELECT RAISE(ABORT, 'the head of the access log stays');
      END;`,
    postgres: `
      CREATE FUNCTION cathedral.access_log_advance() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.seq <= OLD.seq OR NOT EXISTS (
            SELECT FROM cathedral.access_log_entries WHERE seq = NEW.seq AND hash = NEW.hash
            UNION ALL SELECT FROM cathedral.access_log_removals WHERE last = NEW.seq AND hash = NEW.hash) THEN
            RAISE EXCEPTION 'the head of the access log only moves forward, to an entry'
              USING ERRCODE = 'restrict_violation';
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER access_log_advance AFTER UPDATE ON cathedral.access_log_head
        FOR EACH ROW EXECUTE FUNCTION cathedral.access_log_advance();
      CREATE TRIGGER access_log_stay BEFORE DELETE OR TRUNCATE ON cathedral.access_log_head
        FOR EACH STATEMENT EXECUTE FUNCTION cathedral.access_log_keep();`,
  },
});

/** Entries that were removed by age, each with the hash of the last one. The log begins after the newest of them. */
export const REMOVALS = defineTable({
  name: 'access_log_removals',
  columns: { first: 'integer', last: 'integer', hash: 'text', at: 'text', before: 'text' },
  constraints: ['PRIMARY KEY (last)', 'CHECK (first <= last)'],
  guards: {
    sqlite: `
      CREATE TRIGGER access_log_removals_keep BEFORE UPDATE ON access_log_removals BEGIN
        SELECT RAISE(ABORT, 'removals of the access log never change');
      END;
      CREATE TRIGGER access_log_removals_stay BEFORE DELETE ON access_log_removals BEGIN
        SELECT RAISE(ABORT, 'removals of the access log never change');
      END;
      CREATE TRIGGER access_log_removals_add BEFORE INSERT ON access_log_removals
        WHEN EXISTS (SELECT 1 FROM access_log_removals WHERE last = NEW.last) BEGIN
        SELECT RAISE(ABORT, 'removals of the access log never change');
      END;`,
    postgres: `
      CREATE TRIGGER access_log_removals_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON cathedral.access_log_removals
        FOR EACH STATEMENT EXECUTE FUNCTION cathedral.access_log_keep();`,
  },
});

export const LOG_TABLES: readonly Table[] = [ENTRIES, LOG_HEAD, REMOVALS];

export const LOG_FILE: SqliteForm = {
  name: 'an access log',
  applicationId: 0x4344_5341,
  steps: [createTables(LOG_TABLES, 'sqlite')],
  journal: 'WAL',
  // An entry is on the disk before the first byte of the answer is sent.
  synchronous: 'FULL',
  isWaitedFor: true,
  isRenewed: false,
};
