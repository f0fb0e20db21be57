import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Envelope } from '../../../pipeline/ledger/events/event.ts';
import { ledgerType } from '../../../pipeline/sources/civic/convert.ts';
import { anyCharacter } from '../../any-character.ts';

describe('ledgerType', () => {
  test.each([
    ['reflection', 'reflection'],
    ['GENESIS_CUSTODIAN', 'genesis_custodian'],
    ['oaa.memory-entry', 'oaa_memory_entry'],
    ['ReflectionCreated', 'reflection_created'],
    ['HTTPServerDown', 'http_server_down'],
    ['  spaced  out ', 'spaced_out'],
    ['3d_print', 'civic_3d_print'],
    ['漢字', 'event'],
    ['', 'event'],
  ])('%j becomes %s', (type, expected) => {
    expect(ledgerType(type, {}, 1)).toBe(expected);
  });

  test('is a valid ledger type for any remote type', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 500 }), (type) => {
        expect(Envelope.shape.type.safeParse(ledgerType(type, {}, 1)).success).toBe(true);
      }),
    );
  });

  test('is a known type if the payload fits its schema', () => {
    expect(ledgerType('MII_READING', { mii: 0.97, note: 'kept' }, 1)).toBe('mii_reading');
  });

  test('is not a known type if the payload does not fit', () => {
    expect(ledgerType('mii_reading', { mii: 97 }, 1)).toBe('civic_mii_reading');
  });

  test('is genesis only for the first event', () => {
    const data = { allocation: '0', multipliers: {} };
    expect([0, 1].map((seq) => ledgerType('genesis', data, seq))).toEqual(['genesis', 'civic_genesis']);
  });
});
