import { describe, expect, test } from 'vitest';
import { GLOSSARY, isFirstUse, piecesOf, termOf } from '../../src/site/components/glossary/terms.ts';

describe('the glossary of the site', () => {
  test('has each term once, with the meaning of docs/glossary.md as plain text', () => {
    const terms = GLOSSARY.flatMap(({ terms }) => terms);
    expect(new Set(terms.map(({ id }) => id)).size).toBe(terms.length);
    expect(termOf('cycle').meaning).toMatch(/^One UTC day of the ledger/);
    for (const { name, meaning } of terms) {
      expect(meaning, name).toMatch(/^[A-Z\d].*\.$/s);
      expect(meaning, name).not.toMatch(/[`[\]|]|\.md/);
    }
  });

  test('says which terms there are where a page asks for another', () => {
    expect(() => termOf('coin')).toThrow(expect.objectContaining({ code: 'site_failed', found: 'coin' }));
  });

  test('finds the first use of each term in a text, whole words only, in the plural too', () => {
    const text = 'Sentinels earn MIC. A sentinel of the cathedral FOR-GOVERNMENTS; /economy/mic; MICs.';
    const pieces = piecesOf(text, ['mic', 'sentinel', 'cathedral']);
    expect(pieces.map(({ text }) => text).join('')).toBe(text);
    expect(pieces.filter(({ id }) => id !== null)).toEqual([
      { text: 'Sentinels', id: 'sentinel' },
      { text: 'MIC', id: 'mic' },
      { text: 'cathedral', id: 'cathedral' },
    ]);
  });

  test('explains a term once a page', () => {
    const [page, other] = [new Request('http://localhost/a'), new Request('http://localhost/a')];
    expect([page, page, other].map((one) => isFirstUse(one, 'mic'))).toEqual([true, false, true]);
  });
});
