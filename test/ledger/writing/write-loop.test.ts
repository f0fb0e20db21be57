import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { runCli, runHere } from '../../contract/commands/seam.ts';
import { collect, readSealed, signer, temporaryFolder } from '../test-ledger.ts';

const LOOP = join(import.meta.dirname, 'write-loop.ts');

/** Reads the whole ledger, again if a snapshot is sealed meanwhile. */
async function eventsOf(ledger: string): Promise<LedgerEvent[]> {
  for (;;) {
    const { leaves, end } = await readSealed(ledger);
    const head = await collect(readHead(openDirectory(ledger), end));
    if (!head.end.behind) return [...leaves, ...head.leaves].map(({ event }) => event);
  }
}

/** Every batch is whole, and no event is missing. */
function expectWhole(events: readonly LedgerEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  const sizes = Map.groupBy(events, ({ data }) => data.batch);
  for (const batch of sizes.values()) expect([1, 3]).toContain(batch.length);
}

function spawnLoop(ledger: string): {
  child: ChildProcess;
  acknowledged: () => number;
  until: (count: number) => Promise<void>;
} {
  const child = spawn(process.execPath, [LOOP, ledger], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let last = 0;
  const lines = createInterface(child.stdout!);
  lines.on('line', (line) => {
    last = Number(line);
  });
  const until = async (count: number) => {
    while (last < count) await once(lines, 'line');
  };
  return { child, acknowledged: () => last, until };
}

test('a writer that is killed at any moment loses nothing it acknowledged, and readers see whole batches', async () => {
  const ledger = temporaryFolder();
  mkdirSync(join(ledger, 'snapshots'));
  for (const more of [3, 80]) {
    const size = (await eventsOf(ledger)).length;
    const { child, acknowledged, until } = spawnLoop(ledger);
    await until(size + 1);
    const second = LedgerWriter.open(ledger, {
      verifiers: [signer.verifier],
      now: Date.now,
      waitMs: 0,
      holder: 'me',
    });
    await expect(second).rejects.toMatchObject({ code: 'locked', found: 'the loop' });
    while (acknowledged() < size + more) expectWhole(await eventsOf(ledger));
    child.kill('SIGKILL');
    await once(child, 'close');
    const events = await eventsOf(ledger);
    expectWhole(events);
    expect(events.length).toBeGreaterThanOrEqual(acknowledged());
  }
  expect((await openDirectory(ledger).snapshots(null)).length).toBeGreaterThan(0);
});

test('sealers and appenders in processes of their own wait for each other', async () => {
  const ledger = temporaryFolder();
  const [key, events] = [`${ledger}.own.key`, `${ledger}.ndjson`];
  const flags = ['--ledger-key', `${ledger}.own.vkey`];
  // Two slots ago, so that nobody waits for a slot's end, and recently, so that an appender may be the first.
  const from = new Date(Date.now() - 43_200_000).toISOString();
  const origin = ['--from', from, '--origin', 'ledger.example.org'];
  const args = [ledger, ...origin, ...flags, '--ledger-signing-key', key];
  const made = await runHere('ledger init', args);
  expect(made.status).toBe(0);
  writeFileSync(events, `${JSON.stringify({ type: 'heartbeat', agent: 'ATLAS', data: {} })}\n`.repeat(50));
  const seal = ['ledger', 'seal', ledger, ...flags, '--ledger-signing-key', key];
  const append = ['ledger', 'append', events, '--ledger', ledger, ...flags];
  const ended = await Promise.all([seal, append, seal].map((args) => runCli(args)));
  expect(ended.map(({ status, stderr }) => [status, status === 0 ? '' : stderr])).toEqual(
    Array(3).fill([0, '']),
  );
  expect(ended.flatMap(({ stdout }) => stdout.match(/^sealed .*: 1 event$/gm) ?? [])).toHaveLength(1);
  const check = await runHere('ledger check', [ledger, ...flags, '--json']);
  const { events: counted } = JSON.parse(check.stdout);
  expect([check.status, counted.sealed + counted.head]).toEqual([0, 51]);
});
