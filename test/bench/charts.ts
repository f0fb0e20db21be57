import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { measure, p99 } from './child.ts';
import { compare, type Report } from './figure.ts';
import { below, withScratch } from './scratch.ts';
import { residentMb, type Server, serve } from './server.ts';

const CLIENTS = 40;
const STATES_EACH = 12;
/** How long another reader asks while nobody else does, ms. */
const ALONE_MS = 10_000;
/** Between two of its requests, ms. */
const PAUSE_MS = 5;
/** Until a server that answered some requests has ended what they began, ms. */
const SETTLE_MS = 5_000;
const MOST_IDLE_MB = 150;
const MOST_AFTER_MB = 400;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2025-07-04');

/**
 * What a server holds after some requests, and after many readers asked for charts in states of their own; and how long another reader waits
 * meanwhile for a small file, beside how long alone.
 */
export async function charts(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const [ledger, out] = below(folder, 'ledger', 'out');
    await writeSample({ out: ledger, to: '2025-10-01T03:00:00Z', seed: 1 });
    await measure('build', [ledger, out, 'charts']);
    const server = await serve('sidecar', [out, join(folder, 'stores'), 'full', ledger]);
    const alone = await waitsUntil(server, sleep(ALONE_MS));
    await sleep(SETTLE_MS);
    const idle = residentMb(server);
    const beside = await waitsUntil(server, everyState(server));
    const after = residentMb(server);
    if (childrenOf(server.pid) > 0) throw new Error('drawing has left processes behind');
    await server.stop();
    const drawn = `${CLIENTS} clients ask for charts in ${CLIENTS * STATES_EACH} states`;
    report(
      compare(`memory of a server after some requests ÷ ${MOST_IDLE_MB} MB`, idle, MOST_IDLE_MB, 'MB', 1),
      compare(`a small file while ${drawn}, beside alone, p99`, p99(beside), p99(alone), 'ms', 2),
      compare(`memory of the server then ÷ ${MOST_AFTER_MB} MB`, after, MOST_AFTER_MB, 'MB', 1),
    );
  });
}

/** How long each answer took to a reader who asks again and again until something has ended, ms. */
async function waitsUntil({ url }: Server, end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ask = async () => {
    const waits: number[] = [];
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${url}/economy/coordination`)).arrayBuffer();
      waits.push(performance.now() - start);
      await sleep(PAUSE_MS);
    }
    return waits;
  };
  const [waits] = await Promise.all([
    ask(),
    end.finally(() => {
      isOver = true;
    }),
  ]);
  return waits;
}

async function everyState(server: Server): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => statesOf(server, client)));
}

/** One after the other; where too many wait, again after the time that the answer names. */
async function statesOf({ url }: Server, client: number): Promise<void> {
  const headers = { 'X-Forwarded-For': `10.0.${client}.1` };
  for (let state = 0; state < STATES_EACH; state += 1) {
    const period = `from=${dayOf(client)}&to=${dayOf(CLIENTS + state)}`;
    for (;;) {
      const answer = await fetch(`${url}/charts/supply.${state % 2 ? 'png' : 'svg'}?${period}`, { headers });
      await answer.arrayBuffer();
      if (answer.ok) break;
      if (answer.status !== 503) throw new Error(`a chart with ${period} is answered with ${answer.status}`);
      await sleep(1000 * Number(answer.headers.get('Retry-After')));
    }
  }
}

const dayOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);

/** How many processes a process has started that are still there, those that have ended and were not waited for included. */
function childrenOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.join('').split(' ').length - 1;
}
