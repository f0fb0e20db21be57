import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresServer } from '../engines/postgres.ts';
import { measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

const ROWS = 1_000_000;
/** The import takes a minute or longer, so it is measured once. */
const COPIES = 3;
const MOST_MEMORY_MB = 300;

/** Positions of a few sentences, five seconds apart: 350 bytes a row and 232 slots. */
const TABLE = `
  CREATE TABLE events (id bigint PRIMARY KEY, timestamp timestamptz NOT NULL, type text NOT NULL, agent text NOT NULL, data jsonb NOT NULL);
  INSERT INTO events SELECT n, date_trunc('second', now()) - interval '1 day' - (${ROWS} - n) * interval '5 seconds', 'position_taken', 'SENTINEL-' || n % 40,
    jsonb_build_object('deliberation', 'D-' || n / 10, 'position', 'support', 'reasoning',
      'The proposal ' || n || ' meets the charter because its costs fall on those who decide, and because it can be undone within one cycle if the reading falls. ' || md5(n::text),
      'virtue_tags', array['integrity', 'justice'])
  FROM generate_series(1, ${ROWS}) n ORDER BY n;
  VACUUM ANALYZE events`;

/** Following a table from its first row, beside COPY of it to nowhere. */
export async function sources(report: Report): Promise<void> {
  const server = await PostgresServer.start();
  try {
    for (const statement of TABLE.split(';\n')) await server.sql(statement);
    const copies: number[] = [];
    for (let run = 0; run < COPIES; run += 1) copies.push(await copy(server));
    const { ms, rss } = await withScratch((folder) =>
      measure('import-rows', [server.address('table=events'), join(folder, 'ledger')]),
    );
    const million = `following a table of ${ROWS} rows`;
    report(
      compare(`${million} ÷ COPY of it`, ms / 1000, median(copies) / 1000, 's', 3),
      compare(`${million}, memory`, rss, MOST_MEMORY_MB, 'MB', 1),
    );
  } finally {
    server.stop();
  }
}

/** Wall time of psql's COPY, ms. */
async function copy({ port }: PostgresServer): Promise<number> {
  const to = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'owner', 'postgres'];
  const start = performance.now();
  const child = spawn('psql', [...to, '-c', 'COPY events TO STDOUT'], {
    stdio: ['ignore', openSync('/dev/null', 'w'), 'inherit'],
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`psql ended with ${status}`);
  return performance.now() - start;
}
