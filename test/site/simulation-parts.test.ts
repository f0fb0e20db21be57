import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actInRun, replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { show } from '../../src/simulation/view.ts';
import { coursePicture } from '../../src/site/simulation/course-picture.ts';
import { describeChange } from '../../src/site/simulation/describe-change.ts';
import { outcomeOf } from '../../src/site/simulation/outcome-words.ts';
import { judge, WEEK } from '../../src/site/simulation/predictions.ts';
import {
  courseOf,
  formatRunAddress,
  hasNews,
  historyOf,
  LONGEST_ADDRESS,
  nextStop,
  parseRunAddress,
  upTo,
} from '../../src/site/simulation/run-address.ts';
import { shareInWords } from '../../src/site/simulation/share-in-words.ts';
import {
  decisionsCsv,
  standAlone,
  transcriptCsv,
  transcriptJson,
} from '../../src/site/simulation/take-away.ts';
import { zonePlace } from '../../src/site/simulation/zones.ts';
import { assertPlain } from '../charts/drawing.ts';

const AUDITED = {
  scenario: 'model_drift',
  seed: 7,
  actions: [
    { tick: 1, name: 'audit', parameters: {} },
    { tick: 3, name: 'brief_sentinel', parameters: { sentinel: 'ATLAS', virtue: 'justice' } },
  ],
  tick: 12,
};

const LONGER = { ...AUDITED, tick: 20 };

/** A run in which at each tick one of the possible things is done, or nothing. */
const anyRun = fc
  .record({
    scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    quorum: fc.constantFrom({}, { quorum: 0.5 }, { reach: 0.123456, quorum: 1 }),
    picks: fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
  })
  .map(({ scenario, seed, quorum: settings, picks }) => {
    let run = startRun(scenario, seed, settings);
    for (const pick of picks) {
      const action = show(run, { outlooks: false }).next_actions[pick];
      const given = Object.entries(action?.parameters ?? {}).map(([name, about]) => [name, about.default]);
      run = action ? actInRun(run, action.name, Object.fromEntries(given)) : stepRun(run);
    }
    return { scenario, seed, settings, actions: [...run.actions], tick: run.world.tick };
  });

describe('the address of a run', () => {
  test('is read back as the run it was made of', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        expect(parseRunAddress(new URLSearchParams(formatRunAddress(run)))).toEqual({
          run,
          kept: null,
          isBegun: run.tick > 0 || run.actions.length > 0,
          faults: [],
          otherVersion: null,
        });
      }),
      { numRuns: 60 },
    );
  });

  test('with that of the run it is compared with is read back as both, or has the first alone where it would be too long', () => {
    let longest = 0;
    fc.assert(
      fc.property(anyRun, anyRun, (run, kept) => {
        const address = formatRunAddress(run, kept);
        longest = Math.max(longest, address.length);
        expect(parseRunAddress(new URLSearchParams(address))).toMatchObject({ run, kept, faults: [] });
      }),
      { numRuns: 60 },
    );
    expect(longest).toBeLessThan(LONGEST_ADDRESS);
    const briefing = { name: 'brief_sentinel', parameters: { sentinel: 'ATLAS', virtue: 'justice' } };
    const busy = { ...AUDITED, actions: Array.from({ length: 64 }, () => ({ tick: 1, ...briefing })) };
    expect(formatRunAddress(AUDITED, busy)).toBe(formatRunAddress(AUDITED));
  });

  test('can be read by people, too', () => {
    expect(formatRunAddress({ ...AUDITED, settings: { quorum: 0.5 } })).toBe(
      `?scenario=model_drift&v=${VERSIONS.model_drift}&seed=7&set=quorum+0.5&do=1+audit&do=3+brief_sentinel+sentinel+ATLAS+virtue+justice&tick=12`,
    );
  });

  test.each([
    ['seed=-1&do=1+audit', 0, 'seed: expected a whole number from 0 to 4294967295, found “-1”'],
    ['seed=1e3', 0, 'found “1e3”'],
    ['seed=99999999999', 0, 'found “99999999999”'],
    ['set=quorum', 0, 'set: expected the name of a parameter and a number, found “quorum”'],
    ['set=quorum+2&do=1+audit', 0, 'quorum: expected a number from 0.3 to 1, found 2'],
    ['set=courage+1', 0, 'found "courage"'],
    ['do=1+nothing', 1, 'do, number 1: '],
    ['do=1+audit&do=1+audit&tick=9', 1, 'do, number 2: '],
    ['do=1+audit&do=3+brief_sentinel+sentinel+NOBODY', 3, 'sentinel: expected one of ATLAS, '],
    ['do=audit', 0, 'found “audit”'],
    ['do=1+audit+x', 0, 'expected names with values, found “1 audit x”'],
    ['do=1+audit+__proto__+1', 1, 'do, number 1: '],
    ['do=3+brief_sentinel&do=1+audit', 3, 'do, number 2: expected a tick from 3 to '],
    ['do=1+audit&tick=0', 1, 'tick: expected a number from 1 to '],
    ['do=1+audit&tick=5x', 1, 'tick: expected a whole number from 0 to '],
  ])(
    'that is not valid as a whole, like %s, is followed up to there, and says what is wrong',
    (query, tick, fault) => {
      const { run, faults } = parseRunAddress(new URLSearchParams(`scenario=model_drift&${query}`))!;
      expect(run.tick).toBe(tick);
      expect(faults.join(' ')).toContain(fault);
      expect(() => replay(run)).not.toThrow();
    },
  );

  test('that goes beyond the end ends there; one with more actions than a run may have stops at the last', () => {
    const beyond = parseRunAddress(new URLSearchParams('scenario=model_drift&tick=999'))!;
    expect(replay(beyond.run).world.ending).not.toBeNull();
    expect(beyond.faults[0]).toContain('tick: expected a whole number from 0 to ');
    const many = new URLSearchParams(`scenario=model_drift${'&do=2+brief_sentinel'.repeat(65)}`);
    expect(parseRunAddress(many)!.faults).toHaveLength(1);
  });

  test('of a kept run that is not valid leaves the run beside it as it is', () => {
    const read = (query: string) =>
      parseRunAddress(new URLSearchParams(`scenario=model_drift&do=1+audit&${query}`))!;
    expect(read('kept_scenario=none')).toMatchObject({ kept: null, run: { tick: 1 } });
    expect(read('kept_scenario=none').faults[0]).toContain('kept_scenario: Expected one of ');
    expect(read('kept_do=1+nothing')).toMatchObject({ kept: { tick: 1, actions: [] }, run: { tick: 1 } });
    expect(read('kept_seed=-1').faults[0]).toContain('kept_seed: ');
  });

  test('of another version says so; of an unknown scenario names no run', () => {
    expect(parseRunAddress(new URLSearchParams('scenario=model_drift&v=00000000'))).toMatchObject({
      otherVersion: '00000000',
      faults: [],
    });
    expect(() => parseRunAddress(new URLSearchParams('scenario=none'))).toThrow(/Expected one of/);
  });

  test('may name none', () => {
    expect(parseRunAddress(new URLSearchParams('?seed=7'))).toBeNull();
  });
});

describe('the next stop of a run', () => {
  test('is the next decision, vote or end, and never beyond one', () => {
    fc.assert(
      fc.property(anyRun, (recorded) => {
        const run = replay(recorded);
        const stop = nextStop(run);
        if (run.world.ending !== null) return;
        const between = courseOf({ ...recorded, tick: stop }).slice(recorded.tick);
        const news = between.slice(1).map(({ world }, i) => hasNews(between[i]!.world, world));
        expect(news).toEqual([...news.slice(0, -1).fill(false), true]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a prediction', () => {
  const worlds = courseOf({ ...AUDITED, tick: 12 }).map(({ world }) => world);
  const expected = { decision: 'treatment', about: 'proposal', expected: 'undecided' } as const;

  test('is compared with the state a week later, and not before', () => {
    expect(judge({ ...expected, tick: 3 }, worlds).happened).toBe(
      outcomeOf(worlds[3 + WEEK]!.deliberation.status),
    );
    expect(judge({ ...expected, tick: 9 }, worlds).happened).toBeNull();
  });

  test('of the whole run is compared with its end', () => {
    const before = { ...expected, decision: null, tick: 0 };
    expect(judge(before, worlds).happened).toBeNull();
    const ended = courseOf({ ...AUDITED, tick: 99 }).map(({ world }) => world);
    expect(judge(before, ended).happened).toBe(outcomeOf(ended.at(-1)!.deliberation.status));
  });
});

test.each([
  [0.75, 'three quarters'],
  [2 / 3, 'two thirds'],
  [0.68, 'about two thirds'],
  [1, 'all'],
])('the share %d is said as %s', (share, words) => {
  expect(shareInWords(share)).toBe(words);
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

describe('the history of a run', () => {
  test('has it as a replay has it, tick by tick', () => {
    const history = historyOf(AUDITED);
    expect(history.map(({ tick }) => tick)).toEqual(Array.from({ length: 13 }, (_, tick) => tick));
    for (const tick of [3, 7, 12])
      expect(history[tick]).toEqual(show(replay({ ...AUDITED, tick }), { outlooks: false }));
  });

  test('of a branch is the same up to there', () => {
    const branch = upTo(AUDITED, 3);
    expect(branch.actions.map(({ name }) => name)).toEqual(['audit']);
    expect(historyOf(branch).slice(0, 3)).toEqual(historyOf(AUDITED).slice(0, 3));
  });
});

describe('what a reader hears', () => {
  test('is the tick with what has changed, and nothing where nothing has', () => {
    const [before, now] = historyOf({ ...AUDITED, actions: [] });
    expect(describeChange(before, now!)).toMatch(/^Day 1\. .*Your decision: /);
    expect(describeChange(now, now!)).toBe('');
  });

  test('at the end is how it ended', () => {
    const history = historyOf({ ...AUDITED, tick: 999 });
    expect(describeChange(history.at(-2), history.at(-1)!)).toContain('The run is over:');
  });
});

describe('what is taken away', () => {
  test('as CSV has a row for each sentinel and tick, and in each as many fields', () => {
    const lines = transcriptCsv(historyOf(AUDITED)).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 13 * 10);
    expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([30]));
    const [columns, ...rows] = lines.map((line) => line.split(','));
    const column = (name: string) => rows.map((row) => row[columns!.indexOf(name)]!);
    const last = historyOf(AUDITED).at(-1)!;
    expect(column('polarisation').at(-1)).toBe(String(last.current_state.opinions.polarisation));
    expect(column('weight_courage').at(-1)).toBe(String(last.model.sentinels.at(-1)!.weights.courage));
    expect(new Set(column('vote'))).toContain(last.current_state.deliberation.votes[0]!.result);
  });

  test('as CSV of decisions has what was done and what time decided', () => {
    const { tick } = stepRun(replay(AUDITED), 100).world;
    const [, ...rows] = decisionsCsv({ ...AUDITED, tick })
      .trimEnd()
      .split('\n');
    expect(rows).toContain(`${AUDITED.actions[0]!.tick},detection,audit,,you`);
    expect(rows.some((row) => row.endsWith(',time'))).toBe(true);
  });

  test('as JSON can be replayed', () => {
    const { updates, ...run } = JSON.parse(transcriptJson(AUDITED, historyOf(AUDITED), 'https://x.example/'));
    const again = show(replay(run), { outlooks: false });
    expect(updates.at(-1).model).toEqual(JSON.parse(JSON.stringify(again.model)));
    expect(updates.at(-1).sentinels).toEqual(JSON.parse(JSON.stringify(again.sentinels)));
  });

  test('as a picture is plain enough for every program that opens SVG', () => {
    const picture = coursePicture(historyOf(AUDITED), {
      width: 820,
      title: 'A run',
      other: historyOf(LONGER),
    });
    assertPlain(
      standAlone(picture, () => '#123456'),
      'the picture of a run',
    );
  });

  test('as a picture has its colours in it', () => {
    const svg = standAlone('<svg a="b"><path fill="var(--ink)"/></svg>', (name) => `[${name}]`);
    expect(svg).toBe(
      '<svg a="b"><rect width="100%" height="100%" fill="[--paper]"/><path fill="[--ink]"/></svg>',
    );
  });
});
