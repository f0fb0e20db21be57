import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SLOT_MS } from '../../pipeline/ledger/events/slot.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { emptyState } from '../../pipeline/model/state.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { readVerified } from './verified.ts';

/** Lifetime of each feeder before it is killed, ms. A slot lasts 22 s on its accelerated clock. */
const LIVES = [30, 170, 410, 90, 260];
/** From the start of a feeder to the end of a slot, on that clock. */
const LEAD_MS = 120_000;

test('after a kill at any moment the ledger is valid and the next feeder resumes', async () => {
  await using folder = await temporaryFolder();
  const ledger = folder.path('ledger');
  await writeSample({ out: ledger, to: '2025-07-05T11:55:00Z' });
  let size = 0;
  let last = Date.parse('2025-07-05T11:55:00Z');
  for (const life of LIVES) {
    // Some minutes before the end of a slot, so that some feeders die while they seal. However late the last one died, the ledger is not ahead.
    const from = Math.ceil((last + 2 * LEAD_MS) / SLOT_MS) * SLOT_MS - LEAD_MS;
    const args = ['test/sample/feeder-child.ts', ledger, new Date(from).toISOString()];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), exited]);
    await wait(life);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    const { events } = await readVerified(ledger);
    expect(events.length).toBeGreaterThan(size);
    size = events.length;
    last = Date.parse(events.at(-1)!.timestamp);
  }
  const { events, snapshots } = await readVerified(ledger);
  expect(snapshots.length).toBeGreaterThanOrEqual(9 + LIVES.length - 1);
  expect(new Set(events.map(({ salt }) => salt)).size).toBe(events.length);
  const state = events.reduce((state, event) => apply(state, { event, hash: '' }), emptyState());
  expect(state.findings.recent).toEqual([]);
});
