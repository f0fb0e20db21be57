import fc from 'fast-check';
import type { Json, JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { anyCharacter } from '../any-character.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const strings = fc.array(text, { minLength: 1, maxLength: 3 });
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length });
const segment = fc.string({ unit: fc.constantFrom(...'abyz'), minLength: 1, maxLength: 5 });
const dateTime = fc
  .tuple(
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    fc.constantFrom('Z', '+00:00', '-07:30', '+14:00'),
  )
  .chain(([date, zone]) =>
    fc
      .constantFrom('', '.5', '.000', '.123456789012')
      .map((fraction) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`),
  );
const optional = { requiredKeys: [] as [] };
const open = (value: fc.Arbitrary<object>) =>
  fc
    .tuple(
      value,
      fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
        { maxKeys: 1 },
      ),
    )
    .map(([known, more]) => ({ ...more, ...known }));

const anchor = open(
  fc.record({
    type: fc.constantFrom('policy', 'practice', 'empirical', 'user_values', 'domain_norm'),
    source: text,
    confidence: share,
  }),
);
const justification = open(
  fc.record(
    {
      values: strings,
      reasoning: fc
        .string({ unit: anyCharacter, minLength: 10, maxLength: 20 })
        .filter((one) => one.isWellFormed() && [...one].length >= 10),
      anchors: fc.array(anchor, { minLength: 2, maxLength: 3 }),
      boundaries: open(fc.record({ applies_when: strings, fails_when: strings })),
      // biome-ignore lint/suspicious/noThenProperty: the member's name in the document
      counterfactual: open(fc.record({ if_changed: text, then: text })),
    },
    optional,
  ),
);

/** Documents that conform to the specification. */
export const valid = fc.record(
  {
    version: fc.constant('1.0.0'),
    ledger_id: fc.oneof(
      fc.uuid(),
      fc.uuid().map((one) => one.toUpperCase()),
      fc.constant('11111111-2222-3333-4444-555555555555'),
    ),
    wallet_signature: fc
      .integer({ min: 1, max: 20 })
      .chain(hex)
      .map((digits) => `0x${digits}`),
    epicon_ej_hash: hex(64).map((digits) => `sha256:${digits}`),
    scope: fc.array(
      fc.array(segment, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('.')),
      { minLength: 1, maxLength: 3 },
    ),
    expires_at: dateTime,
    risk_level: fc.constantFrom('low', 'medium', 'high', 'critical'),
    attested_by: text,
    attested_at: dateTime,
    signature: fc.string({ unit: fc.constantFrom(...'azAZ09+/='), minLength: 1, maxLength: 90 }),
    epicon_ej: justification,
    risk_justification: text,
    signature_algorithm: fc.constantFrom('ed25519', 'ecdsa-secp256k1'),
    ccr_score: share,
    drift_monitoring: open(
      fc.record(
        {
          enabled: fc.boolean(),
          threshold: share,
          check_interval: fc.constantFrom('P1D', 'PT12H', 'P2W', 'P1Y2M3DT4H5M6S', 'PT0S', 'P1Y2D'),
        },
        optional,
      ),
    ),
    metadata: open(
      fc.record({ request_context: text, previous_attestation: fc.uuid(), audit_trail_id: text }, optional),
    ),
  },
  {
    requiredKeys: [
      ...(['version', 'ledger_id', 'wallet_signature', 'epicon_ej_hash', 'scope'] as const),
      ...(['expires_at', 'risk_level', 'attested_by', 'attested_at', 'signature'] as const),
    ],
  },
) as fc.Arbitrary<JsonObject>;

/** Replacements for any value. */
export const WRONG: readonly Json[] = [
  ...[null, true, 0, 1, -0.1, 1.1, 0.5, '', 'a.b\n'],
  ...'a 0x 1.0.0 1.0 ledger.read Ledger.read ledger ledger..read'.split(' '),
  ...'2025-02-29T00:00:00Z 2024-02-29T00:00:00Z 2025-12-01 2025-12-01T24:00:00Z 2025-12-01T00:00Z'.split(' '),
  ...'2025-12-01T00:00:60Z 2025-12-01t00:00:00z 2025-12-01T00:00:00 2025-12-01T00:00:00+24:00'.split(' '),
  ...'1900-02-29T00:00:00Z 2000-02-29T00:00:00Z ٢٠٢٥-12-01T00:00:00Z P PT P1 P1W1D P1DT -P1D P1.5D PT1H'.split(
    ' ',
  ),
  ...'ed25519 Ed25519 ecdsa-secp256k1 low LOW sha256:00 00000000-0000-0000-0000-000000000000'.split(' '),
  ...[`sha256:${'0'.repeat(64)}`, `sha256:${'0'.repeat(65)}`, '😀'.repeat(5), '😀'.repeat(10)],
  ...[
    [],
    ['a'],
    ['a.b', 'A.b'],
    ['a', 'b'],
    [1],
    {},
    { type: 'policy' },
    { enabled: 'yes' },
    { values: 1 },
    [{}, {}],
  ],
];

/** A valid document with one change: a value replaced, or a member added or removed. */
export const mutated = fc
  .tuple(valid, fc.nat(), fc.nat(), fc.constantFrom('replace', 'remove', 'add'))
  .map(([document, at, which, how]) => {
    const copy = structuredClone(document);
    const places = placesOf(copy);
    const [parent, name] = places[at % places.length]!;
    if (how === 'replace') parent[name] = WRONG[which % WRONG.length]!;
    else if (how === 'remove' && Array.isArray(parent)) parent.splice(Number(name), 1);
    else if (how === 'remove') delete parent[name];
    else parent[Array.isArray(parent) ? parent.length : `x${which % 3}`] = WRONG[which % WRONG.length]!;
    return copy;
  });

// biome-ignore lint/suspicious/noExplicitAny: an object or an array, by name or index
export function placesOf(value: Json): [parent: any, name: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [value, name] as [unknown, string],
    ...placesOf(inner),
  ]);
}
