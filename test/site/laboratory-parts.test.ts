import { describe, expect, test } from 'vitest';
import { playBatch } from '../../src/simulation/laboratory/batch.ts';
import { EACH, type SetUp, sweptRanges } from '../../src/simulation/laboratory/set-up.ts';
import { LEVER_NAMES } from '../../src/simulation/levers.ts';
import { AT_RANDOM, decisionsOf } from '../../src/simulation/plan.ts';
import { SCENARIOS, scenarioNamed } from '../../src/simulation/scenarios.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { histogram } from '../../src/site/components/simulation/laboratory/drawings.ts';
import { endingShares } from '../../src/site/components/simulation/laboratory/endings.ts';
import { quantilesOf } from '../../src/site/components/simulation/laboratory/measures.ts';
import { GROUP_OF } from '../../src/site/components/simulation/laboratory/parameter-words.ts';
import { PRESETS } from '../../src/site/components/simulation/laboratory/presets.ts';
import {
  formatSetUpAddress,
  newSetUp,
  parseSetUpAddress,
} from '../../src/site/components/simulation/laboratory/set-up-address.ts';
import { sweepSentence, sweptShares } from '../../src/site/components/simulation/laboratory/sweep-shares.ts';

const [FIRST] = SCENARIOS;
const NAMES = SCENARIOS.map(({ name }) => name);
const parse = (query: string) => parseSetUpAddress(new URLSearchParams(query));

/** Each choice of each decision with its defaults, a comparison and a sweep. */
function setUpsOf(scenario: string): SetUp[] {
  const settings = { quorum: 0.51, lure: -0.5 };
  return decisionsOf(scenarioNamed(scenario)).flatMap(({ name, choices }) =>
    choices.map((choice) => {
      const parameters = Object.entries(choice.parameters ?? {}).map(([key, about]) => [key, about.default]);
      const plan = { [name]: { choice: choice.name, parameters: Object.fromEntries(parameters) } };
      const last = sweptRanges({ scenario, plan }).at(-1)!;
      const sweep = { parameter: last.parameter, from: last.least, to: last.most, values: 9 };
      const compared = { settings: { reach: 1 }, plan: { [name]: AT_RANDOM } as const };
      return { scenario, settings, plan, seeds: { from: 7, to: 42 }, sweep, compared };
    }),
  );
}

describe('the address of a set-up', () => {
  test('is read back as the set-up that it was made of', () => {
    for (const name of NAMES) {
      const presets = PRESETS.map(({ setUp }) => setUp(name));
      const own = { ...newSetUp(name), compared: { settings: {}, plan: {} }, sweep: EACH } as const;
      for (const setUp of [newSetUp(name), own, ...presets, ...setUpsOf(name)])
        expect(parse(formatSetUpAddress(setUp))).toEqual({
          setUp,
          faults: [],
          otherVersion: null,
          isComplete: true,
        });
    }
  });

  test('without seeds sets a batch up, and with them has it played', () => {
    const setUp = newSetUp(FIRST!.name);
    expect(parse(formatSetUpAddress(setUp, { withSeeds: false }))).toMatchObject({
      setUp,
      isComplete: false,
    });
  });

  test('of another version says so', () => {
    expect(parse(`scenario=${FIRST!.name}&v=00000000`)).toMatchObject({
      otherVersion: '00000000',
      faults: [],
    });
    expect(parse(`scenario=${FIRST!.name}&v=${VERSIONS[FIRST!.name]}`).otherVersion).toBeNull();
  });

  const decision = decisionsOf(FIRST!)[0]!;
  test.each([
    ['scenario=none', 'scenario', /^one of /],
    ['set=courage+1', 'set', /parameter of the model/],
    ['set=__proto__+1', 'set', /parameter of the model/],
    ['set=quorum+2', 'set quorum', 'a number from 0.3 to 1'],
    ['set=quorum+1e-1', 'set quorum', 'a number from 0.3 to 1'],
    ['set=quorum', 'set quorum', 'a number from 0.3 to 1'],
    ['kept_set=quorum+2', 'kept_set quorum', 'a number from 0.3 to 1'],
    ['plan=nothing+x', 'plan', /^one of the decisions /],
    [`plan=${decision.name}+nothing`, `plan ${decision.name}`, /at_random$/],
    ['seeds=a-b', 'seeds', /^whole numbers/],
    ['seeds=1.5', 'seeds', /^whole numbers/],
    ['seeds=9-3', 'seeds', /^whole numbers/],
    ['seeds=1-2-3', 'seeds', /^whole numbers/],
    ['seeds=4294967296', 'seeds', /^whole numbers/],
    ['seeds=1-2000', 'seeds', 'at most 1000 seeds'],
    ['seeds=1-2&seeds=3-4', 'seeds', 'it once'],
    ['sweep=nothing', 'sweep', /^“each”/],
    ['sweep=quorum+1+0.3+7', 'sweep quorum', /^two rising numbers/],
    ['sweep=quorum+0.3+1+99', 'sweep quorum', /^two rising numbers/],
    ['compare=other', 'compare', 'own'],
    ['seed=7', 'seed', /^one of /],
  ])('with a fault, %s, names it, and the rest is used', (query, place, expected) => {
    const { faults, setUp } = parse(`${query}&set=reach+1&set=burn_rate+0.05`);
    expect(faults).toEqual([
      {
        place,
        expected: expect.stringMatching(expected),
        found: expect.any(String),
        used: expect.stringMatching(/\.$/),
      },
    ]);
    expect(setUp.settings).toEqual({ reach: 1, burn_rate: 0.05 });
    expect(setUp.seeds.to - setUp.seeds.from).toBeLessThan(1000);
  });
});

test('every parameter of the model has a place on the page', () => {
  expect(Object.keys(GROUP_OF).sort()).toEqual([...LEVER_NAMES].sort());
});

test('the quartiles are those of numpy and R', () => {
  expect(quantilesOf([4, 1, 3, 2])).toEqual({ least: 1, lower: 1.75, median: 2.5, upper: 3.25, most: 4 });
  expect(quantilesOf([])).toBeNull();
});

test('the shares of all endings add up, and those never reached are among them', () => {
  const setUp = { ...newSetUp(NAMES[0]!), seeds: { from: 1, to: 10 } };
  const shares = endingShares(setUp.scenario, [...playBatch(setUp)]);
  expect(shares.map(({ name }) => name)).toEqual(FIRST!.endings.map(({ name }) => name));
  expect(shares.reduce((sum, { count }) => sum + count, 0)).toBe(10);
});

test('a sweep says what the ending that changes most does; a part that was not played is left out', () => {
  const { setUp } = PRESETS.find(({ name }) => name === 'quorum')!;
  const sweep = setUp(NAMES[0]!);
  const small = { ...sweep, seeds: { from: 1, to: 10 } };
  const rows = [...playBatch(small)];
  const [whole] = sweptShares(small, rows);
  expect(whole!.points).toHaveLength(8);
  expect(sweptShares(small, rows.slice(0, 35))[0]!.points.map(({ runs }) => runs)).toEqual([10, 10, 5]);
  const at = (shares: readonly number[]) => ({
    ...whole!,
    points: shares.map((share, value) => ({
      value,
      runs: 100,
      shares: [{ name: '', title: 'It', count: 0, share, low: 0, high: 1 }],
    })),
    strongest: { place: 0, change: Math.max(...shares) - Math.min(...shares) },
  });
  expect(sweepSentence(at([0.1, 0.4, 0.6]))).toBe('“It” rises from 10 % to 60 % of the runs.');
  expect(sweepSentence(at([0.6, 0.4, 0.1]))).toBe('“It” falls from 60 % to 10 % of the runs.');
  expect(sweepSentence(at([0.2, 0.6, 0.1]))).toBe('“It” varies between 10 % and 60 % of the runs.');
  expect(sweepSentence(at([0.2, 0.23]))).toBe(
    'Hardly matters: no ending changes by more than 3 in 100 runs.',
  );
  expect(sweepSentence(at([0.2, 0.2]))).toMatch(/^Does not matter here/);
});

test('a histogram can be drawn of any values, its highest bar as high as the chart', () => {
  for (const values of [
    [1, 2],
    [0.1, 0.1000001],
    [-5, 1e9],
    [3, 3, 4],
    Array.from({ length: 90 }, (_, n) => n),
  ]) {
    const drawn = histogram([values, [values[0]!]], { label: '', decimals: 0 });
    expect(drawn).not.toContain('NaN');
    const heights = [...drawn.matchAll(/<rect[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height));
    expect(heights.length).toBeGreaterThan(1);
    // The comparison has all its runs in one bar, so that a bar of all runs is as high as the chart.
    const shares = heights.map((height) => height / 98);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 1);
  }
});
