import { createServer } from 'node:http';
import { listen } from '../listen.ts';
import type { SharedBrowser } from '../setups/use-browser.ts';
import { visit } from '../site/visit.ts';

/** Headers that scripts send: each needs a preflight, or comes with one that another header needs. */
const SENT: readonly Record<string, string>[] = [
  {},
  { 'Cache-Control': 'no-cache' },
  { Pragma: 'no-cache' },
  { 'If-Unmodified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
  { 'If-None-Match': '"x"', 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  { Range: 'bytes=0-1', 'If-Range': '"x"' },
  { 'Last-Event-ID': '5' },
  { 'X-Requested-With': 'XMLHttpRequest' },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x-client': 'a' },
];

/** Of these addresses, which a page of another origin cannot read, with the headers that it sends: a real browser asks for each. */
export async function unreadableElsewhere(
  browser: SharedBrowser,
  addresses: readonly string[],
  also: readonly Record<string, string>[] = [],
): Promise<string[]> {
  const other = createServer((_, response) => response.end('<!doctype html>'));
  const { origin } = await listen(other);
  try {
    await using visited = await visit(browser, `${origin}/`);
    const read = async (asked: [string, Record<string, string>][]) => {
      const failed: string[] = [];
      for (const [address, headers] of asked)
        await fetch(address, { headers }).catch(() =>
          failed.push(`${address} with ${Object.keys(headers).join(', ')}`),
        );
      return failed;
    };
    const all = addresses.flatMap((address) =>
      [...SENT, ...also].map((headers): [string, Record<string, string>] => [address, headers]),
    );
    return await visited.page.evaluate(read, all);
  } finally {
    other.close();
  }
}
