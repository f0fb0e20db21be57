import { DAY_MS, timestampOf } from '../../../pipeline/model/window.ts';

/** RFC 9116 §2.5.5 advises less than a year: who answers may have changed by then. */
const DAYS = 364;

interface SecurityFacts {
  baseUrl: string;
  /** An e-mail address. */
  contact: string;
  /** The data's own time, not the clock: the same ledger gives the same bytes. */
  asOf: string;
}

/** `/.well-known/security.txt` (RFC 9116). */
export function formatSecurityTxt({ baseUrl, contact, asOf }: SecurityFacts): string {
  return [
    `Contact: mailto:${contact}`,
    `Expires: ${timestampOf(Date.parse(asOf) + DAYS * DAY_MS)}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
