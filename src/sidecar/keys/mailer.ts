import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { isLoopback } from '../../../pipeline/config/loopback.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { redactKeys } from './key-text-and-hash.ts';
import { mailAddress } from './mail-address.ts';

interface SmtpServer {
  host: string;
  port: number;
  user: string | null;
  password: string | null;
  /** `start`: TLS from the first byte; `upgrade`: STARTTLS is required; `none`: unencrypted, only within this machine. */
  tls: 'start' | 'upgrade' | 'none';
}

/** RFC 8314 §3.3 and RFC 6409 §3.1. */
const DEFAULT_PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;
const EXPECTED = 'smtps://[user:password@]host[:port] or smtp://…, with nothing after the port';

/**
 * Parses the setting SMTP_URL. Refuses options in its query: nodemailer would apply them, and one of them disables certificate
 * checks. Throws config_invalid, which never contains the password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  const port = url && DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS];
  if (!url || !port || url.hostname === '') throw invalid(describeUrl(url));
  if (!/^\/?$/.test(url.pathname) || /[?#]/.test(text)) throw invalid('text after the port');
  if ((url.username === '') !== (url.password === ''))
    throw invalid('a user without a password, or a password without a user');
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    user: decode(url.username),
    password: decode(url.password),
    tls: url.protocol === 'smtps:' ? 'start' : isLoopback(url) ? 'none' : 'upgrade',
  };
}

function decode(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign that does not begin a percent-encoding');
  }
}

function describeUrl(url: URL | null): string {
  return url ? `${url.protocol}//${url.hostname}` : 'no URL';
}

function invalid(found: string): Error {
  return new CathedralError('config_invalid', { place: 'SMTP_URL', expected: EXPECTED, found });
}

export interface Mail {
  to: string;
  /** A single line. */
  subject: string;
  /** Plain text. */
  text: string;
}

/** Sends mail. Resolves when the next server accepted responsibility for it (RFC 5321 §4.2.5); otherwise throws mail_failed. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface SmtpOptions {
  /** SMTP_URL */
  url: string;
  /** An address, optionally with a name: `Town council <keys@data.example.org>`. */
  from: string;
  /**
   * Time-out from the name look-up to the greeting and the end of STARTTLS, ms. Default 10 s: a slower server counts as
   * unreachable.
   */
  connectTimeoutMs?: number;
  /**
   * Time-out between bytes from the server, ms. Default 30 s; RFC 5321 §4.5.3.2 allows minutes, too long for an operator at a
   * prompt.
   */
  idleTimeoutMs?: number;
  /** Time-out for the whole mail, ms. Protects against a server that answers byte by byte. */
  totalTimeoutMs?: number;
  /** Certificates of a private authority, PEM, instead of the public ones. */
  ca?: string;
}

const DEFAULTS = { connectTimeoutMs: 10_000, idleTimeoutMs: 30_000, totalTimeoutMs: 60_000 };
/** A server's answer may span many lines; a message is one line. */
const MAX_ANSWER = 200;

const oneLine = z.string().regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'expected text without line breaks');

/** Line breaks would inject further headers, so this checks them again, whoever calls. */
const MAIL = z.strictObject({
  to: mailAddress,
  subject: oneLine.min(1).max(200),
  text: z.string().min(1).max(10_000),
});

/** Throws config_invalid for an invalid URL or sender. Opens no connection yet. */
export function createMailer({ url, from, ...given }: SmtpOptions): Mailer {
  const options = { ...DEFAULTS, ...given };
  const sender = parseSender(from);
  const transport = createTransport(transportOptions(url, options));
  return {
    async send(mail) {
      const { to, subject, text } = parseMail(mail);
      const signal = AbortSignal.timeout(options.totalTimeoutMs);
      try {
        await transport.sendMail({
          from: sender,
          // nodemailer uses an object as it is but parses a string as a list.
          to: { name: '', address: to },
          subject,
          text,
          // RFC 3834 §5: suppress out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        });
      } catch (error) {
        throw failure(to, signal.aborted ? 'no answer in time' : describeFailure(error));
      }
    },
  };
}

function transportOptions(
  url: string,
  options: typeof DEFAULTS & Pick<SmtpOptions, 'ca'>,
): SMTPTransportOptions {
  const { host, port, user, password, tls } = parseSmtpUrl(url);
  return {
    host,
    port,
    secure: tls === 'start',
    requireTLS: tls === 'upgrade',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(options.ca && { ca: options.ca }) },
    ...(user !== null && password !== null && { auth: { user, pass: password } }),
    connectionTimeout: options.connectTimeoutMs,
    greetingTimeout: options.idleTimeoutMs,
    socketTimeout: options.idleTimeoutMs,
    dnsTimeout: options.connectTimeoutMs,
    allowInternalNetworkInterfaces: true,
    // Prevents nodemailer from reading a text that looks like a path or URL as a file to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  };
}

function parseSender(from: string): { name: string; address: string } {
  const [, name = '', address = from] = /^([^<>"]*?) *<([^<>]*)>$/.exec(from) ?? [];
  const parsed = { name: oneLine.safeParse(name), address: mailAddress.safeParse(address) };
  if (parsed.name.success && parsed.address.success) return { name, address: parsed.address.data };
  const expected = 'an e-mail address, or Name <address>';
  throw new CathedralError('config_invalid', { place: 'mail sender', expected, found: JSON.stringify(from) });
}

function parseMail(mail: Mail): Mail {
  const parsed = MAIL.safeParse(mail);
  if (parsed.success) return parsed.data;
  const fault = schemaFault('mail', parsed.error, mail);
  throw new CathedralError('mail_failed', { ...fault, found: redactKeys(fault.found) });
}

/** Does not wrap the library's error: a server's answer may quote what was sent, and errors end up in the server log. */
function describeFailure(error: unknown): string {
  const { message = '', response, code } = error as { message?: string; response?: string; code?: string };
  const said = redactKeys(response ?? message).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return `${said.trim().slice(0, MAX_ANSWER)}${code ? ` (${code})` : ''}`;
}

function failure(to: string, found: string): Error {
  return new CathedralError('mail_failed', {
    place: `mail to ${to}`,
    expected: 'the mail server to accept it',
    found,
  });
}
