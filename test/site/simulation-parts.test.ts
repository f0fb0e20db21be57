import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { available } from '../../src/simulation/decisions.ts';
import { lookAhead, prospectOf } from '../../src/simulation/outlooks.ts';
import { actInRun, type Recorded, type Run, replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { isDecided } from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { coursePicture, zonePlace } from '../../src/site/simulation/board.ts';
import { sliderStep } from '../../src/site/simulation/card.ts';
import { formatRunAddress, isOtherVersion, parseRunAddress } from '../../src/site/simulation/run-address.ts';
import { beforeLastChoice, begin, choose, goOn } from '../../src/site/simulation/turn.ts';
import { changesInWords, prospectInWords, tallyInWords } from '../../src/site/simulation/words.ts';
import { assertPlain } from '../charts/drawing.ts';

const AUDITED: Recorded = {
  scenario: 'model_drift',
  seed: 7,
  actions: [
    { tick: 1, name: 'audit', parameters: {} },
    { tick: 3, name: 'brief_sentinel', parameters: { sentinel: 'ATLAS', virtue: 'justice' } },
  ],
  tick: 12,
};

const stepsOf = (recorded: Recorded) => {
  const steps: Run[] = [];
  replay(recorded, (step) => steps.push(step));
  return steps;
};

/** A run in which at each tick one of the possible things is done, or nothing. */
const anyRun = fc
  .record({
    scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    settings: fc.constantFrom({}, { quorum: 0.5 }, { reach: 0.123456, quorum: 1 }),
    picks: fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
  })
  .map(({ scenario, seed, settings, picks }) => {
    let run = startRun(scenario, seed, settings);
    for (const pick of picks) {
      const action = available(run.world, run.scenario)[pick];
      run = action ? actInRun(run, action.choice.name, {}) : stepRun(run);
    }
    return run;
  });

describe('the address of a run', () => {
  test('is read back as the run it was made of', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const query = new URLSearchParams(formatRunAddress(run));
        const end = parseRunAddress(query).at(-1)!;
        expect(isOtherVersion(query)).toBe(false);
        expect(end.actions).toEqual(run.actions);
        expect(end.world).toEqual(run.world);
      }),
      { numRuns: 60 },
    );
  });

  test('can be read by people, too', () => {
    expect(formatRunAddress(replay({ ...AUDITED, settings: { quorum: 0.5 } }))).toBe(
      `?scenario=model_drift&v=${VERSIONS.model_drift}&seed=7&set=quorum+0.5&do=1+audit&do=3+brief_sentinel+sentinel+ATLAS+virtue+justice&tick=12`,
    );
  });

  test.each([
    ['seed=-1&do=1+audit', 'seed: expected a whole number of at most ten digits, found “-1”'],
    ['seed=1e3', 'found “1e3”'],
    ['seed=4294967296', 'seed: expected a whole number from 0 to 4294967295, found 4294967296'],
    ['seed=99999999999', 'found “99999999999”'],
    ['set=quorum', 'set: expected the name of a parameter and a number, found “quorum”'],
    ['set=quorum+2&do=1+audit', 'quorum: expected a number from 0.3 to 1, found 2'],
    ['set=courage+1', 'found "courage"'],
    ['do=1+nothing', 'do, number 1: '],
    ['do=1+audit&do=1+audit&tick=9', 'do, number 2: '],
    ['do=1+audit&do=3+brief_sentinel+sentinel+NOBODY', 'sentinel: expected one of ATLAS, '],
    ['do=audit', 'found “audit”'],
    ['do=1+audit+x', 'expected a tick, an action and its parameters, found “1 audit x”'],
    ['do=1+audit+__proto__+1', 'do, number 1: '],
    ['do=3+brief_sentinel&do=1+audit', 'do, number 2: expected a tick from 3 to '],
    ['do=1+audit&tick=0', 'tick: expected a tick from 1 to '],
    ['do=1+audit&tick=5x', 'tick: expected a whole number of at most ten digits, found “5x”'],
    ['do=1+audit&do=9', 'do, number 2: '],
    ['tick=999', 'tick: expected a tick from 0 to '],
    [`${'do=2+brief_sentinel&'.repeat(65)}`, 'do, number 4: '],
  ])('that is not valid, like %s, says where, what was expected and what was found', (query, fault) => {
    const read = () => parseRunAddress(new URLSearchParams(`scenario=model_drift&${query}`));
    expect(read).toThrow(fault);
  });

  test.each([
    ['do=1+audit&do=1+audit&tick=9', `v=${VERSIONS.model_drift}&seed=1&do=1+audit&tick=1`],
    ['seed=7&do=1+audit&do=3+brief_sen', `v=${VERSIONS.model_drift}&seed=7&do=1+audit&tick=3`],
    ['seed=7&tick=999', `v=${VERSIONS.model_drift}&seed=7&tick=0`],
    ['seed=soon&do=1+audit', ''],
    ['set=quorum+2', ''],
  ])('that is not valid, like %s, names the nearest one that is', (query, nearest) => {
    const start = 'scenario=model_drift';
    const expected = `?${[start, nearest].filter((text) => text !== '').join('&')}`;
    expect(() => parseRunAddress(new URLSearchParams(`${start}&${query}`))).toThrow(
      expect.objectContaining({ nearest: expected }),
    );
    expect(() => parseRunAddress(new URLSearchParams(expected))).not.toThrow();
  });

  test('says whether it is of another version; an unknown scenario, or none, is no run', () => {
    const query = (text: string) => new URLSearchParams(text);
    expect(isOtherVersion(query('scenario=model_drift&v=00000000'))).toBe(true);
    expect(isOtherVersion(query('scenario=model_drift'))).toBe(false);
    for (const wrong of ['scenario=none', 'seed=7'])
      expect(() => parseRunAddress(query(wrong))).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^scenario: expected one of/),
          nearest: null,
        }),
      );
  });
});

describe('a turn', () => {
  test('goes on to the next decision, vote or end, and never beyond one', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        if (run.world.ending !== null) return;
        const { tick, open, deliberation } = run.world;
        const end = goOn(run);
        const count = end.world.tick - tick;
        for (let ticks = 1; ticks < count; ticks += 1) {
          const { world } = stepRun(run, ticks);
          expect([world.open, world.ending]).toEqual([open, null]);
          expect(world.deliberation.votes).toEqual(deliberation.votes);
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each(SCENARIOS.map(({ name }) => name))(
    'of %s begins at a decision of two to four choices',
    (name) => {
      const run = begin(startRun(name, 1));
      expect(run.actions).toEqual([]);
      const choices = available(run.world, run.scenario).filter(({ decision }) => decision !== null);
      expect(choices.length).toBeGreaterThanOrEqual(2);
      expect(choices.length).toBeLessThanOrEqual(4);
    },
  );

  test('after a choice leads to the next one; what was before it is compared with now', () => {
    const run = begin(startRun('model_drift', 7));
    const next = choose(run, 'audit', {});
    expect(next.world.tick).toBeGreaterThan(run.world.tick);
    const steps = parseRunAddress(new URLSearchParams(formatRunAddress(next)));
    expect(beforeLastChoice(steps)!.world).toEqual(run.world);
    const said = changesInWords(run.world, next.world);
    expect(said[0]).toMatch(/^Day \d+: /);
    expect(changesInWords(run.world, run.world)).toEqual([]);
  });
});

/** More than two numbers in a sentence are not read. */
function numbersIn(text: string): number {
  return text.replaceAll(/“[^”]*”/g, '').match(/\d[\d,.]*/g)?.length ?? 0;
}

test('what a choice would do is said by whom it pleases and what follows, in every scenario', () => {
  const terms = new Set<string>();
  for (const { name } of SCENARIOS)
    for (let run = begin(startRun(name, 3)); run.world.ending === null; run = goOn(run)) {
      const otherwise = lookAhead(run.world, run.scenario);
      for (const action of available(run.world, run.scenario)) {
        if (action.decision === null) continue;
        const prospect = prospectOf(run.world, run.scenario, action, {});
        const said = prospectInWords(prospect, otherwise, isDecided(run.world));
        expect(said.at(-1)!.term).toBe('In a week');
        for (const { term, text } of said) {
          terms.add(term);
          expect(text).not.toMatch(/undefined|NaN|null|_/);
          for (const part of text.split(' · ')) expect(numbersIn(part)).toBeLessThanOrEqual(2);
        }
      }
      for (const text of changesInWords(startRun(name, 3).world, run.world).map((one) => one.slice(6)))
        expect(numbersIn(text)).toBeLessThanOrEqual(3);
    }
  expect([...terms].toSorted()).toEqual(['In a week', 'Pleases', 'Troubles', 'Turns']);
});

test('a vote is said with what it needs, and of nobody who takes a side nothing is asked', () => {
  const run = startRun('conflicting_incentives', 1);
  expect(tallyInWords(run.world)).toEqual({
    verdict: 'If they voted today, the vote would be divided.',
    count: '6 for, 4 against.',
    needs: 'At least 6 must take a position. Of 10 who do, 7 must agree.',
  });
  const opinion = run.world.conditions.opinion.map(() => 0.5);
  const nobody = { ...run.world, conditions: { ...run.world.conditions, opinion } };
  expect(tallyInWords(nobody)).toEqual({
    verdict: 'If they voted today, too few would take a position.',
    count: '0 for, 0 against.',
    needs: 'At least 6 must take a position.',
  });
});

test('opinions are drawn in their zones, each as far as the next begins', () => {
  let last = -1;
  for (let opinion = 0; opinion <= 1; opinion += 0.01) {
    const place = zonePlace(opinion);
    expect(place).toBeGreaterThan(last);
    last = place;
  }
  expect([zonePlace(0), zonePlace(1)]).toEqual([0, 1]);
});

test('the opinions over time are plain SVG, with every name once and within the picture', () => {
  const picture = coursePicture(stepsOf(AUDITED), 820);
  assertPlain(picture.replaceAll(/var\(--\w+\)/g, '#123456'), 'the picture of a run');
  const names = [...picture.matchAll(/y="([\d.]+)"[^>]*>([A-Z]{3,}|Mean)</g)].map(([, y]) => Number(y));
  expect(names).toHaveLength(11);
  for (const [i, y] of names.entries()) {
    expect(y).toBeGreaterThanOrEqual((names[i - 1] ?? 0) + 13.9);
    expect(y).toBeLessThan(300);
  }
});

test('the ends and the default of every parameter are stops of its slider', () => {
  const parameters = SCENARIOS.flatMap(({ decisions }) =>
    decisions.flatMap(({ choices }) => choices.flatMap((choice) => Object.values(choice.parameters ?? {}))),
  );
  expect(parameters.length).toBeGreaterThan(5);
  for (const about of parameters)
    for (const value of [about.default, about.maximum]) {
      const stops = (value - about.minimum) / sliderStep(about);
      expect(Math.abs(stops - Math.round(stops))).toBeLessThan(1e-6);
    }
});
