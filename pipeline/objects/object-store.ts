import { createHash, randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../errors.ts';
import { leastOf, Pace, STALL_MS } from '../pace.ts';
import { reasonOf, retrying, TransientFault } from '../transient-fault.ts';
import { formatDeletion, type ListedObject, parseDeletion, parseListing } from './listing.ts';
import { type Credentials, type ObjectAddress, parseObjectAddress } from './object-address.ts';
import {
  type Content,
  readAll,
  type S3Answer,
  S3Client,
  type S3ClientOptions,
  type S3Request,
} from './s3-client.ts';

/**
 * How a store takes the entity tag of a conditional write: with quotes as RFC 9110 says (AWS, R2, MinIO), or without (Ceph). `none`: it
 * does not know conditions, or ignores them.
 */
export type Conditions = 'none' | 'quoted' | 'unquoted';

export interface ObjectHead {
  /** Without quotes. */
  etag: string;
  bytes: number;
  /** As `put` stored it; null for objects that something else wrote. */
  sha256: string | null;
  /** The time of the store when it answered, ms since 1970; null if it did not say. */
  date: number | null;
}

export interface DescribedObject extends ObjectHead {
  /** By name in lower case: `content-type`, `cache-control`. */
  headers: Readonly<Record<string, string>>;
}

export interface FoundObject extends Omit<ObjectHead, 'bytes'> {
  /** Of the whole object; the body begins at `from`. */
  bytes: number;
  /** Ends with an error if the connection breaks for good; resumes by itself after a fault that passes. */
  body: AsyncIterable<Uint8Array>;
}

/** What `put` stores. `sha256` is the hash of the content, in hex. */
export type NewObject = {
  sha256: string;
  /** `content-type`, `cache-control` and others that the store returns with the object. */
  headers?: Readonly<Record<string, string>>;
} & ({ bytes: Uint8Array } | { file: string });

/** Creates only, or replaces only the object with this entity tag. */
export type When = 'absent' | { etag: string };

/** Keys are relative to the prefix of the address. Every method retries what may pass, and otherwise throws `store_failed`. */
export interface ObjectStore {
  /** `s3+https://objects.example.org/releases/north` */
  readonly name: string;
  readonly conditions: Conditions;
  /** `from`: the first byte wanted. Null: there is no such object. */
  get(key: string, from?: number): Promise<FoundObject | null>;
  /** A whole small object. Throws `store_failed` if it is longer than `maxBytes` or has another hash than `sha256`. */
  read(
    key: string,
    maxBytes: number,
    sha256?: string,
  ): Promise<(ObjectHead & { content: Uint8Array }) | null>;
  head(key: string): Promise<DescribedObject | null>;
  /**
   * Stores an object whole, or not at all. `refused`: the condition does not hold. Where the store has no conditions, they are
   * checked before, so of two writers at once both may succeed.
   */
  put(key: string, object: NewObject, when?: When): Promise<{ etag: string } | 'refused'>;
  /** In the order of their keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Missing objects are no error. */
  delete(keys: Iterable<string>): Promise<void>;
  close(): void;
}

export interface ObjectStoreOptions extends Pick<S3ClientOptions, 'software'> {
  /** `read` needs no permission to write, and looks for no conditions. */
  access: 'read' | 'write';
  /** Concurrent requests. */
  connections?: number;
  /** How long a transfer may stay below 8 kB per second, or an answer may take. */
  stallMs?: number;
  /** Attempts for each request. */
  attempts?: number;
  wait?: (ms: number) => Promise<void>;
  /** Receives one line for each retry after a long delay, and for a wrong clock. */
  log?: (line: string) => void;
}

/** Parallel transfers of small files; more gain nothing on one network line. */
const CONNECTIONS = 16;
/** After 0.25, 0.5, 1, 2 and 4 s: stores that ask to slow down do so for seconds. */
const ATTEMPTS = 6;
const FIRST_DELAY_MS = 250;

/** What S3 takes in one PUT. Larger objects would need a multipart upload. */
const MAX_PUT_BYTES = 5 * 1024 ** 3;
/** Longer files are streamed, once the store asks for them. */
const MAX_MEMORY_BYTES = 1024 ** 2;
/** Of a body that nobody reads, such as the page of a proxy. */
const MAX_UNREAD_BYTES = 1 << 20;
const MAX_LISTING_BYTES = 16 * 1024 ** 2;
const DELETE_AT_ONCE = 1000;

/** Always the same content, so that its entity tag stays while conditions are tried. */
const PROBE_BYTES = Buffer.from('Which conditions does this store know?\n');
const PROBE = { bytes: PROBE_BYTES, sha256: createHash('sha256').update(PROBE_BYTES).digest('hex') };
/** Of another content. */
const OTHER_ETAG = '00000000000000000000000000000000';

/**
 * Opens a bucket and finds out what it can do. `credentials` are those of the environment; those in the address come first. Throws
 * `config_invalid` for an address or credentials that cannot be right, and `store_failed` if the store refuses them.
 */
export async function openObjectStore(
  text: string,
  credentials: Credentials | null,
  options: ObjectStoreOptions,
): Promise<ObjectStore> {
  const store = objectStoreAt(text, credentials, options);
  try {
    await store.probe();
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Sends nothing yet: for a server that has to start while the store is down, and calls `probe` later. */
export function objectStoreAt(
  text: string,
  credentials: Credentials | null,
  options: ObjectStoreOptions,
): S3Store {
  const address = parseObjectAddress(text);
  const used = address.credentials ?? credentials;
  if (used === null)
    throw new CathedralError('config_invalid', {
      place: address.name,
      expected: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      found: 'no credentials',
    });
  return new S3Store(address, used, options);
}

/** A bucket of an S3-compatible store, addressed by path. */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #options: Required<ObjectStoreOptions>;
  #conditions: Conditions = 'none';

  constructor(address: ObjectAddress, credentials: Credentials, options: ObjectStoreOptions) {
    this.name = address.name;
    this.#prefix = address.prefix;
    this.#options = {
      connections: CONNECTIONS,
      stallMs: STALL_MS,
      attempts: ATTEMPTS,
      wait: (ms) => sleep(ms),
      log: () => {},
      ...options,
    };
    this.#client = new S3Client(address, credentials, this.#options);
  }

  get conditions(): Conditions {
    return this.#conditions;
  }

  close(): void {
    this.#client.close();
  }

  /** Throws `store_failed` if the store refuses the credentials, has no such bucket, or does not answer. */
  async probe(): Promise<void> {
    if (this.#options.access === 'write') this.#conditions = await this.#findConditions();
    else for await (const _ of this.list('')) break;
  }

  /** Tries conditions on an object of its own, because stores that ignore them answer 200 all the same. */
  async #findConditions(): Promise<Conditions> {
    const key = `probe/${randomUUID()}`;
    const write = (condition: Record<string, string>) => this.#write(key, condition);
    const { etag } = await write({});
    try {
      const refused = await Promise.all([
        write({ 'if-none-match': '*' }),
        write({ 'if-match': `"${OTHER_ETAG}"` }),
        write({ 'if-match': OTHER_ETAG }),
      ]);
      if (refused.some(({ status }) => status !== 412)) return 'none';
      const [quoted, unquoted] = await Promise.all([
        write({ 'if-match': `"${etag}"` }),
        write({ 'if-match': etag }),
      ]);
      if (quoted.status === 200) return 'quoted';
      return unquoted.status === 200 ? 'unquoted' : 'none';
    } finally {
      await this.delete([key]);
    }
  }

  /** The status tells whether the store knows the condition, and whether it holds. */
  #write(key: string, condition: Record<string, string>): Promise<{ status: number; etag: string }> {
    const request = { method: 'PUT', key: this.#whole(key), headers: condition, content: PROBE } as const;
    const unknown = Object.keys(condition).length > 0 ? [400, 412, 501] : [];
    return this.#retrying(key, async () => {
      const answer = await this.#send(request, unknown);
      this.#leave(answer);
      return { status: answer.statusCode, etag: etagOf(answer) };
    });
  }

  async get(key: string, from = 0): Promise<FoundObject | null> {
    const answer = await this.#retrying(key, () => this.#open(key, from));
    if (answer === null) return null;
    const head = headOf(answer);
    const bytes = answer.statusCode === 206 ? totalOf(answer) : head.bytes;
    return { ...head, bytes, body: this.#body(key, answer, from, { ...head, bytes }) };
  }

  async read(
    key: string,
    maxBytes: number,
    sha256?: string,
  ): Promise<(ObjectHead & { content: Uint8Array }) | null> {
    return this.#retrying(key, async () => {
      const answer = await this.#open(key, 0);
      if (answer === null) return null;
      const content = await readAll(this.#paced(answer), maxBytes);
      if (content === null)
        throw this.#failed(key, `at most ${maxBytes} bytes`, `${answer.headers['content-length'] ?? 'more'}`);
      const found = createHash('sha256').update(content).digest('hex');
      if (sha256 !== undefined && found !== sha256)
        throw new TransientFault(`content with the SHA-256 ${found} instead of ${sha256}`);
      return { ...headOf(answer), bytes: content.length, content };
    });
  }

  async head(key: string): Promise<DescribedObject | null> {
    return this.#retrying(key, async () => {
      const answer = await this.#send({ method: 'HEAD', key: this.#whole(key) }, [404]);
      this.#leave(answer);
      if (answer.statusCode === 404) return null;
      return { ...headOf(answer), headers: answer.headers as Record<string, string> };
    });
  }

  async put(key: string, object: NewObject, when?: When): Promise<{ etag: string } | 'refused'> {
    const { sha256 } = object;
    const size = 'file' in object ? (await stat(object.file)).size : object.bytes.length;
    if (size > MAX_PUT_BYTES)
      throw this.#failed(
        key,
        `at most ${MAX_PUT_BYTES} bytes, because multipart uploads are not used`,
        `${size}`,
      );
    const content: Content =
      'file' in object && size > MAX_MEMORY_BYTES
        ? { sha256, file: object.file, size }
        : { sha256, bytes: 'file' in object ? await readFile(object.file) : object.bytes };
    if (when !== undefined && this.#conditions === 'none' && !(await this.#holds(key, when)))
      return 'refused';
    const headers = { ...object.headers, 'x-amz-meta-sha256': sha256, ...this.#conditionOf(when) };
    let isRetry = false;
    return this.#retrying(key, async () => {
      const wasTried = isRetry;
      isRetry = true;
      const answer = await this.#send({ method: 'PUT', key: this.#whole(key), headers, content }, [404, 412]);
      this.#leave(answer);
      if (answer.statusCode < 300) return { etag: etagOf(answer) };
      // Only a condition on an object that is gone meets 404; a missing bucket has been refused.
      if (when === undefined) throw this.#failed(key, 'status 200', `status ${answer.statusCode}`);
      // The answer to an earlier attempt may have been lost.
      const standing = wasTried ? await this.head(key) : null;
      return standing?.sha256 === sha256 ? { etag: standing.etag } : 'refused';
    });
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    let next: string | null = null;
    do {
      const query: Record<string, string> = {
        'list-type': '2',
        'encoding-type': 'url',
        prefix: `${this.#prefix}${prefix}`,
        ...(next !== null && { 'continuation-token': next }),
      };
      const page = await this.#retrying(null, async () => {
        const answer = await this.#send({ method: 'GET', key: null, query });
        const xml = await readAll(this.#paced(answer), MAX_LISTING_BYTES);
        const parsed = xml && parseListing(new TextDecoder().decode(xml));
        if (!parsed) throw this.#failed(prefix, 'a list of objects', 'another answer');
        return parsed;
      });
      for (const object of page.objects) yield { ...object, key: object.key.slice(this.#prefix.length) };
      next = page.next;
    } while (next !== null);
  }

  async delete(keys: Iterable<string>): Promise<void> {
    const all = [...keys].map((key) => this.#whole(key));
    for (let at = 0; at < all.length; at += DELETE_AT_ONCE)
      await this.#deleteSome(all.slice(at, at + DELETE_AT_ONCE));
  }

  async #deleteSome(keys: readonly string[]): Promise<void> {
    const bytes = Buffer.from(formatDeletion(keys));
    const hash = (algorithm: string, encoding: 'hex' | 'base64') =>
      createHash(algorithm).update(bytes).digest(encoding);
    await this.#retrying(null, async () => {
      const answer = await this.#send({
        method: 'POST',
        key: null,
        query: { delete: '' },
        // Required here, and the one checksum that all stores know.
        headers: { 'content-md5': hash('md5', 'base64'), 'content-type': 'application/xml' },
        content: { bytes, sha256: hash('sha256', 'hex') },
      });
      const xml = await readAll(this.#paced(answer), MAX_LISTING_BYTES);
      const left = parseDeletion(new TextDecoder().decode(xml ?? new Uint8Array()));
      if (left === null) return;
      if (left.code === 'InternalError' || left.code === 'SlowDown') throw new TransientFault(left.code);
      throw this.#failed(left.key.slice(this.#prefix.length), 'permission to delete', left.code);
    });
  }

  /** Without conditions of the store: two writers may both see that theirs holds. */
  async #holds(key: string, when: When): Promise<boolean> {
    const found = await this.head(key);
    return when === 'absent' ? found === null : found?.etag === when.etag;
  }

  #conditionOf(when: When | undefined): Record<string, string> {
    if (when === undefined || this.#conditions === 'none') return {};
    if (when === 'absent') return { 'if-none-match': '*' };
    return { 'if-match': this.#conditions === 'quoted' ? `"${when.etag}"` : when.etag };
  }

  async #open(key: string, from: number): Promise<S3Answer | null> {
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const answer = await this.#send({ method: 'GET', key: this.#whole(key), headers }, [404, 416]);
    const { statusCode: status } = answer;
    if (status === 404) {
      this.#leave(answer);
      return null;
    }
    if (status === 416 || (from > 0 && status !== 206)) {
      answer.destroy();
      throw this.#failed(key, `the bytes from ${from} on`, `status ${status}`);
    }
    return answer;
  }

  async *#body(
    key: string,
    first: S3Answer,
    from: number,
    { etag, bytes }: ObjectHead,
  ): AsyncGenerator<Uint8Array> {
    const { attempts, stallMs } = this.#options;
    let at = from;
    let answer = first;
    for (let failures = 0; ; ) {
      const start = at;
      try {
        for await (const chunk of this.#paced(answer)) {
          at += chunk.length;
          yield chunk;
        }
        return;
      } catch (error) {
        if (!(error instanceof TransientFault)) throw error;
        // An endless trickle is no progress.
        failures = at - start >= leastOf(stallMs) ? 1 : failures + 1;
        if (failures >= attempts) throw this.#failed(key, `${bytes} bytes`, error.message, error);
      }
      const again = await this.#retrying(key, () => this.#open(key, at));
      if (again === null || etagOf(again) !== etag)
        throw this.#failed(key, `the object ${etag}, of which ${at} bytes were read`, 'another one');
      answer = again;
    }
  }

  /** The body of an answer. Throws `TransientFault` if it stalls or ends early. */
  async *#paced(answer: S3Answer): AsyncGenerator<Uint8Array> {
    const pace = new Pace(this.#options.stallMs, undefined);
    pace.signal.addEventListener('abort', () => answer.destroy(pace.signal.reason));
    const expected = Number(answer.headers['content-length'] ?? Number.NaN);
    let bytes = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Uint8Array>) {
        pace.add(chunk.length);
        bytes += chunk.length;
        pace.isHeld = true;
        yield chunk;
        pace.isHeld = false;
      }
    } catch (cause) {
      throw cause instanceof TransientFault ? cause : new TransientFault(reasonOf(cause), { cause });
    } finally {
      pace.end();
      answer.destroy();
    }
    if (bytes < expected) throw new TransientFault(`${bytes} of ${expected} bytes`);
  }

  /** The body says nothing, and is read so that the connection can be used again, unless it is longer than any such body. */
  #leave(answer: S3Answer): void {
    void readAll(this.#paced(answer), MAX_UNREAD_BYTES).catch(() => {});
  }

  #send(request: S3Request, accepted?: readonly number[]): Promise<S3Answer> {
    return this.#client.send(request, accepted);
  }

  #retrying<T>(key: string | null, work: () => Promise<T>): Promise<T> {
    const { attempts, wait, log } = this.#options;
    const place = this.#client.placeOf(key === null ? null : this.#whole(key));
    let began = 0;
    const told = ({ message }: TransientFault, ms: number) => {
      // A store that hangs takes long although the delay is short.
      if (ms + performance.now() - began >= 1000) log(`${place}: ${message}; trying again in ${ms / 1000} s`);
    };
    const timed = () => {
      began = performance.now();
      return work();
    };
    return retrying({ attempts, wait, firstDelayMs: FIRST_DELAY_MS, told }, timed, (fault) =>
      this.#failed(key, `an answer within ${attempts} attempts`, fault.message, fault),
    );
  }

  #whole(key: string): string {
    return `${this.#prefix}${key}`;
  }

  #failed(key: string | null, expected: string, found: string, cause?: unknown): CathedralError {
    const place = this.#client.placeOf(key === null ? null : this.#whole(key));
    return new CathedralError('store_failed', { place, expected, found, cause });
  }
}

function headOf(answer: S3Answer): ObjectHead {
  const { headers } = answer;
  const date = Date.parse(headers.date ?? '');
  const sha256 = headers['x-amz-meta-sha256'];
  return {
    etag: etagOf(answer),
    bytes: Number(headers['content-length'] ?? 0),
    sha256: typeof sha256 === 'string' ? sha256 : null,
    date: Number.isNaN(date) ? null : date,
  };
}

function etagOf({ headers }: S3Answer): string {
  return (headers.etag ?? '').replace(/^W\//, '').replaceAll('"', '');
}

/** Of a part, RFC 9110 §14.4. */
function totalOf({ headers }: S3Answer): number {
  return Number(/\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1] ?? 0);
}
