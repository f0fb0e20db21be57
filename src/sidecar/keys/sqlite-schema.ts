import type { CopiedTable } from '../storage/copy-tables.ts';
import type { DatabaseSchema } from '../storage/open-database.ts';

/** The tables of all key stores, in the order in which rows refer to them. */
export const KEY_TABLES: readonly CopiedTable[] = [
  { file: 'holders', database: 'holders', columns: { id: 'text', email: 'text' } },
  {
    file: 'keys',
    database: 'keys',
    columns: {
      id: 'text',
      holder: 'text',
      hash: 'text',
      prefix: 'text',
      tier: 'text',
      areas: 'text',
      name: 'text',
      affiliation: 'text',
      purpose: 'text',
      volume: 'text',
      basis: 'text',
      issued_at: 'bigint',
      expires_at: 'bigint',
      delivered_at: 'bigint',
      revoked_at: 'bigint',
      revoked_for: 'text',
      replaces: 'text',
      notified_at: 'bigint',
    },
  },
  {
    file: 'verifications',
    database: 'verifications',
    columns: {
      id: 'text',
      email: 'text',
      code_hash: 'text',
      created_at: 'bigint',
      expires_at: 'bigint',
      tries: 'bigint',
      used_at: 'bigint',
    },
  },
];

/** In a single file. */
export const KEY_SCHEMA: DatabaseSchema = {
  name: 'a key store',
  code: 'keys_unreadable',
  /** `CATK`: distinguishes this file from other SQLite databases before anything is written to it. */
  applicationId: 0x4341_544b,
  steps: [
    `
      CREATE TABLE holders (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL UNIQUE
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE keys (
        id TEXT PRIMARY KEY,
        holder TEXT NOT NULL REFERENCES holders (id),
        hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
        prefix TEXT NOT NULL,
        tier TEXT NOT NULL,
        areas TEXT NOT NULL CHECK (areas <> ''), -- academics,philosophy
        name TEXT NOT NULL,
        affiliation TEXT NOT NULL,
        purpose TEXT NOT NULL,
        volume TEXT,
        basis TEXT,
        issued_at INTEGER NOT NULL, -- all times: ms since 1970
        expires_at INTEGER NOT NULL,
        delivered_at INTEGER,
        revoked_at INTEGER,
        revoked_for TEXT,
        replaces TEXT REFERENCES keys (id),
        notified_at INTEGER,
        CHECK ((revoked_at IS NULL) = (revoked_for IS NULL))
      ) STRICT, WITHOUT ROWID;

      -- Two rotations of one key at the same time: one of them wins.
      CREATE UNIQUE INDEX successors ON keys (replaces) WHERE replaces IS NOT NULL AND revoked_at IS NULL;

      CREATE TABLE verifications (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL,
        code_hash TEXT NOT NULL CHECK (length(code_hash) = 64),
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        used_at INTEGER
      ) STRICT, WITHOUT ROWID;

      CREATE INDEX verifications_of ON verifications (email, created_at);
    `,
  ],
};
