import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inTurns, measure, median } from './child.ts';
import { atLeast, compare, type Report } from './figure.ts';
import { MILLION, releaseOfMillion } from './million.ts';
import { withScratch } from './scratch.ts';
import { residentMb, type Server, serve } from './server.ts';

const RUNS = 5;
const MOST_FIRST_BYTE_MS = 50;
const MOST_MEMORY_MB = 80;
/** Rows that are looked at in a ms. */
const LEAST_SCANNED = 300;
/** Of a reader on a slow line, bytes in a ms. */
const SLOW_RATE = 20_000;

const WHOLE = { query: 'format=csv', where: 'true' };
/** About one event in a hundred. */
const FILTERED = {
  query: 'format=csv&filter=event_type=out=(heartbeat,attestation,mic_mint)',
  where: "event_type NOT IN ('heartbeat', 'attestation', 'mic_mint')",
};

/** Exports of a million events over HTTP, beside DuckDB's COPY of the same rows from its own table into a file. */
export async function exportRows(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const csv = join(folder, 'export.csv');
    const server = await serve('export-server', [(await releaseOfMillion()).folder]);
    try {
      const memory = await slowReader(server);
      report(compare('memory with a slow reader, above idle ÷ 80 MB', memory, MOST_MEMORY_MB, 'MB', 1));
      await download(server, WHOLE.query, csv);
      const whole = await race(server, WHOLE, [csv, folder]);
      report(
        atLeast('export of 1 000 000 events, beside DuckDB', whole.ours, whole.theirs, 'rows/ms', 1),
        compare('its first byte ÷ 50 ms', whole.firstMs, MOST_FIRST_BYTE_MS, 'ms', 1),
      );
      const filtered = await race(server, FILTERED, [csv, folder]);
      const least = Math.min(LEAST_SCANNED, filtered.theirs);
      report(
        atLeast('export of 1 in 100, rows looked at', filtered.ours, least, 'rows/ms', 1),
        compare('the same, beside DuckDB', filtered.ours, filtered.theirs, 'rows/ms'),
      );
    } finally {
      await server.stop();
    }
  });
}

/** Rows in a ms, and ms until the first byte; medians of runs that take turns. */
async function race(
  server: Server,
  { query, where }: { query: string; where: string },
  reference: readonly string[],
): Promise<{ ours: number; theirs: number; firstMs: number }> {
  const first: number[] = [];
  const { ours, theirs } = await inTurns(RUNS, {
    ours: async () => {
      const { firstMs, ms } = await download(server, query, '/dev/null');
      first.push(firstMs);
      return ms;
    },
    theirs: async () => (await measure('export-reference', [...reference, where])).ms,
  });
  return { ours: MILLION / median(ours), theirs: MILLION / median(theirs), firstMs: median(first) };
}

/** By curl: a reader in Node needs longer for these bytes than the server. Throws where the answer is not 2xx. */
async function download(
  { url }: Server,
  query: string,
  into: string,
): Promise<{ firstMs: number; ms: number }> {
  const times = '%{time_starttransfer} %{time_total}';
  const args = ['--silent', '--show-error', '--fail', '--output', into, '--write-out', times];
  const { stdout } = await promisify(execFile)('curl', [...args, `${url}/?${query}`]);
  const [first, all] = stdout.split(' ').map((seconds) => 1000 * Number(seconds)) as [number, number];
  return { firstMs: first, ms: all };
}

/** The most memory that the server holds while somebody reads slowly, above what it held before, in MB. */
async function slowReader(server: Server): Promise<number> {
  const idle = residentMb(server);
  const [answer] = (await once(get(`${server.url}/?${WHOLE.query}`), 'response')) as [IncomingMessage];
  const start = performance.now();
  let bytes = 0;
  let most = idle;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    const ahead = bytes / SLOW_RATE - (performance.now() - start);
    if (ahead < 50) continue;
    await setTimeout(ahead);
    most = Math.max(most, residentMb(server));
  }
  return most - idle;
}
