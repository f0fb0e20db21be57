import {
  publishedKeyOf,
  readCompanions,
  readTrustFile,
  type TrustFile,
} from '../../../pipeline/artifacts/read-companions.ts';
import type { LocalLedger } from '../ledger-source.ts';
import type { Progress } from '../progress.ts';
import { required } from '../required.ts';

/**
 * Whom a verifier trusts. Without a ledger, those that are named: nobody else says whether it is about a sample; where they are named
 * by a service's published file, that also knows what the ledger has. Throws usage where nobody is, since every verdict would be
 * that nobody is known.
 */
export async function trustedCompanions(
  path: string | null,
  ledger: LocalLedger | null,
  progress: Pick<Progress, 'note'>,
): Promise<TrustFile> {
  const { companions, registry } = ledger
    ? { companions: await readCompanions(path, ledger.verifiers), registry: null }
    : await readTrustFile(required('companions', path));
  if (companions.companions.length === 0) required('companions', path);
  const published = publishedKeyOf(companions);
  if (published !== null)
    progress.note(
      `The key of ${published} is one of the sample’s, whose secret halves are published: its signature proves nothing.`,
    );
  if (registry) progress.note(`What the ledger has is known from ${path}, as of ${registry.asOf}.`);
  return { companions, registry };
}
