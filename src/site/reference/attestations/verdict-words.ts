import type { Result } from '../../../../pipeline/attestation/check.ts';
import type { CheckName } from '../../../../pipeline/attestation/verify-attestation.ts';

/** The name of each check, and what it means to pass. */
export const CHECK_WORDS: Readonly<Record<CheckName, { name: string; about: string }>> = {
  syntax: { name: 'Syntax', about: 'The text is unambiguous JSON within the limits.' },
  schema: { name: 'Schema', about: 'It has exactly the members of version 1.0.0, each in its format.' },
  justification: {
    name: 'Justification',
    about: 'The justification, if included, matches the signed hash.',
  },
  period: {
    name: 'Period',
    about: 'It is valid for at most 90 days, and its attestation date is not in the future.',
  },
  companion: {
    name: 'Companion',
    about: 'The companion is registered and had a valid key for the algorithm when it attested.',
  },
  signature: { name: 'Signature', about: 'That key signed the canonical bytes.' },
  wallet: { name: 'Wallet', about: 'The wallet of the ledger id, if known, signed the request.' },
  renewal: {
    name: 'Renewal',
    about:
      'The attestation that it renews is in the ledger, has the same companion and entity, and ended at most 90 days before the renewal.',
  },
  registration: { name: 'Registration', about: 'The ledger has it with the same content.' },
  life_cycle: {
    name: 'Life cycle',
    about: 'It has not expired, been revoked or been superseded, and its drift was checked on time.',
  },
};

export const RESULT_WORDS: Readonly<Record<Result, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  warning: 'Warning',
  not_checked: 'Not checked',
};
