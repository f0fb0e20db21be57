import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actInRun, replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { show } from '../../src/simulation/view.ts';
import { describeChange } from '../../src/site/components/simulation/describe-change.ts';
import {
  formatRunAddress,
  historyOf,
  LONGEST_ADDRESS,
  parseRunAddress,
  upTo,
} from '../../src/site/components/simulation/run-address.ts';
import { standAlone, transcriptCsv, transcriptJson } from '../../src/site/components/simulation/take-away.ts';

const AUDITED = {
  scenario: 'model_drift',
  seed: 7,
  actions: [
    { tick: 1, name: 'audit', parameters: {} },
    { tick: 3, name: 'brief_sentinel', parameters: { sentinel: 'ATLAS', virtue: 'justice' } },
  ],
  tick: 12,
};

/** A run in which at each tick one of the possible things is done, or nothing. */
const anyRun = fc
  .record({
    scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    picks: fc.array(fc.nat({ max: 6 }), { maxLength: 12 }),
  })
  .map(({ scenario, seed, picks }) => {
    let run = startRun(scenario, seed);
    for (const pick of picks) {
      const action = show(run, { outlooks: false }).next_actions[pick];
      const given = Object.entries(action?.parameters ?? {}).map(([name, about]) => [name, about.default]);
      run = action ? actInRun(run, action.name, Object.fromEntries(given)) : stepRun(run);
    }
    return { scenario, seed, actions: [...run.actions], tick: run.world.tick };
  });

describe('the address of a run', () => {
  test('is read back as the run it was made of', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        expect(parseRunAddress(new URLSearchParams(formatRunAddress(run)))).toEqual({ run, kept: null });
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
        expect(parseRunAddress(new URLSearchParams(address))).toEqual({ run, kept });
      }),
      { numRuns: 60 },
    );
    expect(longest).toBeLessThan(LONGEST_ADDRESS);
    const briefing = { name: 'brief_sentinel', parameters: { sentinel: 'ATLAS', virtue: 'justice' } };
    const busy = { ...AUDITED, actions: Array.from({ length: 64 }, () => ({ tick: 1, ...briefing })) };
    expect(formatRunAddress(AUDITED, busy)).toBe(formatRunAddress(AUDITED));
  });

  test('can be read by people, too', () => {
    expect(formatRunAddress(AUDITED)).toBe(
      '?scenario=model_drift&seed=7&do=1+audit&do=3+brief_sentinel+sentinel+ATLAS+virtue+justice&tick=12',
    );
  });

  test.each([
    '?scenario=none',
    '?scenario=model_drift&seed=-1',
    '?scenario=model_drift&seed=1e3',
    '?scenario=model_drift&seed=99999999999',
    '?scenario=model_drift&do=1+nothing',
    '?scenario=model_drift&do=audit',
    '?scenario=model_drift&do=1+audit+x',
    '?scenario=model_drift&do=1+audit+__proto__+1',
    '?scenario=model_drift&do=1+audit&tick=0',
    '?scenario=model_drift&tick=999',
    '?scenario=model_drift&kept_tick=999',
    '?scenario=model_drift&kept_scenario=none',
    '?scenario=model_drift&kept_do=1+nothing',
    '?scenario=model_drift&kept_seed=-1',
    `?scenario=model_drift${'&do=1+audit'.repeat(65)}`,
  ])('that cannot be, like %s, is refused', (address) => {
    expect(() => parseRunAddress(new URLSearchParams(address))).toThrow();
  });

  test('may name none', () => {
    expect(parseRunAddress(new URLSearchParams('?seed=7'))).toBeNull();
  });
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
    expect(describeChange(before, now!)).toMatch(/^Tick 1\. .*Decision needed: How you look\./);
    expect(describeChange(now, now!)).toBe('');
  });

  test('at the end is how it ended', () => {
    const history = historyOf({ ...AUDITED, tick: 34 });
    expect(describeChange(history[33], history[34]!)).toContain('The run is over:');
  });
});

describe('what is taken away', () => {
  test('as CSV has a row for each sentinel and tick, and in each as many fields', () => {
    const lines = transcriptCsv(historyOf(AUDITED)).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 13 * 10);
    expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([15]));
  });

  test('as JSON can be replayed', () => {
    const { updates, ...run } = JSON.parse(transcriptJson(AUDITED, historyOf(AUDITED), 'https://x.example/'));
    const again = show(replay(run), { outlooks: false });
    expect(updates.at(-1).sentinels).toEqual(JSON.parse(JSON.stringify(again.sentinels)));
  });

  test('as a picture has its colours in it', () => {
    const svg = standAlone('<svg a="b"><path fill="var(--ink)"/></svg>', (name) => `[${name}]`);
    expect(svg).toBe(
      '<svg a="b"><rect width="100%" height="100%" fill="[--paper]"/><path fill="[--ink]"/></svg>',
    );
  });
});
