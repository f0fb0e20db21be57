import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
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
      const { answer } = await request(server, WHOLE.query);
      await pipeline(answer, createWriteStream(csv));
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
      const start = performance.now();
      const { answer, firstMs } = await request(server, query);
      for await (const _ of answer);
      first.push(firstMs);
      return performance.now() - start;
    },
    theirs: async () => (await measure('export-reference', [...reference, where])).ms,
  });
  return { ours: MILLION / median(ours), theirs: MILLION / median(theirs), firstMs: median(first) };
}

/** An answer whose first bytes are there, and how long they took. */
async function request(
  { url }: Server,
  query: string,
): Promise<{ answer: IncomingMessage; firstMs: number }> {
  const start = performance.now();
  const [answer] = (await once(get(`${url}/?${query}`), 'response')) as [IncomingMessage];
  await once(answer, 'readable');
  return { answer, firstMs: performance.now() - start };
}

/** The most memory that the server holds while somebody reads slowly, above what it held before, in MB. */
async function slowReader(server: Server): Promise<number> {
  const idle = residentMb(server);
  const { answer } = await request(server, WHOLE.query);
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
