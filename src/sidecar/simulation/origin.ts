import type { IncomingMessage } from 'node:http';

/**
 * Whether a page of the request's origin may connect (RFC 6455 §10.2): those of the service by its address or by the host
 * that was asked, and those that are listed. Browsers name it and cannot be made to lie; other clients need not.
 */
export function isWelcome(
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
  { baseUrl, origins }: { baseUrl: string; origins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const parsed = URL.parse(origin);
  if (!parsed) return false;
  return parsed.host === host || parsed.origin === new URL(baseUrl).origin || origins.includes(parsed.origin);
}
