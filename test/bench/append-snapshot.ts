import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { nextSlotId } from '../../pipeline/ledger/events/slot.ts';
import type { LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { roundToAmount } from '../../pipeline/model/amount.ts';
import { coordinationScore, reward } from '../../pipeline/model/formulas.ts';

/** Seals one more snapshot of `count` events onto a ledger that `out` holds a release of: half of them heartbeats, a quarter attestations, a quarter mints. */
export async function appendSnapshot(ledger: string, out: string, count: number): Promise<void> {
  const { position, state } = JSON.parse(await readFile(join(out, 'current', 'state.json'), 'utf8'));
  const writer = new SnapshotWriter(ledger, position as LedgerPosition, [demoSigner()]);
  const sentinels = Object.entries<{ cathedral: string }>(state.sentinels);
  const start = Date.parse(state.asOf) + 1000;
  for (let index = 0; index < count; index += 1) {
    const [id, { cathedral }] = sentinels[index % sentinels.length]!;
    const timestamp = new Date(start + index * 1000).toISOString().replace('.000', '');
    const { type, agent, data } = nextEvent(index, id, cathedral, state.multipliers[cathedral] ?? 1);
    const event: LedgerEvent = {
      seq: position.size + index,
      timestamp,
      cycle: state.cycle,
      type,
      agent,
      data,
      salt: 'A'.repeat(22),
    };
    await writer.append(event);
  }
  await writer.seal(nextSlotId(position.snapshot));
}

function nextEvent(index: number, id: string, cathedral: string, multiplier: number) {
  if (index % 2 === 0) return { type: 'heartbeat', agent: id, data: {} };
  const work = { apps: 9, packages: 5, workflows: 27, drift: 0.4, uptime_days: 100 + (index % 50) };
  const score = Number(coordinationScore(work).toFixed(4));
  if (index % 4 === 1) return { type: 'attestation', agent: id, data: { ...work, gi_score: 0.97, score } };
  const amount = roundToAmount(reward(score, multiplier));
  return {
    type: 'mic_mint',
    agent: 'MINT',
    data: { sentinel: id, cathedral, coordination_score: score, multiplier, amount },
  };
}
