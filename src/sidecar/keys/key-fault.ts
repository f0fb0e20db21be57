import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';

/** What can go wrong with keys, for ERROR_CODES. */
export const KEY_ERROR_CODES = {
  keys_unreadable: { exit: 1, meaning: 'The key store cannot be opened, read or written.' },
  key_refused: {
    exit: 1,
    meaning: 'A key cannot be issued, rotated, revoked or verified as it was asked for.',
  },
  mail_failed: { exit: 1, meaning: 'A mail was not accepted, so what it carried is not in force.' },
} as const;

type KeyErrorCode = keyof typeof KEY_ERROR_CODES | 'usage' | 'config_invalid';

/** The one place where these codes are taken for ERROR_CODES' own. */
export function keyFault(code: KeyErrorCode, fault: Fault): CathedralError {
  return new CathedralError(code as ErrorCode, fault);
}
