import { createReadStream } from 'node:fs';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { AwsV4Signer } from 'aws4fetch';
import { proxiesInUse } from '../config/proxies.ts';
import { CathedralError } from '../errors.ts';
import { reasonOf, retryAfterMs, TransientFault } from '../transient-fault.ts';
import type { Credentials, ObjectAddress } from './object-address.ts';

/** SHA-256 of nothing. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The bytes of a request, whose hash is signed with it, so that the store refuses others. */
export type Content = { sha256: string } & ({ bytes: Uint8Array } | { file: string; size: number });

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The whole key in the bucket; null: the bucket itself. */
  key: string | null;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  content?: Content;
}

/** An answer whose body has not been read yet. The caller reads it or destroys it; otherwise it holds its connection. */
export type S3Answer = IncomingMessage & { statusCode: number };

export interface S3ClientOptions {
  /** Open connections at most, and so concurrent requests; further ones wait. */
  connections: number;
  /** How long the store may send and accept nothing. */
  stallMs: number;
  /** `cathedral-data-service/1.0.0` */
  software: string;
  /** Receives one line when requests have to be signed with the store's time. */
  log: (line: string) => void;
}

/** What the store says about a refused request, from its XML. */
interface Refusal {
  code: string;
  message: string;
}

/** Codes of answers below 500 after which the same request may succeed. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'ConditionalRequestConflict',
  'IncompleteBody',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
  'TooManyRequests',
  'XAmzContentSHA256Mismatch',
]);

const MAX_REFUSAL_BYTES = 65_536;
/**
 * How long a file waits for a store to ask for it. A refusal that comes later is lost: the store closes the connection while the file is
 * sent, and the error of that comes first.
 */
const CONTINUE_MS = 5000;
/** Stores allow 15 minutes between the time of a request and their own. */
const MAX_SKEW_MS = 900_000;

/** Signs requests to one bucket and sends them once. */
export class S3Client {
  readonly #address: ObjectAddress;
  readonly #credentials: Credentials;
  readonly #options: S3ClientOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Of the key that each day's signatures are made with. */
  readonly #cache = new Map<string, ArrayBuffer>();
  /** The store's clock minus this machine's, ms; 0 as long as the store accepts this machine's time. */
  #clockMs = 0;

  constructor(address: ObjectAddress, credentials: Credentials, options: S3ClientOptions) {
    this.#address = address;
    this.#credentials = credentials;
    this.#options = options;
    const Agent = address.endpoint.startsWith('https:') ? HttpsAgent : HttpAgent;
    const { connections: maxSockets } = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'lifo', proxyEnv: proxiesInUse() });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** For messages: `s3+https://host/bucket/key`. */
  placeOf(key: string | null): string {
    return `s3+${this.#address.endpoint}/${this.#address.bucket}${key === null ? '' : `/${key}`}`;
  }

  /**
   * The answer, if its status is 2xx or one of `accepted`. Throws `TransientFault` if the same request may succeed later, and
   * `store_failed` if not.
   */
  async send(request: S3Request, accepted: readonly number[] = []): Promise<S3Answer> {
    const answer = await this.#exchange(request);
    const { statusCode: status } = answer;
    if ((status >= 200 && status < 300) || (accepted.includes(status) && status !== 404)) return answer;
    const refusal = await readRefusal(answer, this.#options.stallMs);
    // A bucket that is gone must not look like one that lacks the object. HEAD does not tell them apart.
    if (status === 404 && accepted.includes(404) && refusal.code !== 'NoSuchBucket') return answer;
    throw this.#refused(request, answer, refusal);
  }

  async #exchange(request: S3Request): Promise<S3Answer> {
    const { method, content } = request;
    const url = new URL(this.#urlOf(request));
    const headers = await this.#sign(request, url);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const { agent, timeout } = { agent: this.#agent, timeout: this.#options.stallMs };
    return new Promise((resolve, reject) => {
      const failed = (cause: unknown) => {
        if (cause instanceof TransientFault || cause instanceof CathedralError) reject(cause);
        else if (isProxyRefusal(cause)) reject(this.#refusedByProxy(request, cause));
        else reject(new TransientFault(reasonOf(cause), { cause }));
      };
      const outgoing = send(url, { method, headers, agent, timeout });
      outgoing.on('error', failed);
      outgoing.on('timeout', () => outgoing.destroy(new TransientFault(`nothing for ${timeout / 1000} s`)));
      outgoing.on('response', (answer) => {
        // From here on, whoever reads the body watches its pace.
        outgoing.setTimeout(0);
        // A refusal that came before the content leaves a connection on which the rest would have to follow.
        answer.once('end', () => outgoing.writableFinished || outgoing.destroy());
        resolve(answer as S3Answer);
      });
      if (content && 'file' in content) sendFile(content.file, outgoing, failed);
      else outgoing.end(content?.bytes);
    });
  }

  #urlOf({ key, query = {} }: S3Request): string {
    const { endpoint, bucket } = this.#address;
    const names = key?.split('/') ?? [];
    // An address cannot say them: they would mean another object.
    if (names.some((name) => name === '.' || name === '..'))
      throw new CathedralError('store_failed', {
        place: this.placeOf(key),
        expected: 'a key without the names . and ..',
        found: 'one of them',
      });
    const path = key === null ? '' : `/${names.map(encode).join('/')}`;
    const search = Object.entries(query)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join('&');
    return `${endpoint}/${bucket}${path}${search && `?${search}`}`;
  }

  async #sign({ method, content, headers = {} }: S3Request, url: URL): Promise<Record<string, string>> {
    const { region } = this.#address;
    const { sessionToken, ...credentials } = this.#credentials;
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': content?.sha256 ?? EMPTY_SHA256 },
      ...credentials,
      ...(sessionToken !== null && { sessionToken }),
      service: 's3',
      region: region ?? regionOf(url.hostname),
      cache: this.#cache,
      datetime: new Date(Date.now() + this.#clockMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
    return {
      ...Object.fromEntries(signed.headers),
      host: url.host,
      'user-agent': this.#options.software.replace(' ', '/'),
      ...(content && { 'content-length': String(sizeOf(content)) }),
      // So that a store that refuses says why before it gets gigabytes.
      ...(content && 'file' in content && { expect: '100-continue' }),
    };
  }

  #refused(request: S3Request, answer: S3Answer, { code, message }: Refusal): Error {
    const status = `status ${answer.statusCode}${code && ` ${code}`}`;
    const found = message ? `${status}: ${message}` : status;
    const place = this.placeOf(request.key);
    const fail = (expected: string, what = found) =>
      new CathedralError('store_failed', { place, expected, found: what });
    const { statusCode, headers } = answer;
    const clockMs = Date.parse(answer.headers.date ?? '') - Date.now();
    // The answer to HEAD has no code.
    const mayBeSkewed = statusCode === 403 && code === '' && Math.abs(clockMs - this.#clockMs) > MAX_SKEW_MS;
    if (code === 'RequestTimeTooSkewed' || mayBeSkewed) return this.#skewed(clockMs, fail);
    if (statusCode === 501) return fail('a store that implements this request', found);
    if (statusCode >= 500 || statusCode === 429 || TRANSIENT_CODES.has(code))
      return new TransientFault(found, { delayMs: retryAfterMs(headers['retry-after'], headers.date) });
    const region = answer.headers['x-amz-bucket-region'];
    if (region || code === 'AuthorizationHeaderMalformed' || (statusCode >= 300 && statusCode < 400))
      return fail(
        `a bucket in the region that the address names${region ? `: add ?region=${region}` : ''}`,
        found,
      );
    const expected = EXPECTED[code];
    if (expected !== undefined)
      return new CathedralError('store_failed', { place: this.placeOf(null), expected, found });
    const usual =
      statusCode === 403 ? `an access key that may do this (${rightsFor(request)})` : 'status 200';
    const silent =
      request.method === 'HEAD' && statusCode === 400
        ? 'credentials that the store accepts, or a session token that has not expired (an answer to HEAD gives no reason)'
        : undefined;
    return fail(EXPECTED_HERE[code] ?? silent ?? usual, found);
  }

  #refusedByProxy({ key }: S3Request, cause: Error): Error {
    return new CathedralError('store_failed', {
      place: this.placeOf(key),
      expected: 'a proxy that lets requests to the store pass',
      found: reasonOf(cause),
      cause,
    });
  }

  /** A request's time is signed. Once refused, requests are signed with the time of the store, `clockMs` ahead of this machine's. */
  #skewed(clockMs: number, fail: (expected: string, found: string) => Error): Error {
    const minutes = Math.round(clockMs / 60_000);
    const found = Number.isNaN(clockMs)
      ? 'one that differs by more than the store allows'
      : `one that is ${Math.abs(minutes)} min ${minutes > 0 ? 'behind' : 'ahead'}`;
    // Also after this machine's clock has been set; but not if the request had the time that the store now says.
    if (!(Math.abs(clockMs - this.#clockMs) > MAX_SKEW_MS / 2))
      return fail("a clock that agrees with the store's", found);
    this.#clockMs = clockMs;
    if (minutes !== 0)
      this.#options.log(
        `${this.placeOf(null)}: the clock of this machine is ${found.slice('one that is '.length)}, so requests are signed with the store's time: set the clock`,
      );
    return new TransientFault(found, { delayMs: 0 });
  }
}

/** What refusals that concern every request expected, by their code. */
const EXPECTED: Readonly<Record<string, string>> = {
  NoSuchBucket: 'an existing bucket',
  InvalidAccessKeyId: 'an access key that the store knows',
  SignatureDoesNotMatch: 'the secret that belongs to the access key',
  ExpiredToken: 'a session token that has not expired',
  InvalidToken: 'a valid session token',
};

/** What refusals of one request expected. Stores give them the status of missing rights, although another key would not help. */
const EXPECTED_HERE: Readonly<Record<string, string>> = {
  QuotaExceeded: 'room in the quota of the bucket and of its owner',
  InvalidObjectState: 'an object that no lifecycle rule has archived',
};

/** As policies name them. Without the right to list, a store does not say that an object is missing, but refuses it. */
function rightsFor({ method, key }: S3Request): string {
  if (method === 'PUT') return 's3:PutObject';
  if (method === 'POST' || method === 'DELETE') return 's3:DeleteObject';
  return key === null ? 's3:ListBucket' : 's3:GetObject and s3:ListBucket';
}

/** Of a tunnel that a proxy does not allow, or only with a password. One that is overloaded or cannot reach the store may do so later. */
function isProxyRefusal(cause: unknown): cause is Error {
  const { code, statusCode = 0 } = cause as { code?: string; statusCode?: number };
  return code === 'ERR_PROXY_TUNNEL' && [401, 403, 407].includes(statusCode);
}

/** Sends a file once the store asks for it, or after `CONTINUE_MS` to one that does not know RFC 9110 §10.1.1. */
function sendFile(file: string, outgoing: ClientRequest, failed: (cause: unknown) => void): void {
  // After what has been received by then is read, which a busy process has not done yet.
  const timer = setTimeout(() => setImmediate(() => send()), CONTINUE_MS);
  let isOver = false;
  const send = () => {
    clearTimeout(timer);
    // A store may ask when the file is already being sent.
    if (isOver || outgoing.destroyed) return;
    isOver = true;
    pipeline(createReadStream(file), outgoing).catch((error) => {
      outgoing.destroy(error);
      failed(error);
    });
  };
  outgoing.once('continue', send);
  for (const event of ['response', 'error', 'close'])
    outgoing.once(event, () => {
      clearTimeout(timer);
      isOver = true;
    });
  outgoing.flushHeaders();
}

/** RFC 3986: everything but unreserved characters, as signatures need it. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Some hosts name their region; most other stores take any. */
function regionOf(hostname: string): string {
  const [, amazon, backblaze] =
    /^s3[.-](?:dualstack\.)?([a-z]{2}-[a-z-]+-\d)\.amazonaws\.com(?:\.cn)?$|^s3\.([a-z0-9-]+)\.backblazeb2\.com$/.exec(
      hostname,
    ) ?? [];
  if (hostname.endsWith('.r2.cloudflarestorage.com')) return 'auto';
  return amazon ?? backblaze ?? 'us-east-1';
}

function sizeOf(content: Content): number {
  return 'file' in content ? content.size : content.bytes.length;
}

/** Throws `TransientFault` if its text does not end in time: what it says decides what comes next. */
async function readRefusal(answer: S3Answer, stallMs: number): Promise<Refusal> {
  const found = `status ${answer.statusCode} with a text that did not end in ${stallMs / 1000} s`;
  const late = setTimeout(() => answer.destroy(new TransientFault(found)), stallMs);
  const bytes = await readAll(answer, MAX_REFUSAL_BYTES).finally(() => clearTimeout(late));
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  const element = (name: string) => new RegExp(`<${name}>([^<]{0,200})</${name}>`).exec(text)?.[1] ?? '';
  return { code: element('Code'), message: element('Message') };
}

/** The whole body; null if it is longer than `maxBytes`. Throws `TransientFault` if it ends early. */
export async function readAll(
  answer: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof TransientFault ? cause : new TransientFault(reasonOf(cause), { cause });
  }
  return Buffer.concat(chunks, bytes);
}
