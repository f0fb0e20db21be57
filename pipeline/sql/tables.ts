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

const KEYS = defineTable({
  name: 'keys',
  columns: {
    id: 'text',
    holder: 'text',
    hash: 'text',
    prefix: 'text',
    tier: 'text',
    // academics,philosophy
    areas: 'text',
    name: 'text',
    affiliation: 'text',
    purpose: 'text',
    volume: 'text?',
    basis: 'text?',
    issued_at: 'integer',
    expires_at: 'integer',
    delivered_at: 'integer?',
    revoked_at: 'integer?',
    revoked_for: 'text?',
    replaces: 'text?',
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
  indexes: [
    'CREATE UNIQUE INDEX successors ON keys (replaces) WHERE replaces IS NOT NULL AND revoked_at IS NULL',
  ],
});

const VERIFICATIONS = defineTable({
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
  indexes: ['CREATE INDEX verifications_of ON verifications (email, created_at)'],
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
  isRenewed: false,
};

export const COUNT_FILE: SqliteForm = {
  name: 'a store of counts',
  applicationId: 0x4344_5331,
  steps: [createTables(COUNT_TABLES, 'sqlite')],
  journal: 'WAL',
  // No flush for each request. A power failure may lose the counts of the last moments.
  synchronous: 'NORMAL',
  // Without its counts, the service goes on.
  isRenewed: true,
};
