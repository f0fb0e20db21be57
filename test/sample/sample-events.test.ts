import { describe, expect, test } from 'vitest';
import { Envelope, EVENT_DATA, type KnownType } from '../../pipeline/ledger/events/event.ts';
import { formatAmount, parseAmount } from '../../pipeline/model/amount.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { coordinationScore, miiThreshold } from '../../pipeline/model/formulas.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { EVENTS, ofType } from './year-and-more.ts';

const HOUR = 3_600_000;

test('every event type occurs and fits its schema', () => {
  const types = new Set(EVENTS.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(EVENT_DATA).sort());
  const wrong = EVENTS.filter((event) => {
    const schema = EVENT_DATA[event.type as KnownType];
    return !Envelope.safeParse(event).success || !schema.safeParse(event.data).success;
  });
  expect(wrong).toEqual([]);
});

test('seq has no gap, time never decreases, and the cycle counts days since 2025-07-03', () => {
  EVENTS.forEach((event, place) => {
    if (event.seq !== place) throw new Error(`event ${place} has seq ${event.seq}`);
    if (place > 0 && event.timestamp < EVENTS[place - 1]!.timestamp) throw new Error(`${place} is too early`);
    const day = (Date.parse(event.timestamp.slice(0, 10)) - Date.parse('2025-07-03')) / (24 * HOUR);
    if (event.cycle !== `C-${day}`) throw new Error(`${event.timestamp} is ${event.cycle}`);
  });
  expect(EVENTS.find(({ timestamp }) => timestamp >= '2025-12-01')?.cycle).toBe('C-151');
});

test('salts are unique', () => {
  expect(new Set(EVENTS.map(({ salt }) => salt)).size).toBe(EVENTS.length);
});

test('the volume is plausible', () => {
  expect(EVENTS.length).toBeGreaterThan(80_000);
  expect(EVENTS.length).toBeLessThan(130_000);
});

test('the fold reports no finding, for two seeds', () => {
  for (const events of [
    EVENTS,
    [...sampleEvents({ to: '2025-10-01', seed: 8 })].flatMap((slot) => slot.events),
  ]) {
    const state = events.reduce((state, event) => apply(state, { event, hash: '' }), emptyState());
    expect(state.findings.recent).toEqual([]);
    expect(state.findings.total).toBe(0);
  }
});

describe('attestations', () => {
  test('have the score of the formula, to four places', () => {
    for (const { data } of ofType('attestation')) {
      expect(Math.abs(data.score - coordinationScore(data))).toBeLessThanOrEqual(0.00005 + 1e-9);
      expect(Math.round(data.score * 1e4)).toBeCloseTo(data.score * 1e4, 6);
    }
  });

  test('count whole days since registration or the last silence of a day', () => {
    const last = new Map<string, number>();
    const since = new Map<string, number>();
    for (const event of EVENTS) {
      const at = Date.parse(event.timestamp);
      if (event.type === 'sentinel_registered') {
        last.set(event.data.sentinel, at);
        since.set(event.data.sentinel, at);
      } else if (event.type === 'heartbeat') {
        if (at - last.get(event.agent)! > 24 * HOUR) since.set(event.agent, at);
        last.set(event.agent, at);
      } else if (event.type === 'attestation') {
        expect(event.data.uptime_days).toBe(Math.floor((at - since.get(event.agent)!) / (24 * HOUR)));
        expect(at - last.get(event.agent)!).toBeLessThanOrEqual(12 * HOUR);
      }
    }
  });

  test('differ between sentinels in their workload', () => {
    const latest = new Map(ofType('attestation').map(({ agent, data }) => [agent, data]));
    expect(latest.size).toBe(10);
    expect(
      new Set([...latest.values()].map(({ apps, packages, workflows }) => `${apps}/${packages}/${workflows}`))
        .size,
    ).toBeGreaterThan(6);
    for (const { apps, packages, workflows } of latest.values()) {
      expect([apps <= 9, packages <= 5, workflows <= 27]).toEqual([true, true, true]);
    }
  });
});

describe('mints', () => {
  // The fold would report another amount, or another multiplier than that of the cathedral.
  test('are for the score that was just attested', () => {
    const scores = new Map<string, number>();
    for (const event of EVENTS) {
      if (event.type === 'attestation') scores.set(event.agent, event.data.score);
      if (event.type === 'mic_mint')
        expect(event.data.coordination_score).toBe(scores.get(event.data.sentinel));
    }
  });

  test('happen at or above the threshold and pause below it', () => {
    let total = 0n;
    let mii = 0;
    let [paused, attestedInPause] = [0, 0];
    for (const event of EVENTS) {
      const isOpen = mii >= miiThreshold(Number(formatAmount(total)));
      if (event.type === 'genesis') total = parseAmount(event.data.allocation);
      if (event.type === 'mii_reading') {
        mii = event.data.mii;
        if (mii < miiThreshold(Number(formatAmount(total)))) paused += 1;
      }
      if (event.type === 'attestation' && !isOpen) attestedInPause += 1;
      if (event.type !== 'mic_mint') continue;
      if (!isOpen) throw new Error(`event ${event.seq} mints below the threshold`);
      total += parseAmount(event.data.amount);
    }
    expect(paused / ofType('mii_reading').length).toBeGreaterThan(0.01);
    expect(paused / ofType('mii_reading').length).toBeLessThan(0.15);
    expect(attestedInPause).toBeGreaterThan(100);
  });
});

test('MIC are burned for each reason, and locked for the research grant', () => {
  const reasons = new Set(ofType('mic_burn').map(({ data }) => data.reason));
  expect([...reasons].sort()).toEqual([
    'expired_grant',
    'integrity_penalty',
    'transaction_fee',
    'treasury_sink',
  ]);
  expect(ofType('mic_lock').map(({ data }) => data.contract)).toContain('research_grant_2026');
});

test('heartbeats come every two to three hours, with occasional outages', () => {
  const last = new Map<string, number>();
  const gaps: number[] = [];
  for (const { agent, timestamp } of ofType('heartbeat')) {
    const at = Date.parse(timestamp);
    if (last.has(agent)) gaps.push((at - last.get(agent)!) / HOUR);
    last.set(agent, at);
  }
  const usual = gaps.filter((gap) => gap >= 1.9 && gap <= 3.1);
  expect(usual.length / gaps.length).toBeGreaterThan(0.98);
  expect(gaps.filter((gap) => gap > 24).length).toBeGreaterThan(15);
  expect(gaps.filter((gap) => gap > 72).length).toBeGreaterThan(0);
});

test('WATCH raises each outage, and clears it when the sentinel returns', () => {
  const raised = ofType('alert_raised').filter(({ data }) => data.scope === 'sentinel');
  const cleared = new Set(ofType('alert_cleared').map(({ data }) => data.alert));
  expect(raised.length).toBeGreaterThan(15);
  expect(raised.every(({ agent }) => agent === 'WATCH')).toBe(true);
  const old = raised.filter(({ timestamp }) => timestamp < '2026-11-01');
  expect(old.filter(({ data }) => !cleared.has(data.alert))).toEqual([]);
  expect(new Set(raised.map(({ data }) => data.severity))).toEqual(new Set(['warning', 'critical']));
});

test('multipliers stay between 1 and 2 and change in small steps, after a decision', () => {
  const before = new Map<string, number>(
    Object.entries(ofType('genesis')[0]!.data.multipliers) as [string, number][],
  );
  const decided = ofType('decision_recorded').map(({ data, timestamp }) => ({
    topic: data.topic,
    timestamp,
  }));
  expect(ofType('multiplier_set').length).toBeGreaterThan(6);
  for (const { data, timestamp } of ofType('multiplier_set')) {
    expect(Math.abs(data.multiplier - before.get(data.cathedral)!)).toBeLessThanOrEqual(0.1501);
    const named = `multiplier of ${data.cathedral} from ${before.get(data.cathedral)!.toFixed(2)} to ${data.multiplier.toFixed(2)}`;
    expect(decided.some(({ topic, timestamp: at }) => topic.includes(named) && at < timestamp)).toBe(true);
    before.set(data.cathedral, data.multiplier);
  }
});

test('after the first day every jurisdiction has had an audit and has its next one scheduled', () => {
  const scheduled = new Map<string, string>();
  const statuses = new Set<string>();
  for (const event of EVENTS) {
    if (event.timestamp >= '2025-07-04') {
      expect(scheduled.size).toBe(4);
      const late = [...scheduled.values()].filter((date) => date < event.timestamp.slice(0, 10));
      if (late.length > 0) throw new Error(`${event.timestamp}: the audit of ${late[0]} is late`);
    }
    if (event.type === 'audit_scheduled') scheduled.set(event.data.jurisdiction, event.data.date);
    if (event.type === 'compliance_audited')
      for (const status of Object.values(event.data.statuses as Record<string, string>)) statuses.add(status);
  }
  expect([...statuses].sort()).toEqual(
    'compatible compliant high_risk_compliant under_review utility_token'.split(' '),
  );
});

test('each policy is projected every quarter with new numbers', () => {
  const byPolicy = Map.groupBy(ofType('policy_projected'), ({ data }) => data.policy);
  expect(byPolicy.size).toBe(6);
  for (const projections of byPolicy.values()) {
    expect(projections.length).toBeGreaterThan(4);
    const impacts = projections.map(({ data }) => JSON.stringify([data.economic_impact, data.social_impact]));
    expect(new Set(impacts).size).toBe(impacts.length);
  }
  const risks = ofType('policy_projected').flatMap(({ data }) => data.risks);
  expect(risks.some(({ mitigation }) => mitigation === '')).toBe(true);
});

test('some companions renew their attestation', () => {
  // The fold would report an event about an unknown attestation, and one for too long a time.
  expect(ofType('companion_attested').some(({ data }) => data.previous_attestation !== undefined)).toBe(true);
});
