import { parseAttestation } from './parse-attestation.ts';
import type { Problem } from './problem.ts';
import type { JsonObject } from './read-json.ts';
import { NO_SIGNATURE } from './sign-attestation.ts';
import { walletText } from './wallet-signature.ts';

export interface Drafted {
  document: JsonObject;
  /** What is wrong with it, but for the signatures that are still to come. */
  problems: Problem[];
  /** What the wallet has to sign; null where it did already, or where there is nothing yet that it could. */
  walletText: string | null;
}

/** Stand where signatures will, as long as those, while the rest is checked. */
const PENDING = { wallet_signature: `0x${'0'.repeat(130)}`, signature: NO_SIGNATURE };

/** Looks at a document before it is signed. */
export function checkDraft(document: JsonObject): Drafted {
  const parsed = parseAttestation(`${JSON.stringify({ ...PENDING, ...document })}\n`);
  if ('problems' in parsed) return { document, problems: parsed.problems, walletText: null };
  const isPending = document.wallet_signature === undefined;
  return { document, problems: [], walletText: isPending ? walletText(parsed.attestation) : null };
}
