import { describe, expect, test } from 'vitest';
import { visible } from '../../../pipeline/words/hidden.ts';
import { line } from '../../../src/sidecar/keys/key-arguments.ts';

describe('what is kept of an application', () => {
  const purpose = line(500);
  const name = line(100, visible);

  test('is prose of any language, of which a name has no hidden marks', () => {
    const hebrew = 'ניתוח של C++\u200f, גרסה 2';
    expect(purpose.parse(hebrew)).toBe(hebrew);
    expect(name.safeParse(hebrew).success).toBe(false);
    expect(name.parse('מכון המדדים')).toBe('מכון המדדים');
  });

  test.each(['a\u202eb', 'two\nlines', '\u0007'])(
    'is refused where it changes what a terminal shows: %j',
    (text) => {
      expect(purpose.safeParse(text).success).toBe(false);
    },
  );

  test('has no key, even one that a page broke by a soft hyphen', () => {
    const key = `cds_economy_${'Ab3'.repeat(10)}_Ab3dE9`;
    for (const at of [key.length, 20, 6])
      expect(purpose.safeParse(`for ${key.slice(0, at)}\u00ad${key.slice(at)}`).success).toBe(false);
  });
});
