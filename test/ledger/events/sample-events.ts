import { hash } from 'node:crypto';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';

const START_MS = Date.UTC(2025, 6, 3);
const STEP_MS = 60_000;

/** The events `from` … `from + count - 1` of a small ledger, one per minute, always the same. */
export function sampleEvents(count: number, from = 0): LedgerEvent[] {
  return Array.from({ length: count }, (_, i) => sampleEvent(from + i));
}

export function sampleEvent(seq: number): LedgerEvent {
  const time = new Date(START_MS + seq * STEP_MS).toISOString();
  return {
    seq,
    timestamp: `${time.slice(0, 19)}Z`,
    cycle: `C-${Math.floor((seq * STEP_MS) / 86_400_000)}`,
    agent: 'ATLAS',
    ...(seq === 0 ? GENESIS : BODIES[seq % BODIES.length]!),
    salt: sampleSalt(seq),
  };
}

export function sampleSalt(seq: number): string {
  return Buffer.from(hash('sha256', `salt ${seq}`, 'hex').slice(0, 32), 'hex').toString('base64url');
}

const GENESIS = {
  type: 'genesis',
  data: { allocation: '1000000', multipliers: { 'FOR-GOVERNMENTS': 2, 'FOR-ECONOMISTS': 1.5 } },
};

const BODIES = [
  { type: 'heartbeat', data: {} },
  {
    type: 'attestation',
    data: { apps: 9, packages: 5, workflows: 27, drift: 0.1, uptime_days: 3.5, gi_score: 0.99, score: 51.25 },
  },
  {
    type: 'mic_mint',
    data: {
      sentinel: 'ATLAS',
      cathedral: 'FOR-GOVERNMENTS',
      coordination_score: 51.25,
      multiplier: 2,
      amount: '12.345678',
    },
  },
  {
    type: 'position_taken',
    data: {
      deliberation: 'D-1',
      position: 'support',
      reasoning: 'Réserves — « 足りる »',
      virtue_tags: ['prudence'],
    },
  },
  { type: 'something_of_the_future', data: { nested: { list: [1, 'two', null, true, { three: 3 }] } } },
];
