import { describe, expect, test } from 'vitest';
import { AREAS } from '../../../pipeline/artifacts/artifact.ts';
import { QUOTAS, type Tier } from '../../../src/api/quotas.ts';
import {
  isShed,
  LoadGate,
  PRIORITIES,
  type Priority,
  priorityOf,
  sampleLoopDelay,
} from '../../../src/sidecar/limits/load-gate.ts';

const LIMITS = { loopDelayMs: 100, active: 100 };
const ORDER: Priority[] = ['anonymous', 'keyed', 'government'];

describe('under high load', () => {
  test.each([
    [{ loopDelayMs: 100, active: 99, making: 99 }, []],
    [{ loopDelayMs: 101, active: 5, making: 5 }, ['anonymous']],
    [{ loopDelayMs: 0, active: 100, making: 0 }, ['anonymous']],
    [{ loopDelayMs: 150, active: 149, making: 149 }, ['anonymous']],
    [{ loopDelayMs: 151, active: 8, making: 8 }, ['anonymous', 'keyed']],
    [{ loopDelayMs: 0, active: 150, making: 0 }, ['anonymous', 'keyed']],
    [{ loopDelayMs: 200, active: 199, making: 199 }, ['anonymous', 'keyed']],
    [{ loopDelayMs: 201, active: 10, making: 10 }, ORDER],
    [{ loopDelayMs: 0, active: 200, making: 0 }, ORDER],
    // The machine is busy with something else, or the requests wait for the network.
    [{ loopDelayMs: 60_000, active: 4, making: 4 }, []],
    [{ loopDelayMs: 60_000, active: 99, making: 4 }, []],
  ])('%j is too much for %j', (load, shed) => {
    expect(ORDER.filter((priority) => isShed(load, LIMITS, priority))).toEqual(shed);
  });

  test('who is refused later may come back sooner', () => {
    const waits = ORDER.map((priority) => PRIORITIES[priority].retryAfterS);
    expect(waits).toEqual(waits.toSorted((a, b) => b - a));
  });

  test('requests without a key go first and government keys last', () => {
    const priorities = AREAS.flatMap((area) =>
      Object.keys(QUOTAS[area]).map((tier) => `${area} ${tier} ${priorityOf(area, tier as Tier)}`),
    );
    expect(priorities).toEqual([
      'government public anonymous',
      'government government government',
      'economy anonymous anonymous',
      'economy economist keyed',
      'economy institutional keyed',
      'academics anonymous anonymous',
      'academics academic keyed',
      'academics institutional keyed',
      'philosophy anonymous anonymous',
      'philosophy academic keyed',
      'philosophy institutional keyed',
      'diplomacy anonymous anonymous',
    ]);
  });
});

describe('a gate', () => {
  test('lets in as many as the limit, and another one for each that leaves', () => {
    const gate = new LoadGate({ limits: LIMITS, loopDelayMs: () => 0 });
    const places = Array.from({ length: 100 }, () => gate.enter('anonymous'));
    const overloaded = expect.objectContaining({ code: 'overloaded', headers: { 'Retry-After': '10' } });
    expect(() => gate.enter('anonymous')).toThrow(overloaded);
    expect(gate.active).toBe(100);
    places[0]!.leave();
    gate.enter('anonymous');
    expect(() => gate.enter('anonymous')).toThrow(overloaded);
    gate.enter('government');
    expect(gate.active).toBe(101);
  });

  test('follows the delay that is measured', () => {
    let delay = 500;
    const gate = new LoadGate({ limits: LIMITS, loopDelayMs: () => delay });
    const places = Array.from({ length: 10 }, () => gate.enter('government'));
    const overloaded = expect.objectContaining({ code: 'overloaded' });
    expect(() => gate.enter('government')).toThrow(overloaded);
    // What is made waits for the network, and is no reason to refuse another one.
    for (const { made } of places.slice(0, 6)) made();
    gate.enter('anonymous');
    expect(() => gate.enter('anonymous')).toThrow(overloaded);
    delay = 0;
    expect(gate.enter('anonymous').leave).toBeTypeOf('function');
  });
});

describe('the delay of the event loop', () => {
  test.each([
    [10_000_000, 0],
    [10_300_000, 0.3],
    [160_000_000, 150],
    [9_000_000, 0],
    [Number.NaN, 0],
  ])('with beats every %d ns is %d ms', (mean, delay) => {
    let resets = 0;
    const reset = () => {
      resets += 1;
    };
    expect(sampleLoopDelay({ mean, reset })).toBeCloseTo(delay, 6);
    expect(resets).toBe(1);
  });
});
