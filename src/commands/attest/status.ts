import { attestationUuid } from '../../../pipeline/attestation/canonical-bytes.ts';
import { printable } from '../../../pipeline/attestation/printable.ts';
import {
  isAttestationId,
  REGISTRY_RETENTION_DAYS,
  type Registry,
} from '../../../pipeline/attestation/registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import { type Flag, text } from '../../../pipeline/config/setting.ts';
import { SOURCE_SETTINGS } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { registryOfState } from '../../../pipeline/model/companions.ts';
import { openLedger } from '../../../pipeline/sources/open-ledger.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import { type LedgerRead, readLedger } from './ledger.ts';
import { asOf } from './verify.ts';

export const attestation = {
  flag: 'attestation',
  default: null,
  unit: 'the id of an attestation, 64 hex digits, or its UUID',
  description: 'The attestation.',
  required: true,
  schema: text,
} as const satisfies Flag;

export const attestStatus = defineCommand({
  summary: 'Prints what the ledger holds about an attestation.',
  details: 'It exits with 1 if the attestation is not active.',
  examples: ['cathedral attest status 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --json'],
  isReader: true,
  settings: ['ledger', ...SOURCE_SETTINGS],
  positionals: ['attestation'],
  flags: { attestation, asOf, json },
  async run(config, context) {
    const { print, progress } = context;
    const { ledger: source, attestation, asOf } = config;
    const local = await openLedger(source, { ...config, mustExist: true }, context);
    const ledger = await readLedger(local, asOf);
    progress.end();
    const described = lookUp(ledger, attestation, asOf ?? context.now());
    print(config.json ? formatJson(described) : formatStatus(described));
    return described.status === 'active' ? 0 : 1;
  },
});

/**
 * The registry's entry for an id or a UUID, as of `clock`, ms, or of the newest event if that is later, and who revoked it. Throws
 * attestation_refused if the ledger has neither the attestation nor a revocation of it.
 */
export function lookUp(ledger: LedgerRead, name: string, clock: number) {
  const registry = registryOfState(ledger.state);
  const found = lookUpStatus(name, registry, clock);
  if (found) return { ...found, ended_by: revokerOf(ledger, found) };
  throw new CathedralError('attestation_refused', {
    place: '--attestation',
    expected: `the id or UUID of an attestation in the ledger that ended at most ${REGISTRY_RETENTION_DAYS} days ago`,
    found: `${JSON.stringify(name)}${scoreNote(registry, name)}`,
  });
}

/** The agent of the event that ended it; null if it has not ended, or ended because of its drift, without anybody acting. */
function revokerOf(
  { revocations }: LedgerRead,
  { uuid, ended_at }: { uuid: string; ended_at: string | null },
): string | null {
  const event = revocations.find(({ timestamp, data }) => {
    const name = data.attestation.toLowerCase();
    return timestamp === ended_at && (isAttestationId(name) ? attestationUuid(name) : name) === uuid;
  });
  return event?.agent ?? null;
}

function scoreNote(registry: Registry, name: string): string {
  const scored = registry.unattested(name.toLowerCase()).find(({ drift }) => drift !== null);
  return scored ? `, for which it only has a drift score of ${scored.drift}` : '';
}

/** One member per line. */
function formatStatus(described: ReturnType<typeof lookUp>): string {
  const { registered: _, ...members } = described;
  const note = earlyNote(described);
  return Object.entries(note === null ? members : { ...members, note })
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      printable(`${name.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : value}`),
    )
    .join('\n');
}

/** Null unless it was revoked before it was attested. */
function earlyNote(described: ReturnType<typeof lookUp>): string | null {
  if (!described.registered)
    return 'It was revoked before it was attested: the ledger does not have the attestation yet.';
  const { status, ended_at, attested_at } = described;
  const isEarly = status === 'revoked' && compareTimestamps(ended_at!, attested_at) < 0;
  return isEarly ? 'It was revoked before it was attested.' : null;
}
