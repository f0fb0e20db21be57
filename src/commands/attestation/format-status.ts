import type { describeStatus } from '../../../pipeline/attestation/describe-status.ts';
import { printable } from '../../../pipeline/attestation/printable.ts';
import { type Registered, registryOf } from '../../../pipeline/attestation/registry.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Companions } from '../../../pipeline/model/companions.ts';

/** The attestation of an id or a UUID. Throws attestation_refused where the ledger has none. */
export function findRegistered(companions: Companions, name: string): Registered & { id: string } {
  const registry = registryOf(companions);
  const id = name.toLowerCase();
  const entry = registry.byId(id);
  const found = entry ? { ...entry, id } : registry.byUuid(name);
  if (found) return found;
  const expected = 'the id or UUID of an attestation that the ledger has';
  throw new CathedralError('attestation_refused', { place: '--id', expected, found: JSON.stringify(name) });
}

/** For people: a member a line. */
export function formatStatus(described: ReturnType<typeof describeStatus>): string {
  return Object.entries(described)
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      printable(`${name.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : value}`),
    )
    .join('\n');
}
