import { compareTimestamps } from '../../../pipeline/ledger/timestamp.ts';
import type { Query } from '../../../pipeline/postgres/connection.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import type { WebhookType } from '../../api/webhook-types.ts';
import type { CopiedTable } from '../storage/copy-tables.ts';
import {
  type Announced,
  type Attempt,
  type Delivery,
  type LoggedAttempt,
  type Outcome,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookEvent,
} from './webhook.ts';

/** The tables of all stores of webhooks, in the order in which rows refer to them. */
export const WEBHOOK_TABLES: readonly CopiedTable[] = [
  {
    file: 'webhooks',
    database: 'webhooks',
    columns: {
      id: 'text',
      key_id: 'text',
      url: 'text',
      types: 'text',
      secret: 'text',
      created_at: 'bigint',
      disabled_at: 'bigint',
      disabled_for: 'text',
      claim: 'text',
      claimed_until: 'bigint',
    },
  },
  {
    file: 'webhook_events',
    database: 'webhook_events',
    columns: { id: 'text', type: 'text', body: 'text', created_at: 'bigint' },
  },
  {
    file: 'webhook_deliveries',
    database: 'webhook_deliveries',
    columns: { webhook: 'text', event: 'text', failures: 'bigint', next_at: 'bigint' },
  },
  {
    file: 'webhook_attempts',
    database: 'webhook_attempts',
    columns: {
      webhook: 'text',
      event: 'text',
      type: 'text',
      at: 'bigint',
      status: 'bigint',
      ms: 'bigint',
      error: 'text',
    },
  },
  {
    file: 'webhook_announced',
    database: 'webhook_announced',
    columns: { id: 'bigint', release: 'text', as_of: 'text', minting: 'bigint' },
  },
];

/** The tables of a file; those of a database are in pipeline/postgres/migrations.ts. */
export const FILE_SCHEMA = `
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY, key_id TEXT NOT NULL, url TEXT NOT NULL, types TEXT NOT NULL, secret TEXT NOT NULL,
    created_at INTEGER NOT NULL, disabled_at INTEGER, disabled_for TEXT, claim TEXT, claimed_until INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX webhooks_of ON webhooks (key_id);
  CREATE TABLE webhook_events (id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT, created_at INTEGER NOT NULL) STRICT;
  CREATE TABLE webhook_deliveries (
    webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE, event TEXT NOT NULL REFERENCES webhook_events (id),
    failures INTEGER NOT NULL DEFAULT 0, next_at INTEGER NOT NULL, PRIMARY KEY (webhook, event)
  ) STRICT;
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at);
  CREATE INDEX webhook_deliveries_of ON webhook_deliveries (event);
  CREATE TABLE webhook_attempts (
    webhook TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, status INTEGER, ms INTEGER NOT NULL,
    error TEXT
  ) STRICT;
  CREATE INDEX webhook_attempts_of ON webhook_attempts (webhook, at);
  CREATE TABLE webhook_announced (
    id INTEGER PRIMARY KEY CHECK (id = 1), release TEXT NOT NULL, as_of TEXT NOT NULL, minting INTEGER
  ) STRICT;`;

/** SQL of the dialect that both engines know: values are `$1`, `$2` … . */
export interface WebhookDatabase {
  query: Query;
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** `cathedral.`, or nothing in a file. */
  schema: 'cathedral.' | '';
  /** How a row is locked until the end of a transaction; in a file, all are. */
  lock: 'FOR UPDATE' | '';
  /** The same, leaving out rows that somebody else has locked. */
  take: 'FOR UPDATE SKIP LOCKED' | '';
  close(): Promise<void>;
}

export type AddWebhook = 'added' | 'too_many';

/** New events, given what was announced before. Pure: it may be called again. */
export type NewsSince = (before: Announced) => WebhookEvent[];

/**
 * Subscriptions, events and deliveries. Each method is one transaction. Servers share it; a delivery belongs to whoever claimed its
 * subscription, so a receiver gets one request at a time.
 */
export class WebhookStore {
  readonly #database: WebhookDatabase;

  constructor(database: WebhookDatabase) {
    this.#database = database;
  }

  /** `owners`: the ids of the keys whose subscriptions count together. */
  async add(webhook: Webhook, owners: readonly string[], most: number): Promise<AddWebhook> {
    const { id, keyId, url, types, secret, createdAt } = webhook;
    return this.#database.transaction(async (query) => {
      // Two requests at once would both find room.
      if (this.#database.lock) await query("SELECT pg_advisory_xact_lock(hashtext('cathedral.webhooks'))");
      const found = await this.#of(query, owners);
      if (found.length >= most) return 'too_many';
      await query(
        this.#sql(
          'INSERT INTO ~webhooks (id, key_id, url, types, secret, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
        ),
        [id, keyId, url, types.join(','), secret, createdAt],
      );
      return 'added';
    });
  }

  /** Oldest first. */
  async of(owners: readonly string[]): Promise<Webhook[]> {
    return this.#of(this.#database.query, owners);
  }

  /** All, oldest first. */
  async all(): Promise<Webhook[]> {
    const { rows } = await this.#database.query<WebhookRow>(this.#sql(`${SELECT} ORDER BY created_at, id`));
    return rows.map(readWebhook);
  }

  async #of(query: Query, owners: readonly string[]): Promise<Webhook[]> {
    const marks = owners.map((_, index) => `$${index + 1}`).join(', ');
    const { rows } = await query<WebhookRow>(
      this.#sql(`${SELECT} WHERE key_id IN (${marks}) ORDER BY created_at, id`),
      owners,
    );
    return rows.map(readWebhook);
  }

  /** Removes it with everything about it. False if it was not there. */
  async remove(id: string): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      await query(this.#sql('DELETE FROM ~webhook_attempts WHERE webhook = $1'), [id]);
      return (await query(this.#sql('DELETE FROM ~webhooks WHERE id = $1'), [id])).count === 1;
    });
  }

  async disable(id: string, at: number, why: string): Promise<void> {
    await this.#database.transaction((query) => this.#disable(query, id, at, why));
  }

  async #disable(query: Query, id: string, at: number, why: string): Promise<void> {
    await query(
      this.#sql(
        'UPDATE ~webhooks SET disabled_at = $2, disabled_for = $3 WHERE id = $1 AND disabled_at IS NULL',
      ),
      [id, at, why],
    );
    await query(this.#sql('DELETE FROM ~webhook_deliveries WHERE webhook = $1'), [id]);
  }

  /** Adds a delivery of an event of its own. False if one waits already. */
  async addTest(id: string, event: WebhookEvent, at: number): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      await query(this.#sql(`SELECT id FROM ~webhooks WHERE id = $1 ${this.#database.lock}`), [id]);
      const { count } = await query(
        this.#sql(`SELECT 1 AS one FROM ~webhook_deliveries JOIN ~webhook_events AS events ON events.id = event
          WHERE webhook = $1 AND events.type = 'webhook.test'`),
        [id],
      );
      if (count > 0) return false;
      await this.#addEvent(query, event, at);
      await this.#addDelivery(query, id, event, at);
      return true;
    });
  }

  /**
   * Makes deliveries of what is new in a release, once however many servers ask. The first release of a store has no news, and an older
   * one than that announced last has none either. Returns how many events were new.
   */
  async announce(current: Announced, newsSince: NewsSince, at: number): Promise<number> {
    const { lock } = this.#database;
    return this.#database.transaction(async (query) => {
      const values = [current.release, current.asOf, toBit(current.minting)];
      const first = await query(
        this.#sql(
          'INSERT INTO ~webhook_announced (id, release, as_of, minting) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO NOTHING',
        ),
        values,
      );
      const { rows } = await query<AnnouncedRow>(
        this.#sql(`SELECT release, as_of, minting FROM ~webhook_announced WHERE id = 1 ${lock}`),
      );
      const before = readAnnounced(rows[0]!);
      const isFirst = first.count === 1;
      if (
        !isFirst &&
        (before.release === current.release || compareTimestamps(current.asOf, before.asOf) < 0)
      )
        return 0;
      const { rows: active } = await query<WebhookRow>(this.#sql(`${SELECT} WHERE disabled_at IS NULL`));
      const webhooks = active.map(readWebhook);
      let added = 0;
      for (const event of newsSince(before)) {
        if (!(await this.#addEvent(query, event, at)) || isFirst) continue;
        added += 1;
        for (const { id, types } of webhooks)
          if ((types as string[]).includes(event.type)) await this.#addDelivery(query, id, event, at);
      }
      await query(
        this.#sql('UPDATE ~webhook_announced SET release = $1, as_of = $2, minting = $3 WHERE id = 1'),
        values,
      );
      return added;
    });
  }

  async #addEvent(query: Query, { id, type, body }: WebhookEvent, at: number): Promise<boolean> {
    const { count } = await query(
      this.#sql(
        'INSERT INTO ~webhook_events (id, type, body, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING',
      ),
      [id, type, body, at],
    );
    return count === 1;
  }

  async #addDelivery(query: Query, webhook: string, event: WebhookEvent, at: number): Promise<void> {
    await query(
      this.#sql(
        'INSERT INTO ~webhook_deliveries (webhook, event, next_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      ),
      [webhook, event.id, at],
    );
  }

  /**
   * Claims subscriptions with deliveries that are due, at most so many, each with its oldest one. A claim that its holder did not end
   * within `claimMs`, because it was killed, is free again.
   */
  async claim(at: number, most: number, claim: string): Promise<Delivery[]> {
    const due = this.#sql(`disabled_at IS NULL AND claimed_until <= $1
      AND EXISTS (SELECT 1 FROM ~webhook_deliveries WHERE webhook = webhooks.id AND next_at <= $1)
      AND (SELECT count(*) FROM ~webhook_attempts WHERE webhook = webhooks.id AND at > $2) < $3`);
    return this.#database.transaction(async (query) => {
      const { rows } = await query<WebhookRow>(
        this.#sql(`UPDATE ~webhooks AS claimed SET claim = $4, claimed_until = $5 WHERE id IN (
          SELECT id FROM ~webhooks AS webhooks WHERE ${due} ORDER BY claimed_until, id LIMIT $6 ${this.#database.take})
          RETURNING ${COLUMNS}`),
        [at, at - DAY_MS, WEBHOOK_LIMITS.attemptsPerDay, claim, at + WEBHOOK_LIMITS.claimMs, most],
      );
      const deliveries: Delivery[] = [];
      for (const row of rows) {
        const found = await query<{ id: string; type: WebhookType; body: string; failures: number }>(
          this.#sql(`SELECT events.id, events.type, events.body, failures FROM ~webhook_deliveries
            JOIN ~webhook_events AS events ON events.id = event WHERE webhook = $1 AND next_at <= $2
            ORDER BY next_at, events.created_at, events.id LIMIT 1`),
          [row.id, at],
        );
        const { failures, ...event } = found.rows[0]!;
        deliveries.push({ webhook: readWebhook(row), event, failures, claim });
      }
      return deliveries;
    });
  }

  /** Ends a claim with what came of it. A claim that another server has taken over changes nothing but the log, unless it arrived. */
  async finish({ webhook, event, claim }: Delivery, attempt: Attempt, outcome: Outcome): Promise<void> {
    await this.#database.transaction(async (query) => {
      await this.#log(query, webhook.id, event, attempt);
      const { count } = await query(
        this.#sql('UPDATE ~webhooks SET claim = NULL, claimed_until = 0 WHERE id = $1 AND claim = $2'),
        [webhook.id, claim],
      );
      const place = [webhook.id, event.id];
      if (outcome.kind === 'delivered')
        await query(this.#sql('DELETE FROM ~webhook_deliveries WHERE webhook = $1 AND event = $2'), place);
      else if (count === 0) return;
      else if (outcome.kind === 'disable') await this.#disable(query, webhook.id, attempt.at, outcome.why);
      else
        await query(
          this.#sql(
            'UPDATE ~webhook_deliveries SET failures = failures + 1, next_at = $3 WHERE webhook = $1 AND event = $2',
          ),
          [...place, outcome.at],
        );
    });
  }

  /** Ends a claim without an attempt: somebody may take the delivery at once. */
  async release({ webhook, claim }: Delivery): Promise<void> {
    await this.#database.query(
      this.#sql('UPDATE ~webhooks SET claim = NULL, claimed_until = 0 WHERE id = $1 AND claim = $2'),
      [webhook.id, claim],
    );
  }

  /** Notes a challenge, which is about to be sent, unless the key has had as many as it may. */
  async countChallenge(keyId: string, at: number, most: number): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      if (this.#database.lock) await query("SELECT pg_advisory_xact_lock(hashtext('cathedral.webhooks'))");
      const { rows } = await query<{ n: number }>(
        this.#sql('SELECT count(*) AS n FROM ~webhook_attempts WHERE webhook = $1 AND at > $2'),
        [keyId, at - DAY_MS],
      );
      if (rows[0]!.n >= most) return false;
      const event = { id: 'challenge', type: 'webhook.challenge' };
      await this.#log(query, keyId, event, { at, status: null, ms: 0, error: null });
      return true;
    });
  }

  async #log(
    query: Query,
    webhook: string,
    { id, type }: { id: string; type: string },
    { at, status, ms, error }: Attempt,
  ): Promise<void> {
    await query(
      this.#sql(
        'INSERT INTO ~webhook_attempts (webhook, event, type, at, status, ms, error) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      ),
      [webhook, id, type, at, status, ms, error],
    );
  }

  /** The newest attempts, newest first, and what waits. */
  async log(id: string, most: number): Promise<{ attempts: LoggedAttempt[]; waiting: Waiting[] }> {
    const { query } = this.#database;
    const attempts = await query<LoggedAttempt>(
      this.#sql(
        'SELECT event, type, at, status, ms, error FROM ~webhook_attempts WHERE webhook = $1 ORDER BY at DESC, event LIMIT $2',
      ),
      [id, most],
    );
    const waiting = await query<Waiting>(
      this.#sql(`SELECT event, type, failures, next_at AS "nextAt" FROM ~webhook_deliveries
        JOIN ~webhook_events AS events ON events.id = event WHERE webhook = $1 ORDER BY next_at, event LIMIT $2`),
      [id, most],
    );
    return {
      attempts: attempts.rows.map((row) => ({ ...row })),
      waiting: waiting.rows.map((row) => ({ ...row })),
    };
  }

  async counts(): Promise<WebhookCounts> {
    const { rows } = await this.#database.query<WebhookCounts>(
      this.#sql(`SELECT (SELECT count(*) FROM ~webhooks WHERE disabled_at IS NULL) AS active,
        (SELECT count(*) FROM ~webhooks WHERE disabled_at IS NOT NULL) AS disabled,
        (SELECT count(*) FROM ~webhook_deliveries) AS waiting,
        (SELECT min(events.created_at) FROM ~webhook_deliveries JOIN ~webhook_events AS events ON events.id = event) AS oldest`),
    );
    return { ...rows[0]! };
  }

  /** Forgets attempts, bodies and ended subscriptions after their time. */
  async prune(at: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      const before = [at - WEBHOOK_LIMITS.logMs];
      await query(this.#sql('DELETE FROM ~webhook_attempts WHERE at < $1'), before);
      await query(this.#sql('DELETE FROM ~webhooks WHERE disabled_at < $1'), [
        at - WEBHOOK_LIMITS.disabledMs,
      ]);
      const isWaiting = this.#sql(
        'EXISTS (SELECT 1 FROM ~webhook_deliveries WHERE event = webhook_events.id)',
      );
      await query(
        this.#sql(
          `UPDATE ~webhook_events SET body = NULL WHERE created_at < $1 AND body IS NOT NULL AND NOT ${isWaiting}`,
        ),
        before,
      );
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  #sql(text: string): string {
    return text.replaceAll('~', this.#database.schema);
  }
}

export interface Waiting {
  event: string;
  type: string;
  failures: number;
  nextAt: number;
}

export interface WebhookCounts {
  active: number;
  disabled: number;
  waiting: number;
  /** When the oldest event that waits happened to be announced, ms; null: none waits. */
  oldest: number | null;
}

const COLUMNS = `id, key_id AS "keyId", url, types, secret, created_at AS "createdAt", disabled_at AS "disabledAt",
  disabled_for AS "disabledFor"`;
const SELECT = `SELECT ${COLUMNS} FROM ~webhooks`;

type WebhookRow = Omit<Webhook, 'types'> & { types: string };
type AnnouncedRow = { release: string; as_of: string; minting: number | null };

function readWebhook({ types, ...row }: WebhookRow): Webhook {
  return { ...row, types: types.split(',') as WebhookType[] };
}

function readAnnounced({ release, as_of: asOf, minting }: AnnouncedRow): Announced {
  return { release, asOf, minting: minting === null ? null : minting === 1 };
}

function toBit(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}
