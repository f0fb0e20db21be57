import { caseOf } from './check.ts';
import { checkLifeCycle, checkPeriod } from './checks/validity.ts';
import { checkAnyWallet } from './checks/wallet.ts';
import type { Companions } from './companions.ts';
import type { JsonObject } from './limited-json.ts';
import { parseAttestation } from './parse-attestation.ts';
import type { Problem } from './problem.ts';
import { NO_SIGNATURE } from './sign-attestation.ts';
import { walletText } from './wallet-signature.ts';

export interface Drafted {
  document: JsonObject;
  /** Problems other than the missing signatures. */
  problems: Problem[];
  /** The text for the wallet to sign; null if it has signed, or if the draft has problems. */
  walletText: string | null;
  /** A sentence that names the wallet that signed; null without a possible wallet signature. */
  walletNote: string | null;
}

/** Placeholders of the same length as signatures, for checking the rest. */
const PENDING = { wallet_signature: `0x${'0'.repeat(130)}`, signature: NO_SIGNATURE };

/**
 * Checks a document before the companion signs it, so that no wallet is asked to sign what a companion will refuse. `now` in ms. Uses
 * only the companions' wallets.
 */
export function checkDraft(
  document: JsonObject,
  now: number,
  { wallets }: Pick<Companions, 'wallets'>,
): Drafted {
  const nothing = { document, walletText: null, walletNote: null };
  const parsed = parseAttestation(`${JSON.stringify({ ...PENDING, ...document })}\n`);
  if ('problems' in parsed) return { ...nothing, problems: parsed.problems };
  const given = caseOf(parsed, { now, companions: { companions: [], wallets }, registry: null });
  const problems = [checkPeriod, checkLifeCycle].flatMap((check) => check(given).problems);
  if (document.wallet_signature === undefined)
    return { ...nothing, problems, walletText: problems.length === 0 ? walletText(given.attestation) : null };
  const wallet = checkAnyWallet(given);
  return {
    ...nothing,
    problems: [...problems, ...wallet.problems],
    walletNote: wallet.result === 'passed' ? wallet.detail : null,
  };
}
