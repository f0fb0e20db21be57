import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli, runHere } from '../../contract/commands/seam.ts';
import { temporaryFolder } from '../test-ledger.ts';

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
