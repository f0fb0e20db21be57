import {
  publishedKeyOf,
  readCompanions,
  readCompanionsFile,
} from '../../../pipeline/artifacts/read-companions.ts';
import type { Companions } from '../../../pipeline/attestation/companions.ts';
import type { LocalLedger } from '../ledger-source.ts';
import type { Progress } from '../progress.ts';
import { required } from '../required.ts';

/**
 * Whom a verifier trusts. Without a ledger, those that are named: nobody else says whether it is about a sample. Throws usage
 * where nobody is, since every verdict would be that nobody is known.
 */
export async function trustedCompanions(
  path: string | null,
  ledger: LocalLedger | null,
  progress: Pick<Progress, 'note'>,
): Promise<Companions> {
  const companions = ledger
    ? await readCompanions(path, ledger.verifiers)
    : await readCompanionsFile(required('companions', path));
  if (companions.companions.length === 0) required('companions', path);
  const published = publishedKeyOf(companions);
  if (published !== null)
    progress.note(
      `The key of ${published} is one of the sample’s, whose secret halves are published: its signature proves nothing.`,
    );
  return companions;
}
