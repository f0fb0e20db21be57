import { printable } from '../../../pipeline/attestation/printable.ts';
import { compareTimestamps } from '../../../pipeline/ledger/timestamp.ts';
import type { lookUp } from './look-up.ts';

type Described = ReturnType<typeof lookUp>;

/** For people: a member a line. */
export function formatStatus(described: Described): string {
  const { registered: _, ...members } = described;
  const early = earlyWords(described);
  return Object.entries(early === null ? members : { ...members, note: early })
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      printable(`${name.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : value}`),
    )
    .join('\n');
}

/** Null where it was attested before it was revoked, if it was. */
function earlyWords(described: Described): string | null {
  if (!described.registered) return 'It was revoked before it was attested: the ledger does not have it yet.';
  const { status, ended_at, attested_at } = described;
  const isEarly = status === 'revoked' && compareTimestamps(ended_at!, attested_at) < 0;
  return isEarly ? 'It was revoked before it was attested.' : null;
}
