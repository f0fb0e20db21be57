import { randomBytes } from 'node:crypto';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Office } from '../sidecar/keys/key-services.ts';
import { createMailer, type Mailer } from '../sidecar/keys/mailer.ts';
import { openKeyStore } from '../sidecar/keys/sqlite-key-store.ts';
import type { Context } from './command.ts';

export const OFFICE_SETTINGS = ['keys', 'smtpUrl', 'mailFrom', 'baseUrl'] as const;
type OfficeConfig = Pick<Config, (typeof OFFICE_SETTINGS)[number]>;

/**
 * Opens the key store for `work`, and closes it whatever happens. With `mustExist`, throws keys_unreadable where there is no
 * store, and makes none.
 */
export async function withOffice<T>(
  config: OfficeConfig,
  { now, mustExist }: Pick<Context, 'now'> & { mustExist: boolean },
  work: (office: Office) => Promise<T>,
): Promise<T> {
  const { keys, smtpUrl, mailFrom, baseUrl } = config;
  const mailer = smtpUrl === null ? null : openMailer(smtpUrl, mailFrom);
  const store = openKeyStore(keys, { mustExist });
  try {
    return await work({ store, mailer, now, randomBytes, baseUrl });
  } finally {
    await store.close();
  }
}

function openMailer(url: string, from: string | null): Mailer {
  if (from !== null) return createMailer({ url, from });
  const expected = 'the sender of mails, where SMTP_URL is set';
  throw new CathedralError('config_invalid', { place: 'CATHEDRAL_MAIL_FROM', expected, found: 'none' });
}
