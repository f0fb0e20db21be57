import type { WebhookType } from '../../api/webhook-types.ts';

/** A subscription as it is stored. All times are ms since 1970. */
export interface Webhook {
  /** `w_` and 12 letters and digits. */
  id: string;
  keyId: string;
  url: string;
  types: WebhookType[];
  /** `whsec_…`. As it is: a MAC can only be computed with the secret itself, so a hash of it would be of no use. */
  secret: string;
  createdAt: number;
  /** Nothing is sent from then on; null while it is active. */
  disabledAt: number | null;
  disabledFor: string | null;
}

/** What happened, as receivers get it. */
export interface WebhookEvent {
  /** The same for each attempt and each receiver; no full stop in it. */
  id: string;
  type: WebhookType | 'webhook.test';
  /** The JSON that is sent, and signed. */
  body: string;
}

/** One event on its way to one receiver. */
export interface Delivery {
  webhook: Webhook;
  event: WebhookEvent;
  /** Failed attempts so far. */
  failures: number;
  /** Proves that nobody else has taken it over. */
  claim: string;
}

/** One request to a receiver. */
export interface Attempt {
  at: number;
  /** Null: there was no response. */
  status: number | null;
  ms: number;
  /** Why it failed, with the first characters of what the receiver said; null if it did not. */
  error: string | null;
}

/** An attempt, in the log of a subscription. */
export interface LoggedAttempt extends Attempt {
  event: string;
  type: string;
}

/** What becomes of a delivery after an attempt: it arrived, is tried again at a time, or is the last one of its subscription. */
export type Outcome =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number }
  | { kind: 'disable'; why: string };

/** The release whose events were announced last. */
export interface Announced {
  release: string;
  asOf: string;
  /** Null: not measured. */
  minting: boolean | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after each failed attempt, as the specification advises: three days in all. */
export const RETRY_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

export const WEBHOOK_LIMITS = {
  perKey: 5,
  /** Attempts for one subscription in 24 hours. What exceeds it waits. */
  attemptsPerDay: 500,
  /** Challenges sent for one key in 24 hours. */
  challengesPerDay: 20,
  /** Requests under way at once, of one server. A receiver has at most one at a time. */
  inFlight: 20,
  /** For a whole request, from the look-up of the name to the last byte that is read. */
  timeoutMs: 10 * SECOND,
  /** Longer than any request: after this time, another server takes a delivery over. */
  claimMs: MINUTE,
  /** Of a response; the rest is not read. */
  responseBytes: 4096,
  /** Of a response, kept in the log of attempts. */
  loggedChars: 200,
  logMs: 30 * 24 * HOUR,
  /** A subscription that ended is removed after this time. */
  disabledMs: 90 * 24 * HOUR,
} as const;
