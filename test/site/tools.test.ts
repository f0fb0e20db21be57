import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../pipeline/errors.ts';
import { type Ending, NothingToCheck, Steps } from '../../src/site/layout/steps.ts';
import type { Part } from '../../src/site/layout/worker-parts.ts';
import { endProved } from '../../src/site/verification/prove-pasted.ts';

const WORDS = { failed: 'does not hold', uncheckable: 'cannot be checked' };
const fault = (code: 'mirror_unreachable' | 'mirror_mismatch', place = '/latest.json') =>
  new CathedralError(code, { place, expected: 'an answer', found: 'none' });

const textOf = (part: Part | string): string =>
  typeof part === 'string' ? part : part.children.map(textOf).join('');

/** What the page hears of a proof. */
async function run(work: (steps: Steps) => Promise<void>) {
  const steps: string[] = [];
  const tell = {
    say: () => {},
    news: (step: Part | null) => void (step ? steps.push(textOf(step)) : steps.splice(0)),
  };
  const ending: Ending = await Steps.run(tell, work, WORDS);
  return { ...ending, steps };
}

const shown = async () => ({ words: 'as signed', value: 1 });

describe('the verdict of steps', () => {
  test('is theirs, and each is told as soon as it is there', async () => {
    const { words, verdict, steps } = await run(async (all) => {
      expect(await all.need('First', shown)).toBe(1);
      all.end('Proved', 'valid');
    });
    expect([words, verdict, steps]).toEqual(['Proved', 'valid', ['First Holdsas signed']]);
  });

  test('is that it does not hold, where one fails that the others need', async () => {
    const { words, verdict, steps, unreached } = await run(async (all) => {
      await all.need('First', async () => {
        throw fault('mirror_mismatch');
      });
      all.end('Proved', 'valid');
    });
    expect([words, verdict, unreached]).toEqual(['does not hold', 'invalid', []]);
    expect(steps[0]).toMatch(/^First Does not hold.*\/latest\.json.*an answer.*none.*mirror_mismatch$/);
  });

  test('is neither, where a host does not answer or nothing was given, and names what was not loaded', async () => {
    const unanswered = await run(async (all) => {
      await all.need('First', async () => {
        throw fault('mirror_unreachable');
      });
    });
    expect(unanswered).toMatchObject({
      words: 'cannot be checked',
      verdict: 'open',
      unreached: ['/latest.json'],
      steps: [expect.stringMatching(/^First Cannot be checked/)],
    });
    const empty = await run(async (all) => {
      await all.need('First', async () => {
        throw new NothingToCheck(fault('mirror_mismatch', 'a field'));
      });
    });
    expect(empty).toMatchObject({ verdict: 'open', unreached: [] });
  });

  test('is never that something is proved, where a step beside does not hold or cannot be checked', async () => {
    for (const [code, verdict] of [
      ['mirror_mismatch', 'invalid'],
      ['mirror_unreachable', 'open'],
    ] as const) {
      const ending = await run(async (all) => {
        await all.attempt('Witnesses', async () => {
          throw fault(code);
        });
        endProved(all, 'Proved');
      });
      expect([code, ending.verdict]).toEqual([code, verdict]);
      expect(ending.words).toMatch(/^Proved\. But /);
    }
    expect((await run(async (all) => endProved(all, 'Proved'))).verdict).toBe('valid');
  });

  test('is that the page failed, where its own code does', async () => {
    const { words, verdict } = await run(async () => {
      throw new TypeError('x is not a function');
    });
    expect([words, verdict]).toEqual(['This page failed: x is not a function', 'open']);
  });

  test('begins again with the steps', async () => {
    const { verdict, steps, unreached } = await run(async (all) => {
      await all.attempt('First', async () => {
        throw fault('mirror_unreachable');
      });
      all.clear();
      await all.need('First', shown);
      endProved(all, 'Proved');
    });
    expect([verdict, steps.length, unreached]).toEqual(['valid', 1, []]);
  });
});
