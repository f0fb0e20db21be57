import { z } from 'zod';
import { readCompanionsFile } from '../../../pipeline/artifacts/read-companions.ts';
import { checkDraft, type Drafted } from '../../../pipeline/attestation/check-draft.ts';
import { formatDocument } from '../../../pipeline/attestation/document.ts';
import { type NewDocument, newDocument } from '../../../pipeline/attestation/new-document.ts';
import { type Problem, problem } from '../../../pipeline/attestation/problem.ts';
import { type Json, type JsonObject, readJson } from '../../../pipeline/attestation/read-json.ts';
import { type Flag, text } from '../../../pipeline/config/setting.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { defineCommand, SWITCH } from '../command.ts';
import { printProblems, readInput } from './input.ts';
import { algorithm, companion } from './keygen.ts';

/** In [0, 1]. */
const score = z
  .string()
  .regex(/^(0(\.\d{1,15})?|1(\.0{1,15})?)$/)
  .transform(Number);

const UNLESS_DRAFTED = {
  required: 'unless --draft contains it',
  requiredWhen: (flags: ReadonlyMap<string, string>) => !flags.has('draft'),
} as const;

const FLAGS = {
  draft: {
    flag: 'draft',
    default: null,
    unit: 'a JSON file',
    description: 'A document to start from. Flags override its members; its signature is dropped.',
    path: true,
    schema: text,
  },
  companion: { ...companion, ...UNLESS_DRAFTED },
  algorithm: {
    ...algorithm,
    description: 'The signature algorithm. Without it, that of the draft, or else ed25519.',
  },
  ledgerId: {
    flag: 'ledger-id',
    default: null,
    unit: 'a UUID',
    description: 'The entity that requests authority.',
    schema: text,
    ...UNLESS_DRAFTED,
  },
  scope: {
    flag: 'scope',
    default: null,
    unit: 'permissions like ledger.read.export, separated by commas',
    description: 'The permissions that it requests.',
    schema: text,
    ...UNLESS_DRAFTED,
  },
  risk: {
    flag: 'risk',
    default: null,
    unit: 'low, medium, high or critical',
    description: 'The risk level.',
    schema: text,
    ...UNLESS_DRAFTED,
  },
  riskReason: {
    flag: 'risk-justification',
    default: null,
    unit: 'free text',
    description: 'The reason for the risk level.',
    schema: text,
  },
  justification: {
    flag: 'justification',
    default: null,
    unit: 'a JSON file',
    description: 'The EPICON-01 justification. The document contains it and its hash.',
    path: true,
    schema: text,
    ...UNLESS_DRAFTED,
  },
  hashOnly: {
    flag: 'hash-only',
    description: 'Leaves the text of the justification out, so that the document contains only its hash.',
    ...SWITCH,
  },
  walletSignature: {
    flag: 'wallet-signature',
    default: null,
    unit: '0x and 130 hex digits',
    description:
      'The signature of the wallet. Without it, the command prints the text that the wallet has to sign. That text contains the expiry time, so the signature needs either --expires-at or the --draft that was printed with the text.',
    schema: text,
  },
  days: {
    flag: 'attestation-days',
    default: null,
    unit: 'days, 1 to 90',
    description: 'How long the attestation is valid. Without it, as long as the draft says, or else 30.',
    schema: z
      .string()
      .regex(/^([1-9]|[1-8][0-9]|90)$/)
      .transform(Number),
  },
  expiresAt: {
    flag: 'expires-at',
    default: null,
    unit: 'a date-time: 2026-01-31T06:00:00Z',
    description: 'When the attestation expires, instead of --attestation-days.',
    schema: text,
  },
  ccr: {
    flag: 'ccr-score',
    default: null,
    unit: 'a number, 0 to 1',
    description: 'The Cross-Context Robustness score.',
    schema: score,
  },
  threshold: {
    flag: 'drift-threshold',
    default: null,
    unit: 'a number, 0 to 1',
    description:
      'The drift score at which the attestation is revoked. Without it the document has none, which means 0.1.',
    schema: score,
  },
  interval: {
    flag: 'check-interval',
    default: null,
    unit: 'an ISO 8601 duration',
    description: 'How often drift is measured. Without it the document has no interval, which means P1D.',
    schema: text,
  },
  unwatched: {
    flag: 'without-drift-monitoring',
    description: 'States in the document that drift is not monitored.',
    ...SWITCH,
  },
  context: {
    flag: 'request-context',
    default: null,
    unit: 'free text',
    description: 'The purpose of the request.',
    schema: text,
  },
  previous: {
    flag: 'previous',
    default: null,
    unit: 'the UUID of an attestation, as `attest verify` prints it',
    description: 'The attestation that this one renews.',
    schema: text,
  },
  trail: {
    flag: 'audit-trail-id',
    default: null,
    unit: 'free text',
    description: 'The id of the request in the audit trail.',
    schema: text,
  },
} as const satisfies Record<string, Flag>;

export const attestNew = defineCommand({
  summary: 'Prints a new unsigned attestation document, from flags and files.',
  details: 'The entity signs it with its wallet, then the companion with `attest sign`.',
  examples: [
    'cathedral attest new --companion LANTERN --ledger-id 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --scope ledger.read.export --risk low --justification justification.json > request.json',
    'cathedral attest new --draft request.json --wallet-signature 0x… > draft.json',
  ],
  isReader: true,
  settings: ['companions'],
  flags: FLAGS,
  async run(values, { now, print, progress }) {
    const { document, problems, walletText, walletNote } = await draftAttestation(values, now());
    if (problems.length > 0) {
      printProblems(problems, progress, flagFor);
      return 1;
    }
    print(formatDocument(document));
    if (walletText !== null)
      progress.note(
        `Before the companion can sign it, the wallet has to sign these five lines (EIP-191):\n${walletText}\nThen add its signature: attest new --draft DOCUMENT --wallet-signature SIGNATURE`,
      );
    if (walletNote !== null) progress.note(walletNote);
    return 0;
  },
});

/** The flag that each member of the document, and everything inside it, comes from. */
const SOURCES: Readonly<Record<string, keyof typeof FLAGS>> = {
  '/attested_by': 'companion',
  '/signature_algorithm': 'algorithm',
  '/ledger_id': 'ledgerId',
  '/scope': 'scope',
  '/risk_level': 'risk',
  '/risk_justification': 'riskReason',
  '/epicon_ej': 'justification',
  '/epicon_ej_hash': 'justification',
  '/wallet_signature': 'walletSignature',
  '/expires_at': 'expiresAt',
  '/ccr_score': 'ccr',
  '/drift_monitoring/threshold': 'threshold',
  '/drift_monitoring/check_interval': 'interval',
  '/metadata/request_context': 'context',
  '/metadata/previous_attestation': 'previous',
  '/metadata/audit_trail_id': 'trail',
};

/** `/scope/0` → `--scope`; null for a place that no flag stands for. */
function flagFor(pointer: string): string | null {
  const [, name] =
    Object.entries(SOURCES).find(([place]) => pointer === place || pointer.startsWith(`${place}/`)) ?? [];
  return name === undefined ? null : `--${FLAGS[name].flag}`;
}

interface Values extends Omit<NewDocument, 'draft' | 'justification'> {
  draft: string | null;
  justification: string | null;
  companions: string | null;
}

/** An unsigned document, attested at `now`, ms. */
async function draftAttestation({ companions, ...values }: Values, now: number): Promise<Drafted> {
  const draft = asObject(await readJsonFile(values.draft), values.draft) ?? {};
  assertOneExpiry(values, draft);
  const given = { ...values, draft, justification: await readJsonFile(values.justification) };
  const known = companions === null ? { wallets: [] } : await readCompanionsFile(companions);
  return checkDraft(newDocument(given, now), now, known);
}

/** Throws config_invalid for two expiry times, and for one counted from now, which the wallet cannot have signed. */
function assertOneExpiry(
  { days, expiresAt, walletSignature }: Pick<Values, 'days' | 'expiresAt' | 'walletSignature'>,
  draft: JsonObject,
): void {
  const refuse = (place: string, expected: string, found: string) => {
    throw new CathedralError('config_invalid', { place, expected, found });
  };
  if (days !== null && expiresAt !== null)
    refuse('--attestation-days', 'not to be used with --expires-at', 'both');
  const isCounted = expiresAt === null && (days !== null || draft.expires_at === undefined);
  if (walletSignature !== null && isCounted)
    refuse(
      '--wallet-signature',
      'the expiry time that the wallet signed: --expires-at, or --draft without --attestation-days',
      'an expiry time counted from now',
    );
}

async function readJsonFile(path: string | null): Promise<Json | null> {
  if (path === null) return null;
  const read = readJson(await readInput(path));
  if (read.problem) throw refused(path, read.problem);
  return read.value;
}

function asObject(value: Json | null, path: string | null): JsonObject | null {
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value;
  throw refused(path!, problem('wrong_type', []));
}

function refused(place: string, { message, pointer }: Problem): CathedralError {
  const found = `${pointer}: ${message}`;
  return new CathedralError('attestation_refused', { place, expected: 'a JSON object', found });
}
