import { DAY_MS, type KeyArea, OVERLAP_DAYS, type Tier } from '../../api/tiers.ts';
import type { Mail } from './mailer.ts';

interface Described {
  name: string;
  email: string;
  tier: Tier;
  areas: readonly KeyArea[];
  expiresAt: number;
  replaces: string | null;
}

/** The one message that a key ever stands in. */
export function formatKeyMail(key: string, about: Described, baseUrl: string): Mail {
  const { name, email, tier, areas, expiresAt, replaces } = about;
  const overlap = `\nYour key of before goes on working for ${OVERLAP_DAYS} days at most. Change to this one in that time;\nboth together have one limit.\n`;
  const text = `Dear ${name},

this is your key for ${areas.join(', ')} (tier: ${tier}):

${key}

It ends on ${formatTime(expiresAt)}.
${replaces === null ? '' : overlap}
Send it in the header of each request:

Authorization: Bearer <your key>

Please keep it to yourself, and never put it into an address: addresses
end up in logs. We keep only a hash of it, so nobody can send it to you
again. If it is lost or somebody else has seen it, tell us, and you get
another one.

${baseUrl}
`;
  return { to: email, subject: 'Your key for the Cathedral Data Service', text };
}

/** `code` as people read it: `7K2M-9QXT-4HBD`. */
export function formatCodeMail(email: string, code: string, hours: number, baseUrl: string): Mail {
  const text = `Somebody, most likely you, has asked for a key of the academic tier for
this address. To show that you read its mail, send us this code:

${code}

It can be used once, within ${hours} hours. If you have not asked for a key,
do nothing: without the code, nothing happens.

${baseUrl}
`;
  return { to: email, subject: 'Your code for the Cathedral Data Service', text };
}

/** Names the key by its prefix: the key itself is not known to us any more. */
export function formatExpiryMail(about: Described & { prefix: string }, now: number, baseUrl: string): Mail {
  const { name, email, tier, areas, expiresAt, prefix } = about;
  const days = Math.floor((expiresAt - now) / DAY_MS);
  const left = days === 0 ? 'within a day' : days === 1 ? 'in one day' : `in ${days} days`;
  const text = `Dear ${name},

your key ${prefix}… for ${areas.join(', ')}
(tier: ${tier}) ends ${left}, on ${formatTime(expiresAt)}.
After that it is refused, on public files too.

If you still need it, answer this mail, and a new one is sent to you
before this one ends.

${baseUrl}
`;
  return { to: email, subject: 'Your key for the Cathedral Data Service is about to end', text };
}

/** `2026-03-04 10:11 UTC` */
function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
