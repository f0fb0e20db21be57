import { checkDraft, type Drafted } from '../../../pipeline/attestation/check-draft.ts';
import { newDocument } from '../../../pipeline/attestation/new-document.ts';
import { type Problem, problem } from '../../../pipeline/attestation/problem.ts';
import { type Json, type JsonObject, readJson } from '../../../pipeline/attestation/read-json.ts';
import type { Config } from '../../../pipeline/config/settings.ts';
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
  'attestationCcr',
  'attestationThreshold',
  'attestationInterval',
  'attestationUnwatched',
  'attestationContext',
  'attestationPrevious',
  'attestationTrail',
] as const;

/** An unsigned document from flags and files, attested at `now`, ms. */
export async function draftAttestation(
  config: Pick<Config, (typeof DRAFT_SETTINGS)[number]>,
  now: number,
): Promise<Drafted> {
  const given = {
    draft: asObject(await readJsonFile(config.attestationDraft), config.attestationDraft) ?? {},
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
    ccr: config.attestationCcr,
    threshold: config.attestationThreshold,
    interval: config.attestationInterval,
    unwatched: config.attestationUnwatched,
    context: config.attestationContext,
    previous: config.attestationPrevious,
    trail: config.attestationTrail,
  };
  return checkDraft(newDocument(given, now));
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
