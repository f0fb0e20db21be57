import { CathedralError } from '../../../pipeline/errors.ts';
import type { RandomBytes } from './base62.ts';
import type { KeyStore } from './key-store.ts';
import type { Mailer } from './mailer.ts';

/** The effects that issuing, rotating and announcing keys depend on. */
export interface KeyServices {
  store: KeyStore;
  /** Null if no mail server is configured. */
  mailer: Mailer | null;
  /** ms since 1970 */
  now: () => number;
  randomBytes: RandomBytes;
  /** The public address of the service, without a trailing slash; printed in mails. */
  baseUrl: string;
}

/** Throws config_invalid if there is no mailer. Call it before storing anything. */
export function requireMailer({ mailer }: KeyServices): Mailer {
  if (mailer) return mailer;
  const expected = 'a mail server (SMTP_URL) and a sender, or --deliver print for a key';
  throw new CathedralError('config_invalid', { place: 'SMTP_URL', expected, found: 'none' });
}
