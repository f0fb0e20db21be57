import { readFileSync } from 'node:fs';
import { csvParseRows } from 'd3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { playBatch } from '../../src/simulation/laboratory/batch.ts';
import { wilsonInterval } from '../../src/simulation/laboratory/interval.ts';
import { playRow, RUN_COLUMNS, runsCsv } from '../../src/simulation/laboratory/run-row.ts';
import {
  EACH,
  partsOf,
  runCount,
  type SetUp,
  sweepsOf,
  sweepValues,
  sweptRanges,
} from '../../src/simulation/laboratory/set-up.ts';
import { LEVER_NAMES } from '../../src/simulation/levers.ts';
import { AT_RANDOM, decisionsOf, type Plan, playPlan } from '../../src/simulation/plan.ts';
import { replay } from '../../src/simulation/run.ts';
import { SCENARIOS, scenarioNamed } from '../../src/simulation/scenarios.ts';

const NAMES = SCENARIOS.map(({ name }) => name);

function randomPlan(scenario: string): Plan {
  return Object.fromEntries(decisionsOf(scenarioNamed(scenario)).map(({ name }) => [name, AT_RANDOM]));
}

function setUpOf(scenario: string, changes: Partial<SetUp> = {}): SetUp {
  const seeds = { from: 1, to: 5 };
  return {
    scenario,
    settings: {},
    plan: randomPlan(scenario),
    seeds,
    sweep: null,
    compared: null,
    ...changes,
  };
}

test('a decision that is left to chance is drawn from the seed: it is the same each time, and every choice occurs', () => {
  for (const name of NAMES) {
    const taken = new Map<string, Set<string>>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const run = playPlan(name, seed, {}, randomPlan(name));
      expect(playPlan(name, seed, {}, randomPlan(name)).actions).toEqual(run.actions);
      for (const { decision, choice } of run.world.taken)
        taken.set(decision, (taken.get(decision) ?? new Set()).add(choice));
    }
    const [first] = decisionsOf(scenarioNamed(name));
    expect(taken.get(first!.name)!.size).toBe(first!.choices.length);
  }
});

test('a decision is drawn alike whatever else is planned', () => {
  for (const name of NAMES) {
    const [first] = decisionsOf(scenarioNamed(name));
    for (let seed = 1; seed <= 10; seed += 1) {
      const choiceIn = (plan: Plan) =>
        playPlan(name, seed, {}, plan).world.taken.find(({ decision }) => decision === first!.name);
      expect(choiceIn({ [first!.name]: AT_RANDOM })).toEqual(choiceIn(randomPlan(name)));
    }
  }
});

test('every row is the run that its actions replay to, so that its link opens it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (scenario, seed) => {
      const setUp = setUpOf(scenario, { settings: { quorum: 0.5 } });
      const row = playRow(setUp, partsOf(setUp)[0]!, 0, seed);
      const { world } = replay({
        scenario,
        seed,
        settings: { quorum: 0.5 },
        actions: row.actions,
        tick: row.endedAt,
      });
      expect([world.ending, world.deliberation.status]).toEqual([row.ending, row.status]);
    }),
    { numRuns: 20, seed: 19 },
  );
});

test('a batch has a row per part and seed, in order', () => {
  const sweep = { parameter: 'quorum', from: 0.3, to: 1, values: 8 };
  const setUp = setUpOf('model_drift', { sweep, compared: { settings: {}, plan: {} } });
  const rows = [...playBatch(setUp)];
  expect(rows).toHaveLength(runCount(setUp));
  expect(rows.map(({ part, seed }) => part * 5 + seed - 1)).toEqual(rows.map((_, place) => place));
  expect(sweepValues(sweep)).toEqual([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  expect(partsOf(setUp)[4]).toMatchObject({ swept: { value: 0.5 }, settings: { quorum: 0.5 } });
});

test('every parameter can be swept: those of the model, and those of the choices in the plan', () => {
  for (const scenario of NAMES)
    for (const { name, choices } of decisionsOf(scenarioNamed(scenario)))
      for (const { name: choice, parameters = {} } of choices) {
        const numbers = Object.entries(parameters).filter(([, { kind }]) => kind === 'number');
        const plan = {
          [name]: {
            choice,
            parameters: Object.fromEntries(numbers.map(([key, about]) => [key, about.default])),
          },
        };
        const setUp = setUpOf(scenario, { plan, sweep: EACH });
        const ranges = sweptRanges(setUp).map(({ parameter }) => parameter);
        expect(ranges).toEqual([...LEVER_NAMES, ...numbers.map(([key]) => `${name}.${key}`)]);
        for (const { swept, plan: played } of partsOf(setUp))
          if (swept?.parameter.startsWith(`${name}.`))
            expect(played[name]).toMatchObject({
              parameters: { [swept.parameter.split('.')[1]!]: swept.value },
            });
        expect(sweepsOf(setUp)).toHaveLength(ranges.length);
      }
});

test('the CSV can be read without tricks: as many fields in each row, no quotes, numbers in the columns of numbers', () => {
  for (const scenario of NAMES) {
    const setUp = setUpOf(scenario, {
      settings: { quorum: 0.5, reach: 1 },
      sweep: { parameter: 'burn_rate', from: 0, to: 0.1, values: 5 },
    });
    const text = runsCsv(setUp, [...playBatch(setUp)]);
    expect(text).not.toMatch(/["\r]/);
    const [head, ...rows] = csvParseRows(text);
    expect(head).toEqual(RUN_COLUMNS.map(({ name }) => name));
    expect(rows).toHaveLength(30);
    for (const row of rows)
      for (const [place, { type }] of RUN_COLUMNS.entries()) {
        const value = row[place]!;
        if (type !== 'text') expect(value).toMatch(type === 'integer' ? /^\d*$/ : /^(-?\d+(\.\d+)?)?$/);
      }
    const at = (row: string[], name: string) => row[head!.indexOf(name)];
    expect(rows.map((row) => at(row, 'burn_rate')).slice(5, 11)).toEqual(['0', '0', '0', '0', '0', '0.025']);
    expect(at(rows[0]!, 'settings')).toBe('quorum=0.5|reach=1');
  }
});

test('every choice can be planned with any seed, although it may not be offered in each run', () => {
  for (const scenario of NAMES)
    for (const { name, choices } of decisionsOf(scenarioNamed(scenario)))
      for (const { name: choice } of choices)
        for (let seed = 1; seed <= 3; seed += 1)
          expect(
            playPlan(scenario, seed, {}, { ...randomPlan(scenario), [name]: { choice, parameters: {} } })
              .world.ending,
          ).not.toBeNull();
  const plan = { [decisionsOf(SCENARIOS[0]!)[0]!.name]: { choice: 'none', parameters: {} } };
  expect(() => playPlan(NAMES[0]!, 1, {}, plan)).toThrow('found "none"');
});

test.each([
  // By Wilson’s formula in Python.
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [10, 10, 0.7225, 1],
  [143, 200, 0.6488, 0.773],
])('the interval of %i in %i is %d to %d', (count, total, low, high) => {
  const interval = wilsonInterval(count, total);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test('docs/simulation.md has every column of the CSV', () => {
  const page = readFileSync(new URL('../../docs/simulation.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('### CSV of a batch');
  for (const { name, type, meaning } of RUN_COLUMNS)
    if (!LEVER_NAMES.includes(name as never))
      expect(section).toContain(`| \`${name}\` | ${type} | ${meaning} |`);
});
