import { describe, expect, test } from 'vitest';
import { SENTINEL_PROFILES } from '../../pipeline/model/sentinel-profiles.ts';
import { EVENTS, ofType } from './year-and-more.ts';

const DAY = 86_400_000;
const positions = ofType('position_taken');
const closings = ofType('deliberation_closed');

describe('a deliberation', () => {
  test('opens once, takes positions while it is open, and closes once', () => {
    const open = new Set<string>();
    const over = new Set<string>();
    for (const event of EVENTS) {
      if (event.type === 'deliberation_opened') {
        expect(open.has(event.data.deliberation) || over.has(event.data.deliberation)).toBe(false);
        open.add(event.data.deliberation);
      }
      if (event.type === 'position_taken') {
        expect(open).toContain(event.data.deliberation);
        expect(Object.keys(SENTINEL_PROFILES)).toContain(event.agent);
      }
      if (event.type === 'deliberation_closed') {
        expect(open.delete(event.data.deliberation)).toBe(true);
        over.add(event.data.deliberation);
      }
    }
    expect(over.size).toBeGreaterThan(150);
    expect(open.size).toBeLessThan(4);
  });

  test('comes every two to four days, with up to ten sentinels', () => {
    const opened = ofType('deliberation_opened').filter(({ data }) => data.deliberation.endsWith('-1'));
    const days = opened.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / DAY));
    for (let place = 1; place < days.length; place += 1)
      expect([2, 3, 4]).toContain(days[place]! - days[place - 1]!);
    const voices = [...Map.groupBy(positions, ({ data }) => data.deliberation).values()].map(
      (taken) => new Set(taken.map(({ agent }) => agent)).size,
    );
    expect(Math.max(...voices)).toBe(10);
    expect(voices.filter((count) => count >= 4).length / voices.length).toBeGreaterThan(0.9);
  });

  test('states the numbers of its positions in the outcome', () => {
    const numbers = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    for (const { data } of closings) {
      const taken = positions.filter((one) => one.data.deliberation === data.deliberation);
      const last = [...new Map(taken.map((one) => [one.agent, one.data.position])).values()];
      const favour = last.filter((one) => one.startsWith('support')).length;
      const against = last.filter((one) => one === 'oppose').length;
      expect(data.outcome.toLowerCase().startsWith(`${numbers[favour]} in favour`)).toBe(true);
      if (against > 0) expect(data.outcome).toContain(`${numbers[against]} against`);
      const needed = Math.max(3, ((favour + against) * 2) / 3);
      expect(data.consensus).toBe(favour >= needed || against >= needed ? 'reached' : 'not_reached');
    }
  });

  test('that is adopted carries the conditions of its positions', () => {
    const conditional = closings.filter(({ data }) =>
      data.outcome.includes('It is adopted on condition that '),
    );
    expect(conditional.length).toBeGreaterThan(80);
    for (const { data } of conditional) {
      const conditions = data.outcome.split('It is adopted on condition ')[1]!.slice(0, -1).split('; and ');
      const taken = positions.filter((one) => one.data.deliberation === data.deliberation);
      for (const condition of conditions) {
        expect(taken.some((one) => one.data.reasoning.includes(condition))).toBe(true);
      }
    }
  });

  test('usually leads to a decision of its participants, soon after consensus', () => {
    const decisions = ofType('decision_recorded');
    expect(
      decisions.length / closings.filter(({ data }) => data.consensus === 'reached').length,
    ).toBeGreaterThan(0.85);
    expect(new Set(decisions.map(({ data }) => data.decision)).size).toBe(decisions.length);
    for (const { data, timestamp } of decisions) {
      const closing = closings.find((one) => one.data.deliberation === data.deliberation)!;
      expect(closing.data.consensus).toBe('reached');
      expect(closing.data.outcome.endsWith(data.outcome)).toBe(true);
      expect(Date.parse(timestamp) - Date.parse(closing.timestamp)).toBeLessThan(DAY / 12);
      const taken = positions.filter((one) => one.data.deliberation === data.deliberation);
      expect(new Set(data.sentinels_involved)).toEqual(new Set(taken.map(({ agent }) => agent)));
      expect(data.frameworks_applied.length).toBeGreaterThan(1);
    }
    expect(decisions.some(({ data }) => data.lessons_learned === '')).toBe(true);
  });
});

describe('all deliberations', () => {
  test('reach consensus more often than not, but not always', () => {
    const rate = closings.filter(({ data }) => data.consensus === 'reached').length / closings.length;
    expect(rate).toBeGreaterThan(0.5);
    expect(rate).toBeLessThan(0.95);
  });

  test('contain dissent, some of it without reasons', () => {
    const contrary = positions.filter(
      ({ data }) => data.position === 'oppose' || data.position === 'abstain',
    );
    const silent = contrary.filter(({ data }) => data.reasoning === '').length / contrary.length;
    expect(contrary.length / positions.length).toBeGreaterThan(0.12);
    expect(silent).toBeGreaterThan(0.08);
    expect(silent).toBeLessThan(0.3);
  });

  test('usually close on the day they open, and sometimes days later', () => {
    const opened = new Map(
      ofType('deliberation_opened').map(({ data, cycle }) => [data.deliberation, cycle]),
    );
    const sameDay = closings.filter(({ data, cycle }) => opened.get(data.deliberation) === cycle).length;
    expect(sameDay / closings.length).toBeGreaterThan(0.6);
    expect(sameDay / closings.length).toBeLessThan(0.97);
  });

  test('repeat no reasoning within ninety days, and never a question', () => {
    const said = new Map<string, number>();
    for (const { data, timestamp } of positions) {
      const at = Date.parse(timestamp);
      if (data.reasoning !== '' && at - (said.get(data.reasoning) ?? 0) < 90 * DAY)
        throw new Error(data.reasoning);
      said.set(data.reasoning, at);
    }
    const questions = ofType('deliberation_opened').map(({ data }) => data.topic);
    expect(new Set(questions).size).toBe(questions.length);
  });

  test('contain sentinels that change their position', () => {
    const changed = [
      ...Map.groupBy(positions, ({ agent, data }) => `${agent} ${data.deliberation}`).values(),
    ].filter((taken) => taken.length > 1);
    expect(changed.length).toBeGreaterThan(2);
    for (const taken of changed) {
      expect(taken.map(({ data }) => data.position)).toEqual(['oppose', 'support_with_conditions']);
    }
  });
});
