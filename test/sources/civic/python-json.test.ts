import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../../pipeline/ledger/events/json.ts';
import { formatPythonJson } from '../../../pipeline/sources/civic/python-json.ts';
import { anyCharacter } from '../../any-character.ts';
import vectors from './python-vectors.json' with { type: 'json' };

describe('formatPythonJson', () => {
  // Made by python3: json.dumps(json.loads(text), sort_keys=True)
  test.each(vectors.values)('prints $text as Python does', ({ text, python }) => {
    expect(formatPythonJson(parseExactJson(text))).toBe(python);
  });

  test('prints its own output unchanged', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyCharacter }), (text) => {
        const python = formatPythonJson(parseExactJson(text));
        expect(formatPythonJson(parseExactJson(python))).toBe(python);
      }),
    );
  });

  test('prints doubles that read back as the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const written = Object.is(value, -0) ? '-0.0' : value.toExponential(20);
        const text = formatPythonJson(parseExactJson(written));
        expect(Object.is(Number(text), value)).toBe(true);
      }),
    );
  });
});
