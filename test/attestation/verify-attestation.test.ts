import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Json, JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { PROBLEMS } from '../../pipeline/attestation/problem.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { anyCharacter } from '../any-character.ts';
import { isSweep } from '../setups/sweep.ts';
import { COMPASS, forced, LANTERN, signed, TRUST, verifyDocument as verify } from './signed-document.ts';

const DOCUMENT = signed();

describe('a document that its companion signed', () => {
  test('is valid no more when any byte of it is another', () => {
    for (const key of [LANTERN, COMPASS]) {
      const bytes = canonicalBytes(signed({ ccr_score: 0.5 }, key));
      for (let index = 0; index < bytes.length; index += isSweep ? 1 : 41) {
        const changed = bytes.slice();
        // A bit is enough.
        changed[index]! ^= 0x01;
        expect(verifyAttestation(changed, TRUST).valid, `byte ${index}`).toBe(false);
      }
    }
  });

  test('is valid no more when a member is taken away', () => {
    for (const name of Object.keys(DOCUMENT)) {
      const { [name]: _, ...rest } = DOCUMENT;
      expect(verify(rest).valid, name).toBe(false);
    }
  });
});

describe('a warning', () => {
  test('is not crowded out by members that nothing reads, however many', () => {
    const names = Array.from({ length: 100 }, (_, index) => [`unread${index}`, 0]);
    const document = forced({ drift_monitoring: Object.fromEntries(names) });
    const { warnings } = verify(document, { registry: registryOf({}) });
    expect(warnings.map(({ code }) => code)).toEqual([...Array(16).fill('unread_member'), 'not_registered']);
  });
});

describe('verifying', () => {
  const SOME_TRUST = [TRUST, { ...TRUST, registry: registryOf({}) }];

  test('never throws, whatever bytes it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: anyCharacter }), fc.json()),
        fc.constantFrom(...SOME_TRUST),
        (input, trust) => {
          expect(verifyAttestation(input, trust)).toMatchObject({ valid: false, status: 'invalid' });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('never throws for a document with wild values, and gives only codes that are documented', () => {
    const names = Object.keys(DOCUMENT);
    const wild = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<Json>(
        '9999-12-31T23:59:59Z',
        '0000-01-01T00:00:00Z',
        'P9999999999999Y',
        '='.repeat(88),
        '0x0',
        1e308,
        -0,
      ),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names), wild, { minKeys: 1, maxKeys: 4 }),
        fc.constantFrom(...SOME_TRUST),
        (changes, trust) => {
          const { valid, problems, warnings } = verifyAttestation(
            JSON.stringify({ ...DOCUMENT, ...(changes as JsonObject) }),
            trust,
          );
          expect(valid).toBe(problems.length === 0);
          for (const { code, pointer, message } of [...problems, ...warnings]) {
            expect(PROBLEMS).toHaveProperty(code);
            expect(pointer).toMatch(/^(\/.*)?$/s);
            expect(message).not.toBe('');
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
