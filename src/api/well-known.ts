import { timestampOf } from '../../pipeline/model/window.ts';
import { DAY_MS } from '../../pipeline/words/day.ts';
import { PROTOCOL_PAGE } from '../simulation/protocol/problems.ts';

/**
 * RFC 9116 §2.5.5 advises less than a year, since the contact may change. With a whole quarter added it is at most 362 days, and the
 * file changes four times a year instead of with each release.
 */
const LEAST_DAYS = 270;

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
    `Expires: ${endOfQuarter(Date.parse(asOf) + LEAST_DAYS * DAY_MS)}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}

/** The first moment of the next quarter, UTC. */
function endOfQuarter(time: number): string {
  const day = new Date(time);
  return timestampOf(Date.UTC(day.getUTCFullYear(), 3 * Math.floor(day.getUTCMonth() / 3) + 3));
}

/** `/.well-known/api-catalog` (RFC 9727), a link set (RFC 9264). `baseUrl` has no slash at its end. */
export function formatApiCatalog(baseUrl: string, licence: string): string {
  const link = (path: string, type: string) => ({ href: `${baseUrl}${path}`, type });
  const linkset = [
    { anchor: `${baseUrl}/.well-known/api-catalog`, item: [{ href: `${baseUrl}/` }] },
    {
      anchor: `${baseUrl}/`,
      'service-desc': [link('/openapi.json', 'application/json'), link('/asyncapi.json', 'application/json')],
      'service-doc': [link('/api/', 'text/html'), link(PROTOCOL_PAGE, 'text/html')],
      status: [link('/status.json', 'application/json')],
      license: [{ href: licence }],
    },
  ];
  return `${JSON.stringify({ linkset }, null, 2)}\n`;
}
