import { companions } from '../../../../pipeline/artifacts/philosophy/companions.ts';
import type { PublishedRegistry } from '../../../../pipeline/attestation/published-registry.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../../layout/release.ts';

export function readRegistry(release: SiteRelease): PublishedRegistry {
  return release.read(companions);
}

/** Each state with the verb for one attestation and for several. */
const STATES = {
  active: ['is', 'are'],
  expired: ['has', 'have'],
  revoked: ['was', 'were'],
  superseded: ['was', 'were'],
} as const;

/** The number of attestations in each state. */
export function registrySentence({ attestations }: PublishedRegistry): string {
  const counts = Object.entries(STATES).flatMap(([status, [one, several]]) => {
    const count = attestations.filter((attestation) => attestation.status === status).length;
    return count === 0 ? [] : [`${formatNumber(count)} ${count === 1 ? one : several} ${status}`];
  });
  if (counts.length === 0) return 'The ledger has no recent attestation.';
  const are = `Of the attestations in the ledger, ${formatList(counts)}.`;
  return attestations.some(({ check_late }) => check_late) ? are : `${are} No drift check is overdue.`;
}
