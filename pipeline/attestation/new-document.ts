import { DAY_MS } from '../words/day.ts';
import { formatTimestamp } from '../words/moment.ts';
import { justificationHash } from './canonical-bytes.ts';
import { type Algorithm, ATTESTATION_VERSION } from './document.ts';
import type { Json, JsonObject } from './limited-json.ts';

/** The content of a new document. Null: as in the draft, or absent. */
export interface NewDocument {
  draft: JsonObject;
  companion: string | null;
  algorithm: Algorithm | null;
  ledgerId: string | null;
  scope: string | null;
  risk: string | null;
  riskReason: string | null;
  justification: Json | null;
  hashOnly: boolean;
  walletSignature: string | null;
  days: number | null;
  /** Replaces the number of days; written as given. */
  expiresAt: string | null;
  ccr: number | null;
  threshold: number | null;
  interval: string | null;
  unwatched: boolean;
  context: string | null;
  previous: string | null;
  trail: string | null;
}

const DEFAULT_DAYS = 30;

/** The members that the wallet signs. If one changes, its previous signature no longer applies. */
const CLAIM = ['ledger_id', 'epicon_ej_hash', 'scope', 'expires_at'] as const;

/** An unsigned document, attested at `now`, ms. Does not check it. */
export function newDocument(given: NewDocument, now: number): JsonObject {
  const document = assembled(given, now);
  const { wallet_signature: _, ...unclaimed } = document;
  if (given.walletSignature !== null || given.draft.wallet_signature === undefined) return document;
  return signatureClaim(document) === signatureClaim(given.draft) ? document : unclaimed;
}

/** The members that the wallet signs, for comparison. */
export function signatureClaim(document: JsonObject): string {
  return JSON.stringify(CLAIM.map((name) => document[name]));
}

function assembled(given: NewDocument, now: number): JsonObject {
  const { signature: _, epicon_ej: __, ...draft } = given.draft;
  const { companion, ledgerId, scope, risk, riskReason, walletSignature, ccr } = given;
  const attestedAt = Math.floor(now / 1000) * 1000;
  return {
    version: ATTESTATION_VERSION,
    ...draft,
    ...said({ ledger_id: ledgerId, wallet_signature: walletSignature }),
    ...justified(given),
    ...said({ scope: scope?.split(',').map((one) => one.trim()) ?? null }),
    expires_at: expiry(given, attestedAt),
    ...said({ risk_level: risk, risk_justification: riskReason, attested_by: companion }),
    attested_at: formatTimestamp(attestedAt),
    signature_algorithm: given.algorithm ?? draft.signature_algorithm ?? 'ed25519',
    ...said({ ccr_score: ccr }),
    ...said({ drift_monitoring: driftMonitoring(given), metadata: metadata(given) }),
  };
}

function justified({ justification, hashOnly, draft }: NewDocument): JsonObject {
  const text = justification ?? draft.epicon_ej ?? null;
  if (text === null) return {};
  const hash = { epicon_ej_hash: justificationHash(text) };
  return hashOnly ? hash : { ...hash, epicon_ej: text };
}

function expiry({ days, expiresAt, draft }: NewDocument, attestedAt: number): Json {
  if (expiresAt !== null) return expiresAt;
  if (days === null && draft.expires_at !== undefined) return draft.expires_at;
  return formatTimestamp(attestedAt + (days ?? DEFAULT_DAYS) * DAY_MS);
}

function driftMonitoring({ draft, threshold, interval, unwatched }: NewDocument): JsonObject | null {
  const members = said({ threshold, check_interval: interval, enabled: unwatched ? false : null });
  return merged(draft.drift_monitoring, members);
}

function metadata({ draft, context, previous, trail }: NewDocument): JsonObject | null {
  const members = said({
    request_context: context,
    previous_attestation: previous,
    audit_trail_id: trail,
  });
  return merged(draft.metadata, members);
}

/** Null if nothing was given, because an empty object would become part of the signed bytes. */
function merged(draft: Json | undefined, members: JsonObject): JsonObject | null {
  if (Object.keys(members).length === 0) return null;
  const before = typeof draft === 'object' && draft !== null && !Array.isArray(draft) ? draft : {};
  return { ...before, ...members };
}

function said(members: Record<string, Json>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
