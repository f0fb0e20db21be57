import { BlockList, isIP } from 'node:net';
import { CathedralError } from '../../../pipeline/errors.ts';

export interface SmtpServer {
  host: string;
  port: number;
  user: string | null;
  password: string | null;
  /** `start`: TLS from the first byte; `upgrade`: STARTTLS or nothing is sent; `none`: within this machine alone. */
  tls: 'start' | 'upgrade' | 'none';
}

/** RFC 8314 §3.3 and RFC 6409 §3.1. */
const DEFAULT_PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;
const EXPECTED = 'smtps://[user:password@]host[:port] or smtp://…, and nothing after the port';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The setting SMTP_URL. Options in its query are refused: nodemailer would take them, and one of them turns the checking of
 * certificates off. Throws config_invalid, which never repeats the password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  const port = url && DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS];
  if (!url || !port || url.hostname === '') throw invalid(describeUrl(url));
  if (!/^\/?$/.test(url.pathname) || /[?#]/.test(text)) throw invalid('more after the port');
  if ((url.username === '') !== (url.password === ''))
    throw invalid('a user without a password, or the reverse');
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    user: decode(url.username),
    password: decode(url.password),
    tls: url.protocol === 'smtps:' ? 'start' : isLoopback(host) ? 'none' : 'upgrade',
  };
}

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === 'localhost' || host.endsWith('.localhost');
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

function decode(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign that begins no percent-encoding');
  }
}

function describeUrl(url: URL | null): string {
  return url ? `${url.protocol}//${url.hostname}` : 'no URL';
}

function invalid(found: string): Error {
  return new CathedralError('config_invalid', { place: 'SMTP_URL', expected: EXPECTED, found });
}
