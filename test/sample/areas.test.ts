import { expect, test } from 'vitest';
import { apply } from '../../pipeline/model/fold.ts';
import { nextAudits, standings } from '../../pipeline/model/queries/compliance.ts';
import { consensusRate } from '../../pipeline/model/queries/consensus-rate.ts';
import { scoredSentinels } from '../../pipeline/model/queries/coordination.ts';
import { drift } from '../../pipeline/model/queries/drift.ts';
import { activeAlerts, systemHealth } from '../../pipeline/model/queries/health.ts';
import { roiByCathedral } from '../../pipeline/model/queries/roi.ts';
import { minting, supply } from '../../pipeline/model/queries/supply.ts';
import { virtueScores } from '../../pipeline/model/queries/virtues.ts';
import { emptyState, type State } from '../../pipeline/model/state.ts';
import { EVENTS } from './year-and-more.ts';

/** Calls `look` with the state at each of these times. */
function atTimes(times: string[], look: (state: State, time: string) => void): void {
  let state = emptyState();
  let next = 0;
  for (const event of EVENTS) {
    while (next < times.length && event.timestamp >= times[next]!) look(state, times[next++]!);
    state = apply(state, { event, hash: '' });
  }
  while (next < times.length) look(state, times[next++]!);
}

test('every area has data, wherever the ledger ends', () => {
  const ends = ['2025-07-05', '2025-07-20', '2025-09-30', '2025-12-01T06:00', '2026-03-08', '2026-11-21'];
  atTimes(ends, (state, time) => {
    const early = time < '2025-08';
    // Policy
    expect(standings(state).every(({ last_audit }) => last_audit !== null)).toBe(true);
    expect(nextAudits(state)).toHaveLength(4);
    expect(state.projections.length).toBeGreaterThanOrEqual(early ? 4 : 6);
    expect(Object.keys(state.sentinels)).toHaveLength(10);
    // Market
    const { total, circulating, locked, burned } = supply(state);
    expect([total > circulating, circulating > 0n, locked > 0n, burned > 0n]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(Object.values(roiByCathedral(state)).every(({ average_roi }) => average_roi! > 0)).toBe(true);
    // Research
    expect(scoredSentinels(state).length).toBeGreaterThanOrEqual(9);
    expect(state.readings.length).toBeGreaterThanOrEqual(8);
    if (!early) expect([Object.keys(state.apps).length, Object.keys(state.packages).length]).toEqual([9, 5]);
    // Ethics
    expect(state.deliberations.length).toBeGreaterThanOrEqual(1);
    expect(drift(state).trends).toHaveLength(8);
    expect(minting(state).mii).toBeGreaterThan(0.9);
  });
});

test('alerts, minting pauses, dissent and delay come and go', () => {
  const days = Array.from({ length: 440 }, (_, day) =>
    new Date(Date.parse('2025-09-01T12:00:00Z') + day * 86_400_000).toISOString().slice(0, 16),
  );
  const seen: {
    health: string;
    alerts: number;
    rate: number;
    courage: number;
    temperance: number;
    prudence: number;
  }[] = [];
  atTimes(days, (state) => {
    const { courage, temperance, prudence } = virtueScores(state);
    const [health, alerts, rate] = [systemHealth(state), activeAlerts(state).length, consensusRate(state)];
    seen.push({
      health,
      alerts,
      rate: rate!,
      courage: courage!,
      temperance: temperance!,
      prudence: prudence!,
    });
  });
  const share = (is: (one: (typeof seen)[number]) => boolean) => seen.filter(is).length / seen.length;
  const mean = (of: (one: (typeof seen)[number]) => number) =>
    seen.reduce((sum, one) => sum + of(one), 0) / seen.length;
  expect(share(({ alerts }) => alerts > 0)).toBeGreaterThan(0.15);
  expect(share(({ alerts }) => alerts > 0)).toBeLessThan(0.85);
  expect(Math.max(...seen.map(({ alerts }) => alerts))).toBeLessThan(8);
  expect(share(({ health }) => health === 'healthy')).toBeGreaterThan(0.3);
  expect(share(({ health }) => health === 'critical')).toBeGreaterThan(0.01);
  expect(mean(({ rate }) => rate)).toBeGreaterThan(0.6);
  expect(mean(({ rate }) => rate)).toBeLessThan(0.95);
  expect(mean(({ courage }) => courage)).toBeLessThan(0.95);
  expect(mean(({ temperance }) => temperance)).toBeLessThan(0.95);
  expect(mean(({ prudence }) => prudence)).toBeLessThan(0.95);
});
