import type { AsyncBuffer } from 'hyparquet';

/** Bytes from `from` up to `to`, exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** The host cannot give what is needed; the message says what it sent. */
export class CannotRead extends Error {}

/** Two parts this close are one request: it costs more than these bytes, and the service counts each. */
const CLOSE_BYTES = 1 << 18;
/** A host without ranges sends whole files; of longer ones the transfer is stopped. */
const MOST_WHOLE = 64 << 20;
const RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;

/** Counts what was read, for the reader. */
export interface Traffic {
  requests: number;
  bytes: number;
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/**
 * A published file of which parts are read, by HTTP ranges. What was read is kept. A host without ranges sends the whole file, which is then
 * kept whole.
 */
export class RangedFile implements AsyncBuffer {
  readonly path: string;
  readonly byteLength: number;
  readonly #traffic: Traffic;
  readonly #fetch: Fetch;
  readonly #parts: (Span & { bytes: Uint8Array })[] = [];
  #etag: string | null = null;

  constructor(path: string, bytes: number, traffic: Traffic, fetch: Fetch) {
    this.path = path;
    this.byteLength = bytes;
    this.#traffic = traffic;
    this.#fetch = fetch;
  }

  async slice(from: number, end = this.byteLength): Promise<ArrayBuffer> {
    const to = Math.min(end, this.byteLength);
    const span = { from: from < 0 ? this.byteLength + from : from, to };
    if (!this.#held(span)) await this.read([span]);
    const part = this.#held(span)!;
    return part.bytes.slice(span.from - part.from, span.to - part.from).buffer as ArrayBuffer;
  }

  /** Bytes of these spans that are still to be read. */
  missing(spans: readonly Span[]): number {
    return this.#gaps(spans).reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Reads these spans, close ones in one request. */
  async read(spans: readonly Span[]): Promise<void> {
    for (const span of this.#gaps(spans)) if (!this.#held(span)) await this.#request(span);
  }

  #held({ from, to }: Span) {
    return this.#parts.find((part) => part.from <= from && part.to >= to);
  }

  #gaps(spans: readonly Span[]): Span[] {
    return joined(spans.filter((span) => span.to > span.from && !this.#held(span)));
  }

  async #request({ from, to }: Span): Promise<void> {
    const headers = { Range: `bytes=${from}-${to - 1}` };
    this.#traffic.requests += 1;
    const response = await this.#fetch(`/${this.path}`, { headers, credentials: 'omit' });
    if (response.status === 200) return this.#takeWhole(response);
    const [, first, last, total] = RANGE.exec(response.headers.get('content-range') ?? '') ?? [];
    if (response.status !== 206 || Number(first) !== from || Number(last) !== to - 1)
      throw await refused(response, this.path);
    const etag = response.headers.get('etag');
    // Parts of two releases make no file.
    if (Number(total) !== this.byteLength || (this.#etag !== null && etag !== this.#etag))
      throw new CannotRead(`A newer release has another /${this.path}. Load this page again.`);
    this.#etag = etag;
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.#traffic.bytes += bytes.length;
    if (bytes.length !== to - from)
      throw new CannotRead(`/${this.path}: ${to - from} bytes were asked for, and ${bytes.length} came.`);
    this.#parts.push({ from, to, bytes });
  }

  async #takeWhole(response: Response): Promise<void> {
    if (this.byteLength > MOST_WHOLE) {
      await response.body?.cancel().catch(() => {});
      const words = `${Math.round(this.byteLength / 1e6)} MB`;
      throw new CannotRead(
        `This host sends only whole files, and /${this.path} has ${words}. Use the service itself, or another mirror, or download the file.`,
      );
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.#traffic.bytes += bytes.length;
    if (bytes.length !== this.byteLength)
      throw new CannotRead(`A newer release has another /${this.path}. Load this page again.`);
    this.#parts.push({ from: 0, to: bytes.length, bytes });
  }
}

/** What a host answers instead of a file, in words. A refusal of the service says why itself (RFC 9457). */
export async function refused(response: Response, path: string): Promise<CannotRead> {
  const text = await response.text().catch(() => '');
  const said = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return new CannotRead(
    `/${path}: the host answered with status ${response.status}${said ? `: ${said}` : '.'}`,
  );
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const before = result.at(-1);
    if (before && from - before.to <= CLOSE_BYTES) before.to = Math.max(before.to, to);
    else result.push({ from, to });
  }
  return result;
}
