import { readCompanionsFile } from '../../../pipeline/artifacts/read-companions.ts';
import { checkDraft, type Drafted } from '../../../pipeline/attestation/check-draft.ts';
import { newDocument } from '../../../pipeline/attestation/new-document.ts';
import { type Problem, problem } from '../../../pipeline/attestation/problem.ts';
import { type Json, type JsonObject, readJson } from '../../../pipeline/attestation/read-json.ts';
import { type Config, SETTINGS } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { readInput } from './read-input.ts';

export const DRAFT_SETTINGS = [
  'attestationDraft',
  'attestationCompanion',
  'attestationAlgorithm',
  'attestationLedgerId',
  'attestationScope',
  'attestationRisk',
  'attestationRiskReason',
  'attestationJustification',
  'attestationHashOnly',
  'attestationWallet',
  'attestationDays',
  'attestationExpires',
  'attestationCcr',
  'attestationThreshold',
  'attestationInterval',
  'attestationUnwatched',
  'attestationContext',
  'attestationPrevious',
  'attestationTrail',
  'companions',
] as const;

/** Which setting each member of the document comes from; and all within that. */
const SOURCES: Readonly<Record<string, (typeof DRAFT_SETTINGS)[number]>> = {
  '/attested_by': 'attestationCompanion',
  '/signature_algorithm': 'attestationAlgorithm',
  '/ledger_id': 'attestationLedgerId',
  '/scope': 'attestationScope',
  '/risk_level': 'attestationRisk',
  '/risk_justification': 'attestationRiskReason',
  '/epicon_ej': 'attestationJustification',
  '/epicon_ej_hash': 'attestationJustification',
  '/wallet_signature': 'attestationWallet',
  '/expires_at': 'attestationExpires',
  '/ccr_score': 'attestationCcr',
  '/drift_monitoring/threshold': 'attestationThreshold',
  '/drift_monitoring/check_interval': 'attestationInterval',
  '/metadata/request_context': 'attestationContext',
  '/metadata/previous_attestation': 'attestationPrevious',
  '/metadata/audit_trail_id': 'attestationTrail',
};

/** `--scope`, of `/scope/0`; null for a place that no flag stands for. */
export function flagFor(pointer: string): string | null {
  const [, setting] =
    Object.entries(SOURCES).find(([place]) => pointer === place || pointer.startsWith(`${place}/`)) ?? [];
  return setting === undefined ? null : `--${SETTINGS[setting].flag}`;
}

const UNLESS_DRAFTED = 'required, unless --draft has it';

export const NEEDED_OF_DRAFTS = {
  attestationCompanion: UNLESS_DRAFTED,
  attestationLedgerId: UNLESS_DRAFTED,
  attestationScope: UNLESS_DRAFTED,
  attestationRisk: UNLESS_DRAFTED,
  attestationJustification: UNLESS_DRAFTED,
} as const;

type DraftConfig = Pick<Config, (typeof DRAFT_SETTINGS)[number]>;

/** An unsigned document from flags and files, attested at `now`, ms. */
export async function draftAttestation(config: DraftConfig, now: number): Promise<Drafted> {
  const { companions } = config;
  const draft = asObject(await readJsonFile(config.attestationDraft), config.attestationDraft) ?? {};
  assertOneEnd(config, draft);
  const given = {
    draft,
    companion: config.attestationCompanion,
    algorithm: config.attestationAlgorithm,
    ledgerId: config.attestationLedgerId,
    scope: config.attestationScope,
    risk: config.attestationRisk,
    riskReason: config.attestationRiskReason,
    justification: await readJsonFile(config.attestationJustification),
    hashOnly: config.attestationHashOnly,
    walletSignature: config.attestationWallet,
    days: config.attestationDays,
    expiresAt: config.attestationExpires,
    ccr: config.attestationCcr,
    threshold: config.attestationThreshold,
    interval: config.attestationInterval,
    unwatched: config.attestationUnwatched,
    context: config.attestationContext,
    previous: config.attestationPrevious,
    trail: config.attestationTrail,
  };
  const known = companions === null ? { wallets: [] } : await readCompanionsFile(companions);
  return checkDraft(newDocument(given, now), now, known);
}

/** Throws config_invalid for two ends, and for an end that the wallet cannot have signed since it is counted from now. */
function assertOneEnd(
  { attestationDays: days, attestationExpires: expires, attestationWallet: wallet }: DraftConfig,
  draft: JsonObject,
): void {
  const refuse = (place: string, expected: string, found: string) => {
    throw new CathedralError('config_invalid', { place, expected, found });
  };
  if (days !== null && expires !== null) refuse('--days', 'no --expires-at beside it', 'both');
  const isCounted = expires === null && (days !== null || draft.expires_at === undefined);
  if (wallet !== null && isCounted)
    refuse(
      '--wallet-signature',
      'the end that the wallet has signed: --expires-at, or --draft without --days',
      'an end that is counted from now',
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
