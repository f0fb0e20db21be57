import { randomBytes } from 'node:crypto';
import type { KeyRecord, KeyStore } from '../keys/key-store.ts';
import type { ReleaseNews } from './events.ts';
import { isDelivered, type SendOptions, sendWebhook } from './send-webhook.ts';
import { type Delivery, type Outcome, RETRY_AFTER_MS, WEBHOOK_LIMITS } from './webhook.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface DispatcherOptions
  extends Pick<SendOptions, 'allowPrivate' | 'now' | 'lookup' | 'timeoutMs'> {
  store: WebhookStore;
  keys: Pick<KeyStore, 'keyById'>;
  /** The id of the current release, and how to read what is new in it; null before the first. */
  release: () => Promise<{ id: string; news: () => Promise<ReleaseNews> } | null>;
  report: (error: unknown) => void;
  /** From 0 to 1. Default: at random. */
  jitter?: () => number;
}

/** How often the store is asked for what is due, ms. */
const POLL_MS = 2000;
const PRUNE_MS = 60 * 60 * 1000;
/** Attempts in a row do not come at one moment from all servers, nor exactly when somebody else's retries come. */
const JITTER = 0.2;
const GONE = 410;

/**
 * Announces releases and sends what is due. Each server has one; the store decides which of them sends what. A receiver gets an event
 * again if a server was killed between sending it and noting that, with the same `webhook-id`.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #turn: Promise<void> | null = null;
  #announced = '';
  #prunedAt = -Infinity;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Until `close`. */
  start(): void {
    const next = () => {
      if (this.#stopping.signal.aborted) return;
      this.#timer = setTimeout(
        () => void this.turn().catch(this.#options.report).finally(next),
        POLL_MS,
      ).unref();
    };
    next();
  }

  /** Announces what is new, and begins to send what is due. Turns do not overlap. */
  turn(): Promise<void> {
    this.#turn ??= this.#run().finally(() => {
      this.#turn = null;
    });
    return this.#turn;
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Breaks off requests under way. Somebody else may send them at once. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'));
    if (this.#timer) clearTimeout(this.#timer);
    await this.#turn?.catch(() => undefined);
    await this.idle();
  }

  async #run(): Promise<void> {
    const { store, now } = this.#options;
    await this.#announce();
    const room = WEBHOOK_LIMITS.inFlight - this.#inFlight.size;
    const deliveries = room > 0 ? await store.claim(now(), room, randomBytes(12).toString('hex')) : [];
    for (const delivery of deliveries) this.#begin(delivery);
    if (now() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = now();
    await store.prune(now());
  }

  async #announce(): Promise<void> {
    const { store, release, now } = this.#options;
    const found = await release();
    if (found === null || found.id === this.#announced) return;
    const { current, newsSince } = await found.news();
    await store.announce(current, newsSince, now());
    this.#announced = found.id;
  }

  #begin(delivery: Delivery): void {
    const sending: Promise<void> = this.#deliver(delivery)
      .catch(this.#options.report)
      .finally(() => {
        this.#inFlight.delete(sending);
        // A receiver with much to get does not wait for the next poll.
        if (!this.#stopping.signal.aborted) void this.turn().catch(this.#options.report);
      });
    this.#inFlight.add(sending);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { store, keys, now } = this.#options;
    const { webhook, event } = delivery;
    const ended = await keyEnd(keys, webhook.keyId, now());
    if (ended !== null) return store.disable(webhook.id, now(), ended);
    const { signal } = this.#stopping;
    const { url, secret } = webhook;
    const { id, body } = event;
    const received = await sendWebhook({ url, secret, id, body }, { ...this.#options, signal });
    if (signal.aborted && !isDelivered(received)) return store.release(delivery);
    await store.finish(delivery, received, this.#outcome(delivery, received.status));
  }

  #outcome({ failures }: Delivery, status: number | null): Outcome {
    if (isDelivered({ status })) return { kind: 'delivered' };
    if (status === GONE) return { kind: 'disable', why: 'The receiver answered 410 Gone.' };
    const wait = RETRY_AFTER_MS[failures];
    if (wait === undefined) {
      const why = `An event could not be delivered in ${failures + 1} attempts over three days.`;
      return { kind: 'disable', why };
    }
    const { now, jitter = Math.random } = this.#options;
    return { kind: 'retry', at: now() + Math.round(wait * (1 + JITTER * (2 * jitter() - 1))) };
  }
}

/** Keys that are rotated each quarter, for longer than a service is kept. */
const MAX_ROTATIONS = 400;

/** Why subscriptions of a key have ended; null while it, or the key that it was rotated to, is valid. */
async function keyEnd(keys: Pick<KeyStore, 'keyById'>, id: string, now: number): Promise<string | null> {
  let key: KeyRecord | null = await keys.keyById(id);
  for (let steps = 0; key !== null && steps < MAX_ROTATIONS; steps += 1) {
    if (key.revokedAt !== null) return 'The key was revoked.';
    if (now < key.expiresAt) return null;
    if (key.replacedBy === null) return 'The key has expired.';
    key = await keys.keyById(key.replacedBy);
  }
  return 'The key is unknown.';
}

/** The key and those that it replaced: who has it may see and end what was made with them. */
export async function ownersOf(keys: Pick<KeyStore, 'keyById'>, key: KeyRecord): Promise<string[]> {
  const owners = [key.id];
  for (let before = key.replaces; before !== null && owners.length < MAX_ROTATIONS; ) {
    owners.push(before);
    before = (await keys.keyById(before))?.replaces ?? null;
  }
  return owners;
}
