import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import { Problem } from '../../api/problem.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';
import type { Live } from '../services.ts';
import { ownAnswer } from './answer-verify.ts';
import { readTrust } from './read-trust.ts';

/** What the ledger has of the attestation of that id or UUID, as of `now`, ms. Throws a Problem. */
export async function answerStatus(
  { name, query, now }: { name: string; query: string; now: number },
  release: ServedRelease,
  live: Live | null,
): Promise<Answer> {
  if (query) throw new Problem('unknown_parameter', 'This path takes no parameters.');
  const { registry, asOf } = await readTrust(release, live);
  const found = lookUpStatus(name, registry, now);
  if (!found)
    throw new Problem(
      'not_found',
      'The ledger has no attestation of this id or UUID, or had one that expired more than 90 days ago.',
    );
  return ownAnswer({ ...found, as_of: asOf });
}
