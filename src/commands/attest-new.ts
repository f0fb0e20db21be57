import { z } from 'zod';
import { ALGORITHMS } from '../../pipeline/attestation/document.ts';
import type { Problem } from '../../pipeline/attestation/problem.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { Id } from '../../pipeline/ledger/events/event.ts';
import { printable } from '../../pipeline/words/printable.ts';
import { type Context, defineCommand, type Flag } from './command.ts';

/** In [0, 1]. */
export const share = z
  .string()
  .regex(/^\d+(\.\d+)?(e-?\d+)?$/i)
  .transform(Number)
  .pipe(z.number().min(0).max(1));

export const companion = {
  unit: 'the name of a companion: at most 200 characters, the first none of = + - @',
  description: 'The companion that attests.',
  // Under another name no ledger would register what it attests.
  schema: Id,
} as const satisfies Flag;

export const algorithm = {
  unit: 'ed25519 or ecdsa-secp256k1',
  description: 'The signature algorithm. Without it, ed25519.',
  schema: z.enum(ALGORITHMS),
} as const satisfies Flag;

const UNLESS_DRAFTED = {
  required: 'unless --draft contains it',
  requiredWhen: (flags: ReadonlyMap<string, string>) => !flags.has('draft'),
} as const;

const NEW_FLAGS = {
  draft: {
    unit: 'a JSON file',
    description: 'A document to start from. Flags override its members; its signature is dropped.',
    path: true,
  },
  companion: { ...companion, ...UNLESS_DRAFTED },
  algorithm: {
    ...algorithm,
    description: 'The signature algorithm. Without it, that of the draft, or else ed25519.',
  },
  ledgerId: { unit: 'a UUID', description: 'The entity that requests authority.', ...UNLESS_DRAFTED },
  scope: {
    unit: 'permissions like ledger.read.export, separated by commas',
    description: 'The permissions that it requests.',
    ...UNLESS_DRAFTED,
  },
  risk: { unit: 'low, medium, high or critical', description: 'The risk level.', ...UNLESS_DRAFTED },
  riskReason: {
    flag: 'risk-justification',
    unit: 'free text',
    description: 'The reason for the risk level.',
  },
  justification: {
    unit: 'a JSON file',
    description: 'The EPICON-01 justification. The document contains it and its hash.',
    path: true,
    ...UNLESS_DRAFTED,
  },
  hashOnly: {
    description: 'Leaves the text of the justification out, so that the document contains only its hash.',
    switch: true,
  },
  walletSignature: {
    unit: '0x and 130 hex digits',
    description:
      'The signature of the wallet. Without it, the command prints the text that the wallet has to sign. That text contains the expiry time, so the signature needs either --expires-at or the --draft that was printed with the text.',
  },
  days: {
    flag: 'attestation-days',
    unit: 'days, 1 to 90',
    description: 'How long the attestation is valid. Without it, as long as the draft says, or else 30.',
    schema: z
      .string()
      .regex(/^([1-9]|[1-8][0-9]|90)$/)
      .transform(Number),
  },
  expiresAt: {
    unit: 'a date-time: 2026-01-31T06:00:00Z',
    description: 'When the attestation expires, instead of --attestation-days.',
  },
  ccr: {
    flag: 'ccr-score',
    unit: 'a number, 0 to 1',
    description: 'The Cross-Context Robustness score.',
    schema: share,
  },
  threshold: {
    flag: 'drift-threshold',
    unit: 'a number, 0 to 1',
    description:
      'The drift score at which the attestation is revoked. Without it the document has none, which means 0.1.',
    schema: share,
  },
  interval: {
    flag: 'check-interval',
    unit: 'an ISO 8601 duration',
    description: 'How often drift is measured. Without it the document has no interval, which means P1D.',
  },
  unwatched: {
    flag: 'without-drift-monitoring',
    description: 'States in the document that drift is not monitored.',
    switch: true,
  },
  context: { flag: 'request-context', unit: 'free text', description: 'The purpose of the request.' },
  previous: {
    unit: 'the UUID of an attestation, as `attest verify` prints it',
    description: 'The attestation that this one renews.',
  },
  trail: {
    flag: 'audit-trail-id',
    unit: 'free text',
    description: 'The id of the request in the audit trail.',
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
  flags: NEW_FLAGS,
  contradictions: [['days', 'expiresAt']],
  async run({ companions, ...values }, { now, progress, print }) {
    const { readCompanionsFile } = await import('../../pipeline/artifacts/read-companions.ts');
    const { readJsonFile, readJsonObject } = await import('../../pipeline/attestation/given-files.ts');
    const { checkDraft } = await import('../../pipeline/attestation/check-draft.ts');
    const { formatDocument } = await import('../../pipeline/attestation/document.ts');
    const { newDocument } = await import('../../pipeline/attestation/new-document.ts');
    const draft = (await readJsonObject(values.draft)) ?? {};
    assertSignedExpiry(values, draft.expires_at !== undefined);
    const given = { ...values, draft, justification: await readJsonFile(values.justification) };
    const known = companions === null ? { wallets: [] } : await readCompanionsFile(companions);
    const drafted = checkDraft(newDocument(given, now()), now(), known);
    const { document, problems, walletText, walletNote } = drafted;
    if (problems.length > 0) {
      reportProblems(problems, progress, flagFor);
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

/** Throws config_invalid for an expiry time that is counted from now, which the wallet cannot have signed. */
function assertSignedExpiry(
  {
    days,
    expiresAt,
    walletSignature,
  }: { days: number | null; expiresAt: string | null; walletSignature: string | null },
  isDrafted: boolean,
): void {
  const isCounted = expiresAt === null && (days !== null || !isDrafted);
  if (walletSignature === null || !isCounted) return;
  throw new CathedralError('config_invalid', {
    place: '--wallet-signature',
    expected: 'the expiry time that the wallet signed: --expires-at, or --draft without --attestation-days',
    found: 'an expiry time counted from now',
  });
}

/** The flag that each member of the document, and everything inside it, comes from. */
const SOURCES: Readonly<Record<string, string>> = {
  '/attested_by': 'companion',
  '/signature_algorithm': 'algorithm',
  '/ledger_id': 'ledger-id',
  '/scope': 'scope',
  '/risk_level': 'risk',
  '/risk_justification': 'risk-justification',
  '/epicon_ej': 'justification',
  '/epicon_ej_hash': 'justification',
  '/wallet_signature': 'wallet-signature',
  '/expires_at': 'expires-at',
  '/ccr_score': 'ccr-score',
  '/drift_monitoring/threshold': 'drift-threshold',
  '/drift_monitoring/check_interval': 'check-interval',
  '/metadata/request_context': 'request-context',
  '/metadata/previous_attestation': 'previous',
  '/metadata/audit_trail_id': 'audit-trail-id',
};

/** `/scope/0` → `--scope`; null for a place that no flag stands for. */
function flagFor(pointer: string): string | null {
  const places = Object.keys(SOURCES);
  const place = places.find((one) => pointer === one || pointer.startsWith(`${one}/`));
  return place === undefined ? null : `--${SOURCES[place]}`;
}

/** The problems of a document. `flagFor`: the flag that a place in the document comes from, if any. */
export function reportProblems(
  problems: readonly Problem[],
  progress: Context['progress'],
  flagFor: (pointer: string) => string | null = () => null,
): void {
  for (const { code, pointer, message } of problems) {
    const place = pointer || '/';
    const flag = flagFor(pointer);
    progress.note(printable(`${flag === null ? place : `${flag} (${place})`}: ${message} (${code})`));
  }
}
