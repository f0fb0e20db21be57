import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pour } from '../contract/lies/host.ts';
import { CREDENTIALS } from './object-store.ts';

export interface StoredObject {
  bytes: Buffer;
  /** Without quotes. */
  etag: string;
  /** Content type and others that were stored with it. */
  headers: Record<string, string>;
  /** ms since 1970 */
  modified: number;
}

export interface S3Call {
  method: string;
  bucket: string;
  /** Empty: the bucket itself. */
  key: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
}

/** What goes wrong with one call. */
export type StoreFault =
  /** It is refused. */
  | { status: number; code?: string; headers?: Record<string, string> }
  /** The body of the answer breaks off in the middle. */
  | 'truncated'
  /** The body of the answer is shorter than the object, and complete as far as HTTP goes. */
  | 'shortened'
  /** The body comes a byte at a time. */
  | 'trickling'
  /** The body has no end. */
  | 'endless'
  /** One byte of the body differs. */
  | 'altered'
  /** The connection ends before anything is done. */
  | 'lost'
  /** The call is carried out, and its answer lost. */
  | 'answer lost'
  /** Nothing is done or answered. */
  | 'silent'
  /** It is refused, and the text that should say why does not come. */
  | 'mute'
  /** It asks for the file when that has begun to arrive. */
  | 'asked late'
  /** The answer comes that much later. */
  | { pauseMs: number };

export interface InProcessStoreOptions {
  /** How it takes entity tags; `ignored`: it answers 200 whatever the condition says; `refused`: 501, as OpenStack Swift does. */
  conditions?: 'quoted' | 'unquoted' | 'ignored' | 'refused';
  region?: string;
  /** Its clock minus this machine's. */
  clockMs?: number;
  /** Keys on one page of a list. */
  pageSize?: number;
}

/** How far a request's time may be from the store's: 15 minutes, as S3 has it. */
const MAX_SKEW_MS = 900_000;

/**
 * A small S3 server in the process of the tests, for the faults that a real store does not have on demand. It checks signatures,
 * hashes and times, and keeps objects in memory.
 */
export class InProcessStore {
  /** `bucket/key` → object */
  readonly objects = new Map<string, StoredObject>();
  readonly buckets = new Set<string>();
  /** Answers without an end that somebody still receives. */
  pouring = 0;
  /** Every call, in the order of arrival. */
  readonly calls: S3Call[] = [];
  /** Decides what goes wrong with a call, the first of which has the number 1. */
  plan: (call: S3Call, number: number) => StoreFault | null | undefined = () => null;
  /** Its clock minus this machine's. */
  clockMs: number;
  readonly endpoint: string;
  readonly #server: Server;
  readonly #options: Required<InProcessStoreOptions>;

  private constructor(server: Server, options: Required<InProcessStoreOptions>) {
    this.#server = server;
    this.#options = options;
    this.clockMs = options.clockMs;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(options: InProcessStoreOptions = {}): Promise<InProcessStore> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const defaults = { conditions: 'quoted', region: 'us-east-1', clockMs: 0, pageSize: 1000 } as const;
    const store = new InProcessStore(server, { ...defaults, ...options });
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void store.#answer(request, response).catch((error) => response.destroy(error));
    server.on('request', answer);
    server.on('checkContinue', answer);
    return store;
  }

  /** Makes a bucket, and returns its address. */
  bucket(name = 'bucket', parameters = ''): string {
    this.buckets.add(name);
    return `s3+${this.endpoint}/${name}${parameters}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get #now(): number {
    return Date.now() + this.clockMs;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.endpoint);
    const [, bucket = '', ...key] = url.pathname.split('/').map(decodeURIComponent);
    const { method = '', headers } = request;
    const call = { method, bucket, key: key.join('/'), query: url.searchParams, headers };
    this.calls.push(call);
    const fault = this.plan(call, this.calls.length);
    if (fault === 'silent') return;
    if (fault === 'mute') {
      response.writeHead(503, { 'content-length': 1 }).flushHeaders();
      return;
    }
    if (fault === 'lost') {
      response.destroy();
      return;
    }
    const isRefused = typeof fault === 'object' && fault !== null && 'status' in fault;
    const isExpecting = headers.expect !== undefined;
    if (fault === 'asked late') await once(request, 'readable');
    if (isExpecting && !isRefused) response.writeContinue();
    const body = isExpecting && isRefused ? Buffer.alloc(0) : await readBody(request);
    const answer = isRefused
      ? refuse(fault.status, fault.code ?? '', fault.headers)
      : (this.#checkSignature(request, url, body) ?? this.#carryOut(call, body));
    if (fault && typeof fault === 'object' && 'pauseMs' in fault)
      await new Promise((resolve) => setTimeout(resolve, fault.pauseMs));
    if (fault === 'endless') this.#pour(response.writeHead(answer.status, answer.headers));
    else if (fault === 'answer lost') response.destroy();
    else send(response, method, { ...answer, headers: { ...answer.headers, date: this.#httpDate() } }, fault);
  }

  #pour(response: ServerResponse): void {
    this.pouring += 1;
    response.on('close', () => (this.pouring -= 1));
    pour(response);
  }

  #httpDate(): string {
    return new Date(this.#now).toUTCString();
  }

  /** AWS Signature Version 4. Null: it is right. */
  #checkSignature(request: IncomingMessage, url: URL, body: Buffer): Answer | null {
    const { headers } = request;
    const [, id, day, region, names = '', signature = ''] =
      /^AWS4-HMAC-SHA256 Credential=(.+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const time = `${headers['x-amz-date']}`;
    const hash = `${headers['x-amz-content-sha256']}`;
    if (id === undefined) return refuse(403, 'AccessDenied');
    if (id !== CREDENTIALS.accessKeyId) return refuse(403, 'InvalidAccessKeyId');
    if (region !== this.#options.region)
      return refuse(400, 'AuthorizationHeaderMalformed', { 'x-amz-bucket-region': this.#options.region });
    const signed = names.split(';');
    const needed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
    if (needed.some((name) => !signed.includes(name))) return refuse(403, 'AccessDenied');
    const canonical = [
      request.method,
      url.pathname,
      [...url.search.slice(1).split('&')].sort().join('&'),
      ...signed.map((name) => `${name}:${headers[name]}`),
      '',
      names,
      hash,
    ].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
    const hmac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest();
    const key = [day!, region!, 's3', 'aws4_request'].reduce<string | Buffer>(
      hmac,
      `AWS4${CREDENTIALS.secretAccessKey}`,
    );
    if (!timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex')))
      return refuse(403, 'SignatureDoesNotMatch');
    const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
    if (!(Math.abs(at - this.#now) < MAX_SKEW_MS)) return refuse(403, 'RequestTimeTooSkewed');
    const isRight = hash === 'UNSIGNED-PAYLOAD' || hash === sha256(body);
    return isRight ? null : refuse(400, 'XAmzContentSHA256Mismatch');
  }

  #carryOut({ method, bucket, key, query, headers }: S3Call, body: Buffer): Answer {
    if (!this.buckets.has(bucket)) return refuse(404, 'NoSuchBucket');
    if (key === '') {
      if (method === 'POST' && query.has('delete')) return this.#deleteAll(bucket, body);
      return method === 'GET' ? this.#list(bucket, query) : refuse(405, 'MethodNotAllowed');
    }
    const name = `${bucket}/${key}`;
    if (method === 'PUT') return this.#put(name, headers, body);
    if (method === 'DELETE') {
      this.objects.delete(name);
      return { status: 204 };
    }
    const object = this.objects.get(name);
    return object ? part(object, headers) : refuse(404, 'NoSuchKey');
  }

  #put(name: string, headers: S3Call['headers'], bytes: Buffer): Answer {
    const { conditions } = this.#options;
    const standing = this.objects.get(name);
    const { 'if-none-match': absent, 'if-match': tag } = headers;
    if (conditions === 'refused' && (absent ?? tag) !== undefined) return refuse(501, 'NotImplemented');
    if (conditions !== 'ignored') {
      if (absent === '*' && standing) return refuse(412, 'PreconditionFailed');
      const own = standing && (conditions === 'quoted' ? `"${standing.etag}"` : standing.etag);
      if (tag !== undefined && tag !== own) return refuse(412, 'PreconditionFailed');
    }
    const kept = Object.entries(headers).filter(([header]) => KEPT.test(header));
    const etag = createHash('md5').update(bytes).digest('hex');
    const modified = this.#now;
    this.objects.set(name, {
      bytes,
      etag,
      headers: Object.fromEntries(kept) as StoredObject['headers'],
      modified,
    });
    return { status: 200, headers: { etag: `"${etag}"` } };
  }

  #list(bucket: string, query: URLSearchParams): Answer {
    const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
    const after = query.get('continuation-token') ?? '';
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, this.#options.pageSize);
    const contents = page.map((name) => {
      const { etag, bytes, modified } = this.objects.get(name)!;
      const key = encodeURIComponent(name.slice(bucket.length + 1));
      const time = new Date(modified).toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${time}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.length}</Size></Contents>`;
    });
    const isTruncated = page.length < names.length;
    // A name that XML has to escape would need to be; the tests' keys are plain where lists have several pages.
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const xml = `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`;
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(xml) };
  }

  #deleteAll(bucket: string, body: Buffer): Answer {
    const text = body.toString();
    for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
      this.objects.delete(
        `${bucket}/${key.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))}`,
      );
    return { status: 200, body: Buffer.from('<DeleteResult></DeleteResult>') };
  }
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** The headers of a PUT that come back with the object. */
const KEPT =
  /^(content-type|content-encoding|content-language|content-disposition|cache-control|expires|x-amz-meta-.*)$/;

function refuse(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as planned</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml', ...headers }, body: Buffer.from(body) };
}

function part({ bytes, etag, headers }: StoredObject, request: S3Call['headers']): Answer {
  const own = { ...headers, etag: `"${etag}"` };
  if (request['if-none-match']?.replaceAll('"', '') === etag) return { status: 304, headers: own };
  const [, first] = /^bytes=(\d+)-$/.exec(request.range ?? '') ?? [];
  if (first === undefined) return { status: 200, headers: own, body: bytes };
  const from = Number(first);
  if (from >= bytes.length) return refuse(416, 'InvalidRange');
  const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  return { status: 206, headers: { ...own, 'content-range': range }, body: bytes.subarray(from) };
}

function send(
  response: ServerResponse,
  method: string,
  { status, headers = {}, body = Buffer.alloc(0) }: Answer,
  fault: StoreFault | null | undefined,
): void {
  const half = body.subarray(0, Math.ceil(body.length / 2));
  const sent = fault === 'shortened' ? half : fault === 'altered' ? altered(body) : body;
  response.writeHead(status, { ...headers, ...(status !== 304 && { 'content-length': sent.length }) });
  if (method === 'HEAD' || status === 304) response.end();
  else if (fault === 'trickling') trickle(response, sent);
  else if (fault === 'truncated') response.write(half, () => response.destroy());
  else response.end(sent);
}

function trickle(response: ServerResponse, body: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(at, at + 1));
    at += 1;
    if (at === body.length) response.end();
    if (at === body.length || response.destroyed) clearInterval(timer);
  }, 20);
}

function altered(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  if (copy.length > 0) copy[copy.length >> 1]! ^= 1;
  return copy;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
