import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signedBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import {
  attestationJsonSchema,
  formatAttestationJsonSchema,
} from '../../pipeline/attestation/json-schema.ts';
import { parseAttestation } from '../../pipeline/attestation/parse-attestation.ts';
import { PROBLEMS } from '../../pipeline/attestation/problem.ts';
import type { Json, JsonObject } from '../../pipeline/attestation/read-json.ts';
import { mutated, placesOf, valid, WRONG } from './generated-document.ts';
import { UNSIGNED } from './signed-document.ts';

const SCHEMA = attestationJsonSchema('https://data.example.org');
// The patterns repeat the formats, so validators that ignore formats are as strict as others.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
const accepts = ajv.compile(SCHEMA);

function readerAccepts(document: Json): boolean {
  return 'attestation' in parseAttestation(JSON.stringify(document));
}

describe('the published JSON Schema', () => {
  test('has its address as id and names its draft', () => {
    expect(SCHEMA).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://data.example.org/schemas/companion-attestation-1.0.0.json',
      additionalProperties: false,
    });
    expect(JSON.parse(formatAttestationJsonSchema('https://data.example.org'))).toEqual(SCHEMA);
  });

  test('is valid by the schema of its draft', () => {
    expect(ajv.validateSchema(SCHEMA)).toBe(true);
  });

  test('and the reader accept every conforming document', () => {
    fc.assert(
      fc.property(valid, (document) => {
        expect(accepts(document), JSON.stringify(accepts.errors)).toBe(true);
        expect(parseAttestation(JSON.stringify(document))).toHaveProperty('attestation');
      }),
      { numRuns: 100 },
    );
  });

  test('and the reader agree about documents with one change', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(mutated, (document) => {
        const accepted = accepts(document);
        seen[accepted ? 'accepted' : 'refused'] += 1;
        expect(readerAccepts(document)).toBe(accepted);
      }),
      { numRuns: 800 },
    );
    // Otherwise the changes would be too large or too small to find differences.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(40);
  });

  test('and the reader agree about every wrong value in every place', () => {
    const document: JsonObject = structuredClone({
      ...UNSIGNED,
      signature: 'AA==',
      metadata: { ...UNSIGNED.metadata, previous_attestation: UNSIGNED.ledger_id },
    });
    for (const [parent, name] of placesOf(document)) {
      const before = parent[name];
      for (const wrong of WRONG) {
        parent[name] = wrong;
        expect([name, wrong, readerAccepts(document)]).toEqual([name, wrong, accepts(document)]);
      }
      parent[name] = before;
    }
  });

  test.each([null, true, 1, 'text', [], [{}]])('and the reader refuse %j', (value) => {
    expect([accepts(value), readerAccepts(value as Json)]).toEqual([false, false]);
  });
});

describe('the published JSON Schema in other languages', () => {
  const patterns = [...JSON.stringify(SCHEMA).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text]) => JSON.parse(`"${text}"`) as string,
  );

  test('has no pattern with lookaround, which RE2 and Rust do not support', () => {
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => /\(\?|\\[1-9bdDpPsSwW]/.test(pattern))).toEqual([]);
  });

  test('refuses a final line ending, even where $ matches before it, as in Python, Java and Perl', () => {
    const text = JSON.stringify(SCHEMA).replaceAll('$"', '(\\\\n|\\\\r|\\\\u2028)?$"');
    const elsewhere = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(
      JSON.parse(text),
    );
    const document: JsonObject = structuredClone({
      ...UNSIGNED,
      signature: 'AA==',
      metadata: { previous_attestation: UNSIGNED.ledger_id },
    });
    expect(elsewhere(document)).toBe(true);
    const refused = new Set<string>();
    for (const [parent, name] of placesOf(document).filter(([at, one]) => typeof at[one] === 'string')) {
      const before = parent[name];
      for (const end of ['\n', '\r', '\u2028']) {
        parent[name] = before + end;
        const isAccepted = elsewhere(document);
        expect([name, end, isAccepted]).toEqual([name, end, readerAccepts(document)]);
        if (!isAccepted) refused.add(name);
      }
      parent[name] = before;
    }
    expect([...refused]).toEqual(expect.arrayContaining(['ledger_id', 'expires_at', 'check_interval']));
  });
});

describe('defaults', () => {
  test('are filled in on reading, and are not signed', () => {
    const { signature_algorithm: _, drift_monitoring: __, ...rest } = UNSIGNED;
    const parsed = parseAttestation(JSON.stringify({ ...rest, signature: 'AA==' }));
    if ('problems' in parsed) throw new Error('refused');
    expect(parsed.attestation).toMatchObject({
      signature_algorithm: 'ed25519',
      drift_monitoring: { enabled: true, threshold: 0.1, check_interval: 'P1D' },
    });
    const bytes = new TextDecoder().decode(signedBytes(parsed.document));
    expect(bytes).not.toMatch(/signature_algorithm|drift_monitoring|"signature"/);
    expect(bytes).toMatch(/^companion-attestation\/1\.0\.0\n\{"attested_at":/);
  });
});

describe('a fault that the schema finds', () => {
  const anchors = UNSIGNED.epicon_ej.anchors;
  test.each<[string, string, JsonObject]>([
    ['wrong_value', '/version', { version: '1.0.1' }],
    ['missing_member', '/signature', { signature: undefined as unknown as Json }],
    ['unknown_member', '/extra', { extra: 1 }],
    ['unknown_member', '/a~1b~0c', { 'a/b~c': 1 }],
    ['wrong_pattern', '/scope/1', { scope: ['a.b', 'A.b'] }],
    ['wrong_pattern', '/scope/0', { scope: ['ledger'] }],
    ['too_few_items', '/scope', { scope: [] }],
    ['wrong_type', '/scope', { scope: 'a.b' }],
    ['too_few_items', '/epicon_ej/anchors', { epicon_ej: { anchors: anchors.slice(1) } }],
    [
      'out_of_range',
      '/epicon_ej/anchors/1/confidence',
      { epicon_ej: { anchors: [anchors[0]!, { ...anchors[1], confidence: 1.01 }] } },
    ],
    ['too_short', '/epicon_ej/reasoning', { epicon_ej: { reasoning: '😀'.repeat(9) } }],
    [
      'missing_member',
      '/epicon_ej/boundaries/fails_when',
      { epicon_ej: { boundaries: { applies_when: ['a'] } } },
    ],
    ['wrong_pattern', '/expires_at', { expires_at: '2026-02-30T00:00:00Z' }],
    ['wrong_pattern', '/ledger_id', { ledger_id: 'not-a-uuid' }],
    ['wrong_pattern', '/metadata/previous_attestation', { metadata: { previous_attestation: '1' } }],
    ['out_of_range', '/ccr_score', { ccr_score: -0.01 }],
    ['wrong_type', '/ccr_score', { ccr_score: null }],
    ['wrong_value', '/signature_algorithm', { signature_algorithm: 'rsa' }],
  ])('has the code %s and the place %s', (code, pointer, changes) => {
    const parsed = parseAttestation(JSON.stringify({ ...UNSIGNED, signature: 'AA==', ...changes }));
    expect(parsed).toMatchObject({
      step: 'schema',
      problems: [{ code, pointer, message: expect.stringMatching(/\.$/) }],
    });
    expect(PROBLEMS).toHaveProperty(code);
  });
});
