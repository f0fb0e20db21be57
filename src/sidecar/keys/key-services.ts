import { CathedralError } from '../../../pipeline/errors.ts';
import type { RandomBytes } from './base62.ts';
import type { KeyStore } from './key-store.ts';
import type { Mailer } from './mailer.ts';

/** What issuing, rotating and telling about keys needs of its surroundings. */
export interface Office {
  store: KeyStore;
  /** Null where no mail server is set. */
  mailer: Mailer | null;
  /** ms since 1970 */
  now: () => number;
  randomBytes: RandomBytes;
  /** Where the service is reachable, without a slash at the end; printed in mails. */
  baseUrl: string;
}

/** Throws config_invalid where there is none: before anything is stored. */
export function requireMailer({ mailer }: Office): Mailer {
  if (mailer) return mailer;
  const expected = 'a mail server (SMTP_URL) and a sender, or --deliver print for a key';
  throw new CathedralError('config_invalid', { place: 'SMTP_URL', expected, found: 'none' });
}
