import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AttestationDocument } from '../../pipeline/attestation/document.ts';
import { parseAttestation, truncateLists } from '../../pipeline/attestation/parse-attestation.ts';
import { MAX_PROBLEMS } from '../../pipeline/attestation/problem.ts';
import type { Json, JsonObject } from '../../pipeline/attestation/read-json.ts';
import { schemaProblems } from '../../pipeline/attestation/schema-problems.ts';
import { JUSTIFICATION, UNSIGNED } from './signed-document.ts';

interface Lists {
  scope: Json;
  values: Json;
  anchors: Json;
  applies_when: Json;
  fails_when: Json;
}

function documentOf({ scope, applies_when, fails_when, ...more }: Lists): JsonObject {
  const epicon_ej = { ...JUSTIFICATION, ...more, boundaries: { applies_when, fails_when } };
  return { ...UNSIGNED, scope, epicon_ej, signature: 'AA==' };
}

test('no more items of a list with findings are checked than fit into a verdict', () => {
  const many: Json[] = Array(3000).fill({});
  const document = documentOf({
    scope: many,
    values: many,
    anchors: many,
    applies_when: many,
    fails_when: many,
  });
  const cut: Json[] = Array(MAX_PROBLEMS).fill({});
  expect(truncateLists(document)).toEqual(
    documentOf({ scope: cut, values: cut, anchors: cut, applies_when: cut, fails_when: cut }),
  );
});

test('truncation does not change the findings', () => {
  const item = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Json>('ledger.read', JUSTIFICATION.anchors[0]!) },
    fc.constantFrom<Json>({}, 0, '', null, [], 'Ledger'),
  );
  const list = fc.oneof(
    { weight: 9, arbitrary: fc.array(item, { maxLength: 120 }) },
    fc.constantFrom<Json>({}, null, 'x'),
  );
  const lists = fc.record({
    scope: list,
    values: list,
    anchors: list,
    applies_when: list,
    fails_when: list,
  });
  fc.assert(
    fc.property(lists, (given) => {
      const document = documentOf(given);
      const whole = AttestationDocument.safeParse(document);
      expect(parseAttestation(JSON.stringify(document))).toEqual(
        whole.success
          ? { document, attestation: whole.data }
          : { step: 'schema', problems: schemaProblems(whole.error.issues, document) },
      );
    }),
    { numRuns: 300 },
  );
});
