import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { inTurns, measure, median, p99 } from './child.ts';
import { compare, type Figure, type Report } from './figure.ts';
import { type Listener, listenTo, untilSeen } from './live-client.ts';
import { HeadFeed } from './live-feed.ts';
import { withScratch } from './scratch.ts';
import { type Server, serve, settledMemory } from './server.ts';

const EVENTS = 101;
/** Longer than the gap of 250 ms between two messages: what is measured is the way of one event. */
const PAUSE_MS = 300;
/** Up to so much longer, so that events do not keep step with anything. */
const LONGER = 0.25;
const LISTENERS = 1000;
/** Already there before, so that what a first listener costs once is not divided among the others. */
const FIRST_LISTENERS = 100;
const RUNS = 3;
/** Times a bare watch of the file: the system tells of a write, so nothing waits for the next look. */
const MOST_LATER = { asked: 2, told: 2.5 };
/** For all servers together; each takes a moment, since the reader of so many streams is one process. */
const AUDIENCE = 3000;
const AUDIENCE_EVENTS = 15;
const SERVERS = 3;

/**
 * From the writing of an event until a reader has it, and what a listener costs, beside the least that does the same; and until the
 * last of many readers has it, of several servers beside one.
 */
export async function live(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
    await writeSample({ out: ledger, to: '2025-10-01T03:00:00Z', seed: 1 });
    await measure('build', [ledger, out]);
    const start = (kind: 'sidecar' | 'bare') =>
      kind === 'bare'
        ? serve('live-bare', [ledger])
        : serve('sidecar', [out, join(folder, 'stores'), 'plain', ledger]);
    const feed = await HeadFeed.open(ledger, out);
    report(...(await latencies(start, feed)));
    report(await memory(start));
    report(await audience(start, feed));
  });
}

type Start = (kind: 'sidecar' | 'bare') => Promise<Server>;

async function latencies(start: Start, feed: HeadFeed): Promise<Figure[]> {
  const bare = await latenciesOf(await start('bare'), feed);
  const ours = await latenciesOf(await start('sidecar'), feed);
  return (['asked', 'told'] as const).flatMap((way) => {
    const what = `event written → ${way === 'asked' ? '/economy/supply' : '/live'}`;
    return [
      compare(`${what}, median, beside a bare watch`, median(ours[way]), median(bare[way]), 'ms'),
      compare(`${what}, p99, beside a bare watch`, p99(ours[way]), p99(bare[way]), 'ms', MOST_LATER[way]),
    ];
  });
}

/** In ms, of each event: until it is in an answer, and until a listener has it. */
async function latenciesOf(server: Server, feed: HeadFeed): Promise<{ asked: number[]; told: number[] }> {
  const listener = await listenTo(`${server.url}/live`);
  const [asked, told]: [number[], number[]] = [[], []];
  for (let event = 0; event < EVENTS; event += 1) {
    await sleep(PAUSE_MS * (1 + LONGER * Math.random()));
    const { timestamp, at } = await feed.append();
    const seen = [untilSeen(`${server.url}/economy/supply`, timestamp), listener.untilTold(timestamp)];
    const [askedAt, toldAt] = await Promise.all(seen);
    asked.push(askedAt! - at);
    told.push(toldAt! - at);
  }
  listener.close();
  await server.stop();
  return { asked, told };
}

async function memory(start: Start): Promise<Figure> {
  const bytes = await inTurns(RUNS, {
    bare: async () => bytesPerListener(await start('bare')),
    sidecar: async () => bytesPerListener(await start('sidecar')),
  });
  return compare(
    `memory of each of ${LISTENERS} idle listeners, beside open answers of bare node:http`,
    median(bytes.sidecar) / 1024,
    median(bytes.bare) / 1024,
    'KiB',
  );
}

async function bytesPerListener(server: Server): Promise<number> {
  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => listenTo(`${server.url}/live`)));
  const first = await open(FIRST_LISTENERS);
  const before = await settledMemory(server);
  const others = await open(LISTENERS);
  const after = await settledMemory(server);
  for (const listener of [...first, ...others]) listener.close();
  await server.stop();
  return (after - before) / LISTENERS;
}

async function audience(start: Start, feed: HeadFeed): Promise<Figure> {
  const { one, several } = await inTurns(RUNS, {
    one: async () => untilLast(await startAll(start, 1), feed),
    several: async () => untilLast(await startAll(start, SERVERS), feed),
  });
  return compare(
    `event written → last of ${SERVERS} × ${AUDIENCE / SERVERS} listeners, median, beside one server with ${AUDIENCE}`,
    median(several.flat()),
    median(one.flat()),
    'ms',
    1.5,
  );
}

function startAll(start: Start, count: number): Promise<Server[]> {
  return Promise.all(Array.from({ length: count }, () => start('sidecar')));
}

/** In ms, of each event: until every listener has it. */
async function untilLast(servers: readonly Server[], feed: HeadFeed): Promise<number[]> {
  const listeners: Listener[] = [];
  // A few at a time: a server takes new connections from a short queue.
  for (let left = AUDIENCE; left > 0; left -= FIRST_LISTENERS) {
    const some = Array.from({ length: FIRST_LISTENERS }, (_, place) => servers[place % servers.length]!);
    listeners.push(
      ...(await Promise.all(some.map(({ url }) => listenTo(`${url}/live?paths=economy/supply`)))),
    );
  }
  const took: number[] = [];
  for (let event = 0; event < AUDIENCE_EVENTS; event += 1) {
    await sleep(PAUSE_MS * (1 + LONGER * Math.random()));
    const { timestamp, at } = await feed.append();
    const told = await Promise.all(listeners.map((listener) => listener.untilTold(timestamp)));
    took.push(Math.max(...told) - at);
  }
  for (const listener of listeners) listener.close();
  await Promise.all(servers.map((server) => server.stop()));
  return took;
}
