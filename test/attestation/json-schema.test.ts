import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signedBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import { formatAttestationJsonSchema } from '../../pipeline/attestation/json-schema.ts';
import type { Json, JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { parseAttestation } from '../../pipeline/attestation/parse-attestation.ts';
import { mutated, placesOf, valid, WRONG } from './generated-document.ts';
import { UNSIGNED } from './signed-document.ts';

const SCHEMA = JSON.parse(formatAttestationJsonSchema('https://data.example.org'));
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
