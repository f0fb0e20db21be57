import { type AsyncBuffer, asyncBufferFromUrl, cachedAsyncBuffer } from 'hyparquet';
import { CannotRead } from '../../layout/worker-jobs.ts';

/** A host without ranges sends whole files; of longer ones the transfer is stopped. */
const MOST_WHOLE = 64 << 20;
const RANGE = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/;

/** Counts what was read, for the reader. */
export interface Traffic {
  requests: number;
  bytes: number;
}

export type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/**
 * A published file of which parts are read, by HTTP ranges. A short one, and any from a host without ranges, is read whole and kept. Reading
 * throws CannotRead where the host has another version of the file than the page: parts of two releases make no file.
 */
export async function remoteFile(
  path: string,
  bytes: number,
  traffic: Traffic,
  fetch: Fetch,
): Promise<AsyncBuffer> {
  let first: string | null | undefined;
  const read = async (url: string, init: RequestInit): Promise<Response> => {
    traffic.requests += 1;
    const response = await fetch(url, init);
    const { status, headers } = response;
    if (status !== 200 && status !== 206) throw await refused(response, path);
    if (status === 200 && bytes > MOST_WHOLE) {
      await response.body?.cancel().catch(() => {});
      const words = `${Math.round(bytes / 1e6)} MB`;
      throw new CannotRead(
        `This host sends only whole files, and /${path} has ${words}. Use the service itself, or another mirror, or download the file.`,
      );
    }
    const content = await response.arrayBuffer();
    traffic.bytes += content.byteLength;
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('range') ?? '') ?? [];
    const [total, length] =
      status === 200
        ? [content.byteLength, bytes]
        : [Number(RANGE.exec(headers.get('content-range') ?? '')?.[1]), Number(to) - Number(from) + 1];
    const etag = headers.get('etag');
    if (total !== bytes || (first !== undefined && etag !== first))
      throw new CannotRead(`A newer release has another /${path}. Load this page again.`);
    if (content.byteLength !== length)
      throw new CannotRead(`/${path}: the page asked for ${length} bytes and got ${content.byteLength}.`);
    first = etag;
    return new Response(content, { status });
  };
  const file = await asyncBufferFromUrl({
    url: `/${path}`,
    byteLength: bytes,
    fetch: read as typeof globalThis.fetch,
  });
  return cachedAsyncBuffer(file);
}

/** What a host answers instead of a file, in words. A refusal of the service says why itself (RFC 9457). */
export async function refused(response: Response, path: string): Promise<CannotRead> {
  const text = await response.text().catch(() => '');
  const said = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return new CannotRead(
    `/${path}: the host answered with status ${response.status}${said ? `: ${said}` : '.'}`,
  );
}
