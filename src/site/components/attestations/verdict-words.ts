import type { Result } from '../../../../pipeline/attestation/check.ts';
import type { CheckName } from '../../../../pipeline/attestation/verify-attestation.ts';

/** What each check is called, and what it looks at. */
export const CHECK_WORDS: Readonly<Record<CheckName, { name: string; about: string }>> = {
  syntax: { name: 'Syntax', about: 'The text is JSON that can be read in one way only, within its limits.' },
  schema: { name: 'Schema', about: 'It has the members of version 1.0.0, each in its form, and no others.' },
  justification: {
    name: 'Justification',
    about: 'Where the justification is in the document, it has the hash that is signed.',
  },
  period: { name: 'Period', about: 'It is for at most 90 days and was not attested in the future.' },
  companion: {
    name: 'Companion',
    about: 'The companion is registered, with a key for the algorithm that was valid when it attested.',
  },
  signature: { name: 'Signature', about: 'The signature over the canonical bytes is by that key.' },
  wallet: { name: 'Wallet', about: 'Where the wallet of the ledger id is known, it has signed the request.' },
  renewal: {
    name: 'Renewal',
    about:
      'What it renews is in the ledger, of the same companion and entity, and could be renewed: at most 90 days after its end.',
  },
  registration: { name: 'Registration', about: 'The ledger has it, with the same content.' },
  life_cycle: {
    name: 'Life cycle',
    about: 'It has not expired, was neither revoked nor superseded, and its drift was checked in time.',
  },
};

export const RESULT_WORDS: Readonly<Record<Result, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  warning: 'Warning',
  not_checked: 'Not checked',
};
