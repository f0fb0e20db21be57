import { createHmac } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, PrivateAddress, publicLookup } from './public-address.ts';
import { type Attempt, WEBHOOK_LIMITS } from './webhook.ts';

/** What is sent to one receiver. */
export interface Message {
  url: string;
  secret: string;
  /** Of the event: the same for each attempt. */
  id: string;
  body: string;
}

export interface SendOptions {
  /** Also http, and addresses of private networks. */
  allowPrivate: boolean;
  /** ms since 1970 */
  now: () => number;
  signal?: AbortSignal;
  /** Default: that of the system. */
  lookup?: LookupFunction;
  timeoutMs?: number;
}

export interface Received extends Attempt {
  /** The first bytes of the response. */
  text: string;
}

const PREFIX = 'whsec_';
/** Of a header with a chain of proxies. */
const MAX_URL_LENGTH = 2000;

/** The value of `webhook-signature` (standardwebhooks.com, 1.0.0). `timestamp`: of the attempt, Unix s. */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

export function newSecret(randomBytes: (size: number) => Buffer): string {
  return `${PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Why an address cannot be a receiver's; null if it can, as far as it shows without a look-up. */
export function refuseUrl(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (!url || text.length > MAX_URL_LENGTH || url.hostname === '')
    return `expected an absolute URL of at most ${MAX_URL_LENGTH} characters`;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return `expected https, found ${url.protocol.slice(0, -1)}`;
  if (url.username || url.password) return 'expected a URL without a user name and password';
  if (url.hash) return 'expected a URL without a fragment';
  const host = hostOf(url);
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) return new PrivateAddress().message;
  return null;
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A success is any status of 2xx. A redirect is a failure: it could lead anywhere. */
export function isDelivered({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Sends one signed request. Never rejects. Uses a new connection, follows no redirect, reads a small part of the response, and takes no
 * longer than its time-out, whatever the receiver does.
 */
export async function sendWebhook(message: Message, options: SendOptions): Promise<Received> {
  const at = options.now();
  const started = performance.now();
  let status: number | null = null;
  let text = '';
  let fault: string | null = null;
  try {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? WEBHOOK_LIMITS.timeoutMs);
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
    const response = await respond(message, at, options, signal);
    status = response.statusCode!;
    // The status counts, even if the rest of the response never comes.
    text = await readStart(response, signal).catch(() => '');
  } catch (error) {
    fault = messageOf(error);
  }
  const ms = Math.round(performance.now() - started);
  const error = fault ?? (isDelivered({ status }) ? null : failureOf(status!, text));
  return { at, status, ms, text, error: error && printable(error).slice(0, WEBHOOK_LIMITS.loggedChars) };
}

async function respond(
  { url: text, secret, id, body }: Message,
  at: number,
  { allowPrivate, lookup }: SendOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const refused = refuseUrl(text, allowPrivate);
  if (refused !== null) throw new Error(refused);
  const url = new URL(text);
  const timestamp = Math.floor(at / 1000);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method: 'POST',
    // A connection of its own, which was looked up and checked for this request.
    agent: false,
    ...(lookup ? { lookup } : !allowPrivate && { lookup: publicLookup() }),
    signal,
    maxHeaderSize: 8192,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': 'cathedral-data-service',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secret, id, timestamp, body),
    },
  });
  request.once('response', resolve);
  request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  request.end(body);
  return promise;
}

/** The first bytes of a response. Ends the connection. */
async function readStart(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= WEBHOOK_LIMITS.responseBytes || signal.aborted) break;
    }
  } catch {
    // It was cut off: what has arrived is enough for the log.
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, WEBHOOK_LIMITS.responseBytes).toString();
}

function failureOf(status: number, text: string): string {
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`;
  return `status ${status}${text === '' ? '' : `: ${text}`}`;
}

function messageOf(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'no response in time';
  return code && !message.includes(code) ? `${code}: ${message}` : message || String(code ?? name);
}

/** What a receiver says is shown to whoever reads the log. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
