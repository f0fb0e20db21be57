import { type AsyncBuffer, cachedAsyncBuffer } from 'hyparquet';
import { bytesOf, CannotRead } from '../../layout/worker-jobs.ts';

/** A host without ranges sends whole files; of longer ones the transfer is stopped. */
const MOST_WHOLE = 64 << 20;
const RANGE = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/;

/** Counts what was read, for the reader. */
export interface Traffic {
  requests: number;
  bytes: number;
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** Where files are asked for, and what counts it. */
export interface Host {
  fetch: Fetch;
  traffic: Traffic;
  /** Whether it is this service's server, which has earlier versions of files. */
  isServed: () => Promise<boolean>;
}

/** What a host answers; a refusal of the service says why itself (RFC 9457). Throws CannotRead. */
export async function ask({ fetch, traffic }: Host, path: string, init: RequestInit = {}): Promise<Response> {
  traffic.requests += 1;
  const response = await fetch(`/${path}`, init);
  const { status } = response;
  if (status === 200 || status === 206) return response;
  const text = await response.text().catch(() => '');
  const said = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  throw new CannotRead(`/${path}: the host answered with status ${status}${said ? `: ${said}` : '.'}`);
}

/**
 * A published file of which parts are read, by HTTP ranges; one from a host without ranges is read whole and kept. Reading throws CannotRead
 * where the host has another version of the file than the page: parts of two releases make no file.
 */
export function remoteFile(host: Host, path: string, bytes: number): AsyncBuffer {
  let whole: ArrayBuffer | undefined;
  let known: string | null | undefined;
  const slice = async (start: number, end = bytes): Promise<ArrayBuffer> => {
    if (whole) return whole.slice(start, end);
    const response = await ask(host, path, { headers: { range: `bytes=${start}-${end - 1}` } });
    const { status, headers, body } = response;
    if (status === 200 && bytes > MOST_WHOLE) {
      await body?.cancel().catch(() => {});
      const words = `${Math.round(bytes / 1e6)} MB`;
      throw new CannotRead(
        `This host sends only whole files, and /${path} has ${words}. Use the service itself, or another mirror, or download the file.`,
      );
    }
    const content = await bytesOf(`/${path}`, response);
    host.traffic.bytes += content.byteLength;
    const etag = headers.get('etag');
    const total =
      status === 200 ? content.byteLength : Number(RANGE.exec(headers.get('content-range') ?? '')?.[1]);
    if (total !== bytes || (known !== undefined && etag !== known))
      throw new CannotRead(`A newer release has another /${path}. Load this page again.`);
    known = etag;
    if (status === 200) whole = content;
    const part = whole ? whole.slice(start, end) : content;
    if (part.byteLength !== end - start)
      throw new CannotRead(`/${path}: the page asked for ${end - start} bytes and got ${part.byteLength}.`);
    return part;
  };
  return cachedAsyncBuffer({ byteLength: bytes, slice });
}
