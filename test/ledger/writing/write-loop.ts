import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { signer } from '../test-signer.ts';

/** Appends single events and batches of three to a ledger, seals its finished slots, and prints how many events are acknowledged. */
const [, , ledger = ''] = process.argv;
const START = Date.parse('2026-10-01T00:00:00Z');
let clock = START;
const options = { verifiers: [signer.verifier], now: () => clock, waitMs: 0, holder: 'the loop' };
const writer = await LedgerWriter.open(ledger, options);
const heartbeat = (batch: number) => ({ type: 'heartbeat', agent: 'ATLAS', data: { batch } });

for (let turn = 0; ; turn += 1) {
  // A slot has 72 events.
  clock = START + writer.end.size * 300_000;
  const { size } = writer.end;
  await writer.append(
    turn % 2 === 0 ? [heartbeat(size)] : [heartbeat(size), heartbeat(size), heartbeat(size)],
  );
  if (turn % 7 === 0) await writer.seal([signer], { quiet: 'alive' });
  process.stdout.write(`${writer.end.size}\n`);
}
