import fc from 'fast-check';
import { expect, test } from 'vitest';
import { termsOf } from '../../src/simulation/opinions.ts';
import { NEW_SESSION, updateOf } from '../../src/simulation/protocol/session.ts';
import type { Run } from '../../src/simulation/run.ts';
import { arbitraryPlay, type Play, play } from './arbitrary-run.ts';

/** Words of a position as a sentinel says it of itself and of another. */
const SAID = {
  support: ['I support it.', 'who supports it.'],
  support_with_conditions: ['I support it with conditions.', 'who supports it with conditions.'],
  abstain: ['I take no side.', 'who takes no side.'],
  oppose: ['I oppose it.', 'who opposes it.'],
} as const;

/** Every state of some random runs; offline sentinels, drift and lure occur in them. */
function statesOf(one: Play): Run[] {
  const states: Run[] = [];
  play({ ...one, rest: 60 }, (run) => states.push(run));
  return states;
}

const STATES = fc.sample(arbitraryPlay, { numRuns: 20, seed: 6 }).flatMap(statesOf);

test('a reason is the position, the two largest terms of the equation and the loudest voice', () => {
  const statuses = new Set<string>();
  for (const run of STATES) {
    const { sentinels, model } = updateOf({ ...NEW_SESSION, run });
    for (const [i, { reasoning, status, position, virtue_tags }] of sentinels.entries()) {
      expect(reasoning).toMatch(/^[ -~]+$/);
      expect(reasoning).not.toMatch(/\d|_|undefined|null/);
      statuses.add(status);
      if (status !== 'operational') {
        expect(reasoning).toMatch(status === 'offline' ? /^I am offline\. / : /^I am recused: /);
        continue;
      }
      expect(reasoning.startsWith(SAID[position][0])).toBe(true);
      const terms = termsOf(run.world.sentinels[i]!, run.world.conditions.drift[i]!, run.world)
        .filter(([, value]) => Math.abs(value) >= 0.03)
        .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
      const virtues = terms.slice(0, 2).filter(([cause]) => cause in model.effects);
      for (const [virtue, value] of virtues)
        expect(reasoning.toLowerCase()).toContain(`${virtue} speaks ${value > 0 ? 'for' : 'against'} it`);
      expect(virtue_tags.slice(0, virtues.length)).toEqual(virtues.map(([virtue]) => virtue));
      const heard = model.influence[i]!.map((weight, j) => (i === j ? 0 : weight));
      const speaker = sentinels[heard.indexOf(Math.max(...heard))]!;
      const loudest = `I listen most to ${speaker.id}, ${SAID[speaker.position][1]}`;
      expect(reasoning.endsWith(Math.max(...heard) === 0 ? 'I hear nobody but myself.' : loudest)).toBe(true);
    }
  }
  expect(statuses.has('offline')).toBe(true);
});
