import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Run } from '../../src/simulation/run.ts';
import { type Shown, type ShownSentinel, show } from '../../src/simulation/view.ts';
import { VIRTUES } from '../../src/simulation/virtues.ts';
import { arbitraryPlay, type Play, play } from './arbitrary-run.ts';

/** Words of a position as a sentinel says it of itself and of another. */
const SAID = {
  support: ['I support it.', 'supports it.'],
  support_with_conditions: ['I support it with conditions.', 'supports it with conditions.'],
  abstain: ['I take no side.', 'takes no side.'],
  oppose: ['I oppose it.', 'opposes it.'],
} as const;

/** Every update of some random runs; offline and recused sentinels, drift and lure occur in them. */
function updatesOf(one: Play): { shown: Shown; before: Shown | null }[] {
  const updates: { shown: Shown; before: Shown | null }[] = [];
  let last: Run | null = null;
  play({ ...one, rest: 60 }, (run) => {
    const isTick = last !== null && run.world.tick > last.world.tick;
    const before = isTick ? updates.at(-1)!.shown : null;
    updates.push({ shown: show(run, { outlooks: false }), before });
    last = run;
  });
  return updates;
}

/** Computed once for all tests, which only read them. */
const UPDATES = fc.sample(arbitraryPlay, { numRuns: 20, seed: 6 }).flatMap(updatesOf);

function patternOf(reasoning: string, ids: readonly string[]): string {
  const names = new RegExp([...ids, ...VIRTUES].join('|'), 'g');
  return reasoning.replaceAll(names, 'X');
}

test('reasons are plain words, and ten sentinels do not speak in one pattern', () => {
  for (const {
    shown: { sentinels },
  } of UPDATES) {
    const ids = sentinels.map(({ id }) => id);
    const patterns = new Map<string, number>();
    for (const { reasoning, status } of sentinels) {
      expect(reasoning).toMatch(/^[ -~]+$/);
      expect(reasoning).not.toMatch(/\d|_|undefined|null/);
      if (status === 'offline') continue;
      const pattern = patternOf(reasoning, ids);
      patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
    }
    expect(Math.max(0, ...patterns.values())).toBeLessThanOrEqual(2);
  }
});

test('reasons are those of the equation: virtues, influence, position and movement are as in the update', () => {
  for (const {
    shown: { sentinels, model },
    before,
  } of UPDATES) {
    for (const [i, one] of sentinels.entries()) {
      expectVirtues(one, model.effects);
      if (one.status === 'offline') {
        expect(one.reasoning).toContain('I am offline.');
        continue;
      }
      if (one.status === 'recused') {
        expect(one.reasoning).toContain('I am recused');
        continue;
      }
      expect(one.reasoning).toContain(SAID[one.position][0].replace('I ', ''));
      const heard = model.influence[i]!.map((weight, j) => (i === j ? 0 : weight));
      const loudest = heard.indexOf(Math.max(...heard));
      if (heard[loudest] === 0) expect(one.reasoning).toContain('I hear nobody');
      else {
        const speaker = sentinels[loudest]!;
        expect(one.reasoning).toContain(speaker.id);
        expect(one.reasoning).toContain(SAID[speaker.position][1]);
      }
      if (before) expectMovement(one, before.sentinels[i]!);
    }
  }
});

function expectVirtues(
  { reasoning, virtue_tags, status }: ShownSentinel,
  effects: Shown['model']['effects'],
) {
  if (status === 'offline') return;
  for (const virtue of VIRTUES) expect(reasoning.includes(virtue)).toBe(virtue_tags.includes(virtue));
  for (const virtue of virtue_tags) {
    const [, serves] = new RegExp(`(serves|harms) (?:\\w+ and )?${virtue}`).exec(reasoning) ?? [];
    const [side] = /for it|in its favour|against it/.exec(reasoning.slice(reasoning.indexOf(virtue))) ?? [];
    expect(serves ? serves === 'serves' : side !== 'against it').toBe(effects[virtue] > 0);
  }
}

function expectMovement({ reasoning, opinion }: ShownSentinel, before: ShownSentinel) {
  const by = opinion - before.opinion;
  expect(reasoning.includes('moved towards it')).toBe(by >= 0.02);
  expect(reasoning.includes('moved away from it')).toBe(by <= -0.02);
}

test('what an action moved is said with at most two numbers a sentence, and without names of the engine', () => {
  for (const {
    shown: {
      current_state: { why },
    },
  } of UPDATES) {
    for (const sentence of why?.said ?? []) {
      expect(sentence.match(/\d[\d,.]*/g)?.length ?? 0).toBeLessThanOrEqual(2);
      expect(sentence).not.toMatch(/_|undefined|null|NaN/);
      expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
    }
  }
});
