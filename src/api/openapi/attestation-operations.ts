import { z } from 'zod';
import { attestationId } from '../../../pipeline/attestation/canonical-bytes.ts';
import { Companions } from '../../../pipeline/attestation/companions.ts';
import { ATTESTATION_SCHEMA_PATH } from '../../../pipeline/attestation/json-schema.ts';
import { PROBLEMS } from '../../../pipeline/attestation/problem.ts';
import { PublishedAttestation } from '../../../pipeline/attestation/published-registry.ts';
import { type Registered, registryOf, STATUSES } from '../../../pipeline/attestation/registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import {
  CHECK_NAMES,
  SUMMARIES,
  verifyAttestation,
} from '../../../pipeline/attestation/verify-attestation.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import SIGNED from './attestation-example.json' with { type: 'json' };
import { LIMIT_HEADERS, referToHeaders } from './headers.ts';
import type { Answer, Operation, PathOperation } from './operation.ts';
import { problemsByStatus } from './responses.ts';

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

const ABOUT_VERIFY = `The body is the signed document, as \`application/json\` of at most 65 536 bytes. The response is 200 with a verdict, whatever is wrong with the document; it lists each check and the place of each problem. The service neither stores nor logs the document.

To verify a document without sending it anywhere, use the page \`/attestations/\` or the command \`cathedral attest verify\`. docs/attestations.md says what is signed.`;
const ABOUT_STATUS =
  'By its id, 64 hex digits, or its UUID. For an attestation that was revoked before the ledger had it, the response has only the revocation (`registered` is false). Attestations that expired more than 90 days ago are no longer found. `/philosophy/companions.json` lists all others.';

const PROBLEMS_OF_BOTH = [
  'BadRequest',
  'InvalidKey',
  'WrongArea',
  'MethodNotAllowed',
  'LimitReached',
  'Unavailable',
] as const;

/** Verification and status of Companion Attestations, counted as requests for academics. */
export function attestationOperations(): PathOperation[] {
  const { document, id, verdict, status } = attestationExample();
  const common = { tags: ['attestations'], security: [{}, { key: [] }] };
  const verify: Operation = {
    operationId: 'verifyAttestation',
    ...common,
    summary: 'Verify a Companion Attestation',
    description: ABOUT_VERIFY,
    requestBody: {
      description: `A document of the schema /${ATTESTATION_SCHEMA_PATH}, signed.`,
      required: true,
      // Any body gets a verdict, so any body is allowed.
      content: {
        'application/json': {
          schema: {},
          examples: { signed: { summary: 'A signed attestation', value: document } },
        },
      },
    },
    responses: {
      '200': json('The verdict.', VerdictDocument, verdict),
      ...problemsByStatus([...PROBLEMS_OF_BOTH, 'ContentTooLarge', 'UnsupportedMediaType']),
    },
  };
  const getStatus: Operation = {
    operationId: 'getAttestationStatus',
    ...common,
    summary: 'Status of a Companion Attestation',
    description: ABOUT_STATUS,
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The id or the UUID.',
        schema: { type: 'string' },
        example: id,
      },
    ],
    responses: {
      '200': json('Its status.', StatusDocument, status),
      ...problemsByStatus([...PROBLEMS_OF_BOTH, 'NotFound']),
    },
  };
  return [
    ['/attestations/verify', verify, 'post'],
    ['/attestations/{id}/status', getStatus],
  ];
}

function json(description: string, type: z.ZodType, value: unknown): Answer {
  const content = { schema: toJsonSchema(type), examples: { example: { summary: 'Invented', value } } };
  const headers = referToHeaders(['Cache-Control', 'X-Request-Id', ...LIMIT_HEADERS]);
  return { description, headers, content: { 'application/json': content } };
}

const LEDGER_TIME = '2025-12-01T05:58:12Z';

/** A signed attestation, and what the service answers about it an hour after it was signed. */
function attestationExample() {
  const { document } = SIGNED;
  const companions = Companions.parse(SIGNED.companions);
  const now = Date.parse(LEDGER_TIME);
  const id = attestationId(document);
  const registry = registryOf({ [id]: registeredAs(document) });
  const verdict = verifyAttestation(JSON.stringify(document), { companions, registry, now });
  return {
    document,
    id,
    verdict: { ...verdict, as_of: LEDGER_TIME },
    status: { ...lookUpStatus(id, registry, now), as_of: LEDGER_TIME },
  };
}

function registeredAs({
  attested_by,
  ledger_id,
  scope,
  risk_level,
  attested_at,
  expires_at,
}: typeof SIGNED.document): Registered {
  return {
    companion: attested_by,
    ledger_id,
    scope,
    risk_level,
    attested_at,
    expires_at,
    drift_threshold: 0.1,
    check_interval: 'P1D',
    drift: null,
    checked_at: null,
    late_checks: 0,
    status: 'active',
    ended_at: null,
    reason: null,
    superseded_by: null,
    renews: null,
  };
}
