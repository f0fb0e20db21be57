import { z } from 'zod';
import { attestationId } from '../../../pipeline/attestation/canonical-bytes.ts';
import { Companions } from '../../../pipeline/attestation/companions.ts';
import { ATTESTATION_SCHEMA_PATH } from '../../../pipeline/attestation/json-schema.ts';
import { PROBLEMS } from '../../../pipeline/attestation/problem.ts';
import { PublishedAttestation, Registered, STATUSES } from '../../../pipeline/attestation/registered.ts';
import { lookUpStatus, registryOf } from '../../../pipeline/attestation/registry.ts';
import {
  CHECK_NAMES,
  SUMMARIES,
  verifyAttestation,
} from '../../../pipeline/attestation/verify-attestation.ts';
import { NONE } from '../query/query.ts';
import SIGNED from './attestation-example.json' with { type: 'json' };
import { ok, postRoute, type Route, route } from './route.ts';

const asOf = z.string().meta({ description: 'Time of the newest ledger event taken into account, UTC' });
const Fault = z.strictObject({
  code: z.enum(Object.keys(PROBLEMS)).meta({ description: 'Never changes its meaning' }),
  pointer: z.string().meta({ description: 'JSON Pointer to the place; empty for the whole document' }),
  message: z.string(),
});

/** The response to a document. */
const VerdictDocument = z.strictObject({
  valid: z.boolean().meta({
    description: 'No check has failed. Also true for a document that the ledger does not have: see warnings',
  }),
  summary: z
    .enum(Object.values(SUMMARIES))
    .meta({ description: 'The verdict in a sentence, for people; its wording may change' }),
  status: z
    .enum([...STATUSES, 'invalid'])
    .meta({ description: 'invalid: something other than its life cycle is wrong' }),
  id: z
    .string()
    .nullable()
    .meta({ description: 'SHA-256 of the signed bytes; null if the document could not be read' }),
  uuid: z.string().nullable().meta({ description: 'The UUID by which a renewal names it' }),
  checks: z.array(
    z.strictObject({
      name: z.enum(CHECK_NAMES),
      result: z.enum(['passed', 'failed', 'warning', 'not_checked']),
      detail: z.string(),
    }),
  ),
  problems: z.array(Fault).meta({ description: 'Why it is not valid; at most 32' }),
  warnings: z.array(Fault).meta({ description: 'What to consider even if it is valid' }),
  as_of: asOf,
});

const registered = <T extends boolean>(value: T) =>
  z
    .literal(value)
    .meta({ description: 'Whether the ledger has the attestation, and not only its revocation' });

/** The response to an id. */
const StatusDocument = z.union([
  z.strictObject({ registered: registered(true), ...PublishedAttestation.shape, as_of: asOf }),
  z.strictObject({
    registered: registered(false),
    id: z.string().nullable().meta({ description: 'As requested; null if that was the UUID' }),
    uuid: z.string().meta({ description: 'The UUID by which a renewal would name it' }),
    status: z.literal('revoked').meta({ description: 'Revoked before the ledger had it' }),
    ended_at: z.string().meta({ description: 'When it was revoked, UTC' }),
    reason: z.string().nullable().meta({ description: 'The reason' }),
    as_of: asOf,
  }),
]);

const COMMON = {
  group: 'attestations',
  kind: 'made',
  area: 'academics',
  access: 'counted',
  query: NONE,
} as const;

/** Verification and status of Companion Attestations, counted as requests for academics. */
export const ATTESTATION_ROUTES: readonly Route[] = [
  postRoute({
    ...COMMON,
    path: '/attestations/verify',
    id: 'verifyAttestation',
    handler: 'verify',
    summary: 'Verify a Companion Attestation',
    description: `The body is the signed document, as \`application/json\` of at most 65 536 bytes. The response is 200 with a verdict, whatever is wrong with the document; it lists each check and the place of each problem. The service neither stores nor logs the document.

To verify a document without sending it anywhere, use the page \`/attestations/\` or the command \`cathedral attest verify\`. The page /attestations/implementers/ says what is signed.`,
    // Any body gets a verdict, so any body is allowed.
    body: {
      description: `A document of the schema /${ATTESTATION_SCHEMA_PATH}, signed.`,
      content: {
        'application/json': {
          type: null,
          example: () => SIGNED.document,
          exampleOf: 'A signed attestation',
        },
      },
    },
    answer: ok('The verdict.', 'application/json', {
      type: VerdictDocument,
      example: exampleVerdict,
    }),
    problems: ['content_too_large', 'unsupported_media_type'],
  }),
  route({
    ...COMMON,
    path: '/attestations/{id}/status',
    id: 'getAttestationStatus',
    handler: 'attestation',
    parameters: {
      id: z.string().meta({
        description: 'The id or the UUID.',
        example: attestationId(SIGNED.document),
        invented: true,
      }),
    },
    summary: 'Status of a Companion Attestation',
    description:
      'By its id, 64 hex digits, or its UUID. For an attestation that was revoked before the ledger had it, the response has only the revocation (`registered` is false). Attestations that expired more than 90 days ago are no longer found. `/philosophy/companions.json` lists all others.',
    answer: ok('Its status.', 'application/json', {
      type: StatusDocument,
      example: exampleStatus,
    }),
    problems: ['not_found'],
  }),
];

const LEDGER_TIME = '2025-12-01T05:58:12Z';

/** An hour after the attestation was signed. */
const NOW = Date.parse(LEDGER_TIME);

/** What the service answers then about the signed attestation. */
function exampleVerdict() {
  const { document, companions } = SIGNED;
  const known = { companions: Companions.parse(companions), registry: exampleRegistry(), now: NOW };
  return { ...verifyAttestation(JSON.stringify(document), known), as_of: LEDGER_TIME };
}

function exampleStatus() {
  return { ...lookUpStatus(attestationId(SIGNED.document), exampleRegistry(), NOW), as_of: LEDGER_TIME };
}

/** The one that has the signed attestation. */
function exampleRegistry() {
  const { document } = SIGNED;
  const { attested_by: companion, ledger_id, scope, risk_level, attested_at, expires_at } = document;
  return registryOf({
    [attestationId(document)]: Registered.parse({
      ...{ companion, ledger_id, scope, risk_level, attested_at, expires_at },
      ...{ drift_threshold: 0.1, check_interval: 'P1D', drift: null, checked_at: null, late_checks: 0 },
      ...{ status: 'active', ended_at: null, reason: null, superseded_by: null, renews: null },
    }),
  });
}
