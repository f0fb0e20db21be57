import { DAY_MS } from '../../../pipeline/words/day.ts';
import { type KeyArea, OVERLAP_DAYS, type Tier } from '../../api/tiers.ts';
import type { Mail } from './mailer.ts';

interface Described {
  name: string;
  email: string;
  tier: Tier;
  areas: readonly KeyArea[];
  expires_at: number;
  replaces: string | null;
}

/** The only mail that contains a key. */
export function formatKeyMail(key: string, about: Described, baseUrl: string): Mail {
  const { name, email, tier, areas, expires_at, replaces } = about;
  const overlap = `\nYour previous key keeps working for at most ${OVERLAP_DAYS} days. Switch to this one before then.\nBoth keys share one limit.\n`;
  const text = `Dear ${name},

This is your key for ${areas.join(', ')} (tier: ${tier}):

${key}

It expires on ${formatTime(expires_at)}.
${replaces === null ? '' : overlap}
Send it in the header of each request:

Authorization: Bearer <your key>

Please keep it secret and never put it into a URL: URLs end up in server
logs. We store only a hash of the key, so nobody can send it to you again.
If you lose it or somebody else has seen it, tell us, and we will issue
a new one.

${baseUrl}
`;
  return { to: email, subject: `Your key for ${hostOf(baseUrl)}`, text };
}

/** Formats `code` for reading: `7K2M-9QXT-4HBD`. */
export function formatCodeMail(email: string, code: string, hours: number, baseUrl: string): Mail {
  const text = `Somebody, most likely you, asked for a key of the academic tier for this
address. To confirm that you receive its mail, send us this code:

${code}

You can use it once, within ${hours} hours. If you did not ask for a key,
ignore this mail: without the code, nothing happens.

${baseUrl}
`;
  return { to: email, subject: `Your code for ${hostOf(baseUrl)}`, text };
}

/** Names the key by its prefix, because the service no longer knows the key itself. */
export function formatExpiryMail(about: Described & { prefix: string }, now: number, baseUrl: string): Mail {
  const { name, email, tier, areas, expires_at, prefix } = about;
  const days = Math.floor((expires_at - now) / DAY_MS);
  const left = days === 0 ? 'within a day' : days === 1 ? 'in one day' : `in ${days} days`;
  const text = `Dear ${name},

Your key ${prefix}… for ${areas.join(', ')}
(tier: ${tier}) expires ${left}, on ${formatTime(expires_at)}.
After that the service refuses it, even for public files.

If you still need a key, reply to this mail. We will send you a new one
before this one expires.

${baseUrl}
`;
  return { to: email, subject: `Your key for ${hostOf(baseUrl)} expires soon`, text };
}

/** The service as its readers know it; the sender’s own name is in CATHEDRAL_MAIL_FROM. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}

/** `2026-03-04 10:11 UTC` */
function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
