import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { UNSIGNED, verifyDocument as verify } from './signed-document.ts';

/** The value at a JSON Pointer (RFC 6901); undefined where it points nowhere. */
function resolvePointer(document: Json, pointer: string): Json | undefined {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<Json | undefined>((value, step) => (value as JsonObject | undefined)?.[step], document);
}

describe('the place of a problem', () => {
  const DOCUMENT = { ...UNSIGNED, signature: `${'A'.repeat(86)}==` };
  const LONG = `${'long/'.repeat(40)}name`;
  const inner = (name: string): JsonObject => ({ ...UNSIGNED.epicon_ej, [name]: 1 });

  test.each<[string, JsonObject, string]>([
    ['at the top', { ...DOCUMENT, [LONG]: 1 }, ''],
    ['inside', { ...DOCUMENT, epicon_ej: inner(LONG) }, '/epicon_ej'],
    ['of 80 characters', { ...DOCUMENT, ['x'.repeat(80)]: 1 }, `/${'x'.repeat(80)}`],
  ])('with a long name %s is there', (_, document, pointer) => {
    const { problems, warnings } = verify(document);
    const found = [...problems, ...warnings].find(({ code }) => /unknown_member|unread_member/.test(code))!;
    expect(found.pointer).toBe(pointer);
    expect(resolvePointer(document, found.pointer)).toBeDefined();
  });

  test('whose name is too long for a pointer is told in the message, as far as one reads', () => {
    const [found] = verify({ ...DOCUMENT, [LONG]: 1 }).problems;
    expect(found!.message).toMatch(/It is in the member "long\/long\/.*… there\.$/);
    expect(found!.message.length).toBeLessThan(250);
  });

  test('is one that points somewhere, however the names are', () => {
    for (const length of [79, 80, 81, 82, 200, 60_000]) {
      for (const letter of ['a', '~', '/', '😀']) {
        const document = { ...DOCUMENT, [letter.repeat(length / letter.length)]: 1 };
        for (const { pointer } of verify(document).problems)
          expect(resolvePointer(document, pointer)).toBeDefined();
      }
    }
  });
});
