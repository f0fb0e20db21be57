import { companions } from '../../../../pipeline/artifacts/philosophy/companions.ts';
import type { PublishedRegistry } from '../../../../pipeline/attestation/published-registry.ts';
import type { PublishedAttestation } from '../../../../pipeline/attestation/registered.ts';
import { formatInterval } from '../../../../pipeline/words/duration.ts';
import { formatDay, formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { capitalise, formatList } from '../../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../../layout/release.ts';

export function readRegistry(release: SiteRelease): PublishedRegistry {
  return release.read(companions);
}

export const ATTESTATION_COLUMNS = [
  { label: 'Attestation', tight: true },
  { label: 'Status', tight: true },
  { label: 'Companion', tight: true },
  { label: 'May' },
  { label: 'Risk', tight: true },
  { label: 'Until', tight: true },
  { label: 'Drift' },
];

/** The cells of an attestation, in the order of the columns. */
export function attestationRow(attestation: PublishedAttestation): string[] {
  const { id, status, companion, scope, risk_level, expires_at } = attestation;
  return [
    shortId(id),
    capitalise(status),
    companion,
    scope.join(', '),
    capitalise(risk_level),
    formatDay(expires_at),
    driftWords(attestation),
  ];
}

/** `0.038 of 0.1; check overdue` */
function driftWords({ drift_threshold, drift, check_late, late_checks }: PublishedAttestation): string {
  if (drift_threshold === null) return 'not monitored';
  const value =
    drift === null ? 'not checked yet' : `${formatNumber(drift, { max: 4 })} of ${drift_threshold}`;
  const late = late_checks === 0 ? [] : [`earlier checks late: ${formatNumber(late_checks)}`];
  return [value, ...(check_late ? ['check overdue'] : []), ...late].join('; ');
}

/** The number of attestations in each state. */
export function registrySentence({ attestations }: PublishedRegistry): string {
  const counts = (['active', 'expired', 'revoked', 'superseded'] as const).flatMap((status) => {
    const count = attestations.filter((one) => one.status === status).length;
    return count === 0 ? [] : [`${formatNumber(count)} ${count === 1 ? 'is' : 'are'} ${status}`];
  });
  if (counts.length === 0) return 'The ledger has no recent attestation.';
  const are = `Of the attestations in the ledger, ${formatList(counts)}.`;
  return attestations.some(({ check_late }) => check_late) ? are : `${are} No drift check is overdue.`;
}

/** The overdue drift checks as of the release, with their due interval and last check. */
export function overdueChecks({ attestations }: PublishedRegistry): { name: string; words: string }[] {
  return attestations
    .filter(({ check_late }) => check_late)
    .map(({ id, companion, check_interval, checked_at, attested_at }) => {
      const last =
        checked_at === null
          ? `none since it was attested on ${formatMoment(attested_at)}`
          : `the last was on ${formatMoment(checked_at)}`;
      return {
        name: `${companion}, ${shortId(id)}`,
        words: `due every ${formatInterval(check_interval)}; ${last}.`,
      };
    });
}

function shortId(id: string): string {
  return `${id.slice(0, 12)}…`;
}
