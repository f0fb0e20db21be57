import * as z from 'zod/mini';
import { annotated, described } from '../words/described.ts';
import { DURATION } from '../words/duration.ts';
import { type JsonObject, MAX_BYTES } from './limited-json.ts';

/** Length of the line end that programs append when they print or save the text. */
const LINE_END_BYTES = 1;

/** The document, indented for people unless that would exceed what a verifier reads. Without a line end. */
export function formatDocument(document: JsonObject): string {
  const indented = JSON.stringify(document, null, 2);
  const bytes = new TextEncoder().encode(indented).length + LINE_END_BYTES;
  return bytes <= MAX_BYTES ? indented : JSON.stringify(document);
}

export const ATTESTATION_VERSION = '1.0.0';
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const;
export const ALGORITHMS = ['ed25519', 'ecdsa-secp256k1'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
const ANCHOR_TYPES = ['policy', 'practice', 'empirical', 'user_values', 'domain_norm'] as const;

// The patterns are published for validators in any language, so they avoid \d, which matches digits of any script in some. They
// already refuse days that a month does not have.
const LEAP_DAY =
  '([0-9][0-9][2468][048]|[0-9][0-9][13579][26]|[0-9][0-9]0[48]|[02468][048]00|[13579][26]00)-02-29';
const OTHER_DAY =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])';
const DATE_TIME = new RegExp(`^(${LEAP_DAY}|${OTHER_DAY})T${TIME}$`);
/** A UUID of any version, in either case. */
const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/**
 * In some languages `$` also matches before a final line end, so the pattern alone would accept one. This restricts the characters without
 * using `$`.
 */
const VISIBLE_ASCII = { not: { pattern: '[^!-~]' } };

/** A string that matches `pattern`, both here and in the published schema in any language. */
function formed(pattern: RegExp, expectation: string) {
  return annotated(z.string().check(z.regex(pattern, expectation)), VISIBLE_ASCII);
}

const DateTime = annotated(
  formed(DATE_TIME, 'a date-time with seconds and Z or an offset, like 2025-12-01T06:00:00Z'),
  { format: 'date-time' },
);
const Uuid = annotated(formed(UUID, 'a UUID'), { format: 'uuid' });
const Share = z.number().check(z.gte(0), z.lte(1));
const Strings = z.array(z.string()).check(z.minLength(1));
const MIN_REASONING = 10;

/** An EPICON-01 epistemic justification. Unknown members are hashed and signed but not read. */
export const Justification = described(
  z.looseObject({
    values: described(z.optional(Strings), 'Principles invoked'),
    reasoning: z.optional(
      annotated(
        z.string().check(
          // Counts code points, as JSON Schema does, rather than UTF-16 units.
          z.refine((text) => [...text].length >= MIN_REASONING, {
            error: `at least ${MIN_REASONING} characters`,
            params: { code: 'too_short' },
          }),
        ),
        { minLength: MIN_REASONING },
      ),
    ),
    anchors: z.optional(
      z
        .array(z.looseObject({ type: z.enum(ANCHOR_TYPES), source: z.string(), confidence: Share }))
        .check(z.minLength(2)),
    ),
    boundaries: z.optional(z.looseObject({ applies_when: Strings, fails_when: Strings })),
    // biome-ignore lint/suspicious/noThenProperty: the member's name in the document; a string, so nothing awaits it
    counterfactual: z.optional(z.looseObject({ if_changed: z.string(), then: z.string() })),
  }),
  'The EPICON-01 justification in full; epicon_ej_hash is the SHA-256 of its RFC 8785 form',
);

const DriftMonitoring = z.looseObject({
  enabled: z._default(z.boolean(), true),
  threshold: described(z._default(Share, 0.1), 'Drift score at or above which the attestation is revoked'),
  check_interval: described(
    z._default(formed(DURATION, 'an ISO 8601 duration like P1D'), 'P1D'),
    'How often drift is to be checked',
  ),
});

const Metadata = z.looseObject({
  request_context: z.optional(z.string()),
  previous_attestation: described(z.optional(Uuid), 'The attestation that this one renews'),
  audit_trail_id: z.optional(z.string()),
});

/** The document with defaults filled in. Defaults are for reading only: the signed bytes have the members as written. */
export const AttestationDocument = z.strictObject({
  version: z.literal(ATTESTATION_VERSION),
  ledger_id: described(Uuid, 'The entity that requests authority'),
  wallet_signature: described(
    formed(/^0x[a-fA-F0-9]+$/, '0x and hex digits'),
    'By the wallet whose stake stands behind the request',
  ),
  epicon_ej_hash: formed(/^sha256:[a-fA-F0-9]{64}$/, 'sha256: and 64 hex digits'),
  epicon_ej: z.optional(Justification),
  scope: described(
    z
      .array(formed(/^[a-z]+\.[a-z]+(\.[a-z]+)*$/, 'two or more segments of a to z, with dots between'))
      .check(z.minLength(1)),
    'The permissions requested',
  ),
  expires_at: described(DateTime, 'At most 90 days after attested_at'),
  risk_level: z.enum(RISK_LEVELS),
  risk_justification: z.optional(z.string()),
  attested_by: described(z.string(), 'The companion that signs'),
  attested_at: DateTime,
  signature: described(
    formed(/^[a-zA-Z0-9+/=]+$/, 'base64'),
    'By the companion, over the canonical bytes of the document without this member',
  ),
  signature_algorithm: z._default(z.enum(ALGORITHMS), 'ed25519'),
  ccr_score: described(z.optional(Share), 'Cross-Context Robustness'),
  // Opting out of monitoring must be stated and signed. Omitting the member does not opt out.
  drift_monitoring: z.prefault(DriftMonitoring, {}),
  metadata: z.optional(Metadata),
});

/** A document as read, with defaults filled in. */
export type Attestation = z.output<typeof AttestationDocument>;
