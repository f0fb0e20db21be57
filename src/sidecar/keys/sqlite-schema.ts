/** `MIGRATIONS[n]` leads from schema version n to n + 1. */
export const MIGRATIONS: readonly string[] = [
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
];
