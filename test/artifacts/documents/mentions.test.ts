import { describe, expect, test } from 'vitest';
import { mentions } from '../../../pipeline/artifacts/documents/references.ts';

describe('the references in a text', () => {
  test.each([
    ['Article 7(2) and Annex B', ['Article 7(2)', 'Annex B']],
    ['TF-O03, CDS-03.2, DP-04 and [RFC 9110]', ['TF-O03', 'CDS-03.2', 'DP-04', '[RFC 9110]']],
    ['Articles 5 to 8', ['Article 5', 'Article 6', 'Article 7', 'Article 8']],
    ['Articles 5–6', ['Article 5', 'Article 6']],
    ['Articles 3, 5 to 6, and 9(2)', ['Article 3', 'Article 5', 'Article 6', 'Article 9(2)']],
    ['Annexes A and C', ['Annex A', 'Annex C']],
    ['Article 5 and 30 days later', ['Article 5']],
    ['Articles of association', []],
    ['Articles 8 to 5', ['Article 8 to 5']],
    ['Articles 5(1) to 5(3)', ['Article 5(1) to 5(3)']],
  ])('of “%s” are %j', (text, names) => {
    expect(mentions(text).map(({ name }) => name)).toEqual(names);
  });
});
