import { createHash } from 'node:crypto';
import { CathedralError } from '../errors.ts';
import type { Query } from '../sql/store.ts';
import { createTables } from '../sql/table.ts';
import { COUNT_TABLES, KEY_TABLES, LOG_TABLES } from '../sql/tables.ts';

// The ledger of many machines (pipeline/sources/shared). `ledger` has one row; whoever changes the other two tables locks it first.
// `ledger_events` has the events of the head, and those of the newest snapshot as far as they were shared before it was.
const LEDGER = `
  CREATE TABLE cathedral.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    origin text NOT NULL,
    import_key text,
    size bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE cathedral.ledger_snapshots (
    id text PRIMARY KEY,
    size bigint NOT NULL,
    root text NOT NULL,
    range text[] NOT NULL,
    "timestamp" text,
    events_sha256 text NOT NULL,
    events_bytes bigint NOT NULL,
    checkpoint_sha256 text NOT NULL,
    checkpoint_bytes bigint NOT NULL
  );
  CREATE TABLE cathedral.ledger_events (
    seq bigint PRIMARY KEY,
    line bytea NOT NULL
  );`;

// Who publishes, and what was signed last.
const PUBLISHERS = `
  CREATE TABLE cathedral.leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    token text NOT NULL,
    epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE cathedral.signing_record (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    record json NOT NULL
  );
  INSERT INTO cathedral.signing_record (record)
    VALUES ('{"format":"cathedral-signed/1","services":{},"replaced":[]}');`;

// `pointed` is what the pointer copies, and `earlier` the same of the releases before, newest first. Only stores without conditional writes
// need `buckets`. `purged`: the last version for which the caches in front of the service were told to forget what it replaced.
const CURRENT_RELEASE = `
  CREATE TABLE cathedral.current_release (
    service text PRIMARY KEY,
    version bigint NOT NULL,
    pointed text NOT NULL,
    earlier text[] NOT NULL DEFAULT '{}',
    switch_at timestamptz NOT NULL,
    status text,
    cleaned_at timestamptz,
    purged bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE cathedral.buckets (
    bucket text PRIMARY KEY,
    service text NOT NULL,
    publisher text NOT NULL
  );`;

// Each day has partitions of its own, which are dropped with all their bytes.
const DAYS_OF_COUNTS = `
  -- With the rights of the owner, since servers need not have them.
  CREATE FUNCTION cathedral.add_day_of_counts(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
  DECLARE parent text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('cathedral.counts'));
    FOREACH parent IN ARRAY ARRAY['counts', 'count_secrets'] LOOP
      EXECUTE format('CREATE TABLE IF NOT EXISTS cathedral.%I PARTITION OF cathedral.%I FOR VALUES IN (%L)',
        parent || to_char(day, '_YYYYMMDD'), parent, to_char(day, 'YYYY-MM-DD'));
    END LOOP;
  END $$;
  CREATE FUNCTION cathedral.drop_days_of_counts(before date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
  DECLARE parent text; past regclass;
  BEGIN
    IF before > (now() AT TIME ZONE 'UTC')::date THEN RAISE 'the counts of % are in use', before - 1; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('cathedral.counts'));
    -- The secrets first: without them, the remaining counts identify nobody.
    FOREACH parent IN ARRAY ARRAY['count_secrets', 'counts'] LOOP
      FOR past IN SELECT inhrelid FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = ('cathedral.' || parent)::regclass AND relname < parent || to_char(before, '_YYYYMMDD')
      LOOP EXECUTE format('DROP TABLE %s', past); END LOOP;
    END LOOP;
  END $$;`;

// What each server serves (src/sidecar/health/replicas.ts).
const REPLICAS = `
  CREATE TABLE cathedral.replicas (
    name text PRIMARY KEY,
    service text NOT NULL,
    version bigint NOT NULL,
    ready boolean NOT NULL,
    seen_at timestamptz NOT NULL
  );`;

/**
 * The schema `cathedral`: `STEPS[n]` leads from version n to n + 1. A step never changes after it was published, and only adds: programs of the
 * version before, which are still running, go on using the tables.
 */
export const STEPS: readonly string[] = [
  [
    createTables([...KEY_TABLES, ...COUNT_TABLES, ...LOG_TABLES], 'postgres'),
    ...[LEDGER, PUBLISHERS, CURRENT_RELEASE, DAYS_OF_COUNTS, REPLICAS],
  ].join('\n'),
];

/** Any number, as long as nothing else in the database locks the same one: `cathedral` in ASCII, as far as it fits. */
const LOCK = 0x6361746865647261n;

const MADE = `
  CREATE SCHEMA IF NOT EXISTS cathedral;
  CREATE TABLE IF NOT EXISTS cathedral.migrations (
    step integer PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());`;

/**
 * Brings the schema to the newest version. `transaction`: of a connection without a time limit. Where nothing is missing, it only reads.
 * Throws store_failed for a schema of a later version, for one that another program made, and where a step differs.
 */
export async function migrate(
  place: string,
  query: Query,
  transaction: (work: (query: Query) => Promise<void>) => Promise<void>,
  steps: readonly string[],
): Promise<void> {
  if ((await readVersion(place, query, steps)) === steps.length) return;
  await transaction(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await query(MADE);
    await query('SET LOCAL search_path = cathedral');
    // Another process may have done it meanwhile.
    const version = await readVersion(place, query, steps);
    for (const [index, sql] of steps.slice(version).entries()) {
      await query(sql);
      await query('INSERT INTO cathedral.migrations (step, sha256) VALUES ($1, $2)', [
        version + index + 1,
        digest(sql),
      ]);
    }
  });
}

/** The number of steps that were applied; 0 where there is no schema yet. */
async function readVersion(place: string, query: Query, steps: readonly string[]): Promise<number> {
  const fail = (expected: string, found: string) =>
    new CathedralError('store_failed', { place, expected, found });
  const own = 'the schema cathedral as this program made it, or none';
  const { rows } = await query<{ migrations: string | null; tables: number }>(
    `SELECT to_regclass('cathedral.migrations')::text AS migrations,
      (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('cathedral')) AS tables`,
  );
  const [found] = rows;
  if (found!.migrations === null) {
    if (found!.tables > 0)
      throw fail(own, `one with ${found!.tables} tables, views or indexes of another program`);
    return 0;
  }
  const { rows: applied } = await query<{ step: number; sha256: string }>(
    'SELECT step, sha256 FROM cathedral.migrations ORDER BY step',
  );
  if (applied.length > steps.length)
    throw fail(
      `the schema cathedral of version ${steps.length} or lower`,
      `version ${applied.length}, of a later version of this program`,
    );
  const differing = applied.find(({ step, sha256 }) => sha256 !== digest(steps[step - 1]!));
  if (differing) throw fail(own, `another form of its step ${differing.step}`);
  return applied.length;
}

function digest(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
