import { CathedralError, errorOf } from '../../errors.ts';
import { type Attempts, reasonOf, retrying, statusFault, TransientFault } from '../../transient-fault.ts';
import { parseRemotePage, type RemoteEvent } from './remote-event.ts';

const failed = errorOf('import_failed');

/** Access to the remote ledger, with effects passed in. `attempts`: per page. */
export interface Remote extends Pick<Attempts, 'attempts' | 'wait'> {
  /** Base address, `https://ledger.example/api`, above `/ledger/events`. */
  baseUrl: URL;
  fetch: typeof fetch;
  /** Time limit of one request. */
  timeoutMs: number;
}

/** Ten times a page of a hundred events of maximum length. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/**
 * One page of the remote ledger. What may pass (a server error, a time-out, a broken connection, text that is no whole
 * JSON) is tried again after 1, 2, 4 … s, or when the server says, within a minute. Throws `import_failed`, naming the URL.
 */
export async function readPage(remote: Remote, limit: number, offset: number): Promise<RemoteEvent[]> {
  const url = pageUrl(remote.baseUrl, limit, offset);
  return retrying(
    remote,
    () => tryPage(remote, url),
    (fault) => failed(url, `a page of events, asked ${remote.attempts} times`, fault.message, fault),
  );
}

function pageUrl(base: URL, limit: number, offset: number): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/ledger/events`;
  url.search = new URLSearchParams({ limit: `${limit}`, offset: `${offset}` }).toString();
  return url.href;
}

async function tryPage(remote: Remote, url: string): Promise<RemoteEvent[]> {
  const text = await readText(remote, url);
  try {
    return parseRemotePage(text, url);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new TransientFault(`${text.length} characters that are not JSON: ${cause.message}`, { cause });
  }
}

async function readText(remote: Remote, url: string): Promise<string> {
  const signal = AbortSignal.timeout(remote.timeoutMs);
  try {
    const headers = { accept: 'application/json' };
    // A response from an address other than the configured one is not this ledger's.
    const response = await remote.fetch(url, { signal, headers, redirect: 'manual' });
    if (response.status !== 200) throw await refusal(response, url);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBody(response, url));
  } catch (cause) {
    if (cause instanceof CathedralError || cause instanceof TransientFault) throw cause;
    if (signal.aborted) throw new TransientFault(`nothing whole within ${remote.timeoutMs} ms`, { cause });
    throw new TransientFault(reasonOf(cause), { cause });
  }
}

async function readBody(response: Response, url: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_PAGE_BYTES) throw failed(url, `at most ${MAX_PAGE_BYTES} bytes`, 'more');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function refusal(response: Response, url: string): Promise<Error> {
  // An unread body would keep its connection open.
  await response.body?.cancel();
  const location = response.headers.get('location');
  const found = `status ${response.status}${location === null ? '' : ` to ${location}`}`;
  return statusFault(response) ?? failed(url, 'status 200', found);
}
