import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { supply } from '../../../pipeline/artifacts/economy/supply.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { runFeeder } from '../../../pipeline/sample/feeder/run-feeder.ts';
import { collect } from '../../ledger/test-ledger.ts';
import { BASE_URL, liveLedger, MINUTE, START, VERIFIERS } from './live-ledger.ts';
import { serveLive } from './live-server.ts';
import { listenTo } from './reader.ts';
import { until } from './until.ts';

const END = Date.parse('2025-07-05T13:00:00Z');

/** Every event of a ledger with its head, in order. */
async function leavesOf(path: string): Promise<Leaf[]> {
  const ledger = openDirectory(path);
  const all: Leaf[] = [];
  let position: LedgerPosition = LEDGER_START;
  for (const file of await ledger.snapshots(null)) {
    const { leaves, end } = await collect(readSnapshot(file, position, VERIFIERS));
    all.push(...leaves);
    position = end.position;
  }
  return [...all, ...(await collect(readHead(ledger, position))).leaves];
}

test('while a feeder writes and seals, a reader sees only states after some event, in order, and finally the newest', async () => {
  const ledger = await liveLedger();
  const server = await serveLive(ledger, { gapMs: 0 });
  onTestFinished(server.close);
  const reader = listenTo(`${server.url}/live`);
  await reader.untilHolds(await ledger.rebuild());
  let clock = Date.parse(START) + MINUTE;
  const stop = new AbortController();
  let published: Promise<void> = Promise.resolve();
  let [slot, steps] = [0, 0];
  const timeShown = () => Date.parse(String(reader.held.get('economy/supply')?.timestamp));
  /** Of the events that are not sealed; 0 without one. */
  const newestTime = async () => {
    const lines = (await readFile(`${ledger.ledger}/head.ndjson`, 'utf8')).trimEnd().split('\n');
    return lines.at(-1) ? Date.parse(JSON.parse(lines.at(-1)!).timestamp) : 0;
  };
  await runFeeder({
    ledger: ledger.ledger,
    seed: 1,
    now: () => clock,
    async sleep(ms) {
      clock += ms;
      if (clock >= END) stop.abort();
      // A release after each seal, while the ledger grows.
      if (Math.floor(clock / (360 * MINUTE)) > slot) published = published.then(ledger.publish);
      slot = Math.floor(clock / (360 * MINUTE));
      steps += 1;
      // The first states are seen one by one, however busy the machine is.
      if (steps <= 25) await until(async () => timeShown() >= (await newestTime()));
      await wait(2);
    },
    signal: stop.signal,
    pace: [5 * MINUTE, 20 * MINUTE],
  });
  await published;
  await reader.untilHolds(await ledger.rebuild());
  expect([server.live.fault(), server.reports]).toEqual([null, []]);

  let state = emptyState();
  const truths: string[] = [];
  for (const leaf of await leavesOf(ledger.ledger)) {
    state = apply(state, leaf);
    const text = supply.render({
      state,
      documents: null as never,
      companions: null as never,
      baseUrl: BASE_URL,
    });
    truths.push(JSON.stringify(JSON.parse(text)));
  }
  const seen = reader.seen('economy/supply');
  expect(seen.length).toBeGreaterThan(20);
  let from = 0;
  for (const value of seen) {
    from = truths.indexOf(JSON.stringify(value), from);
    expect([from >= 0, value]).toEqual([true, value]);
  }
});
