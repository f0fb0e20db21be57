import { randomBytes } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import { HeadWriter } from '../../../pipeline/ledger/append-head.ts';
import { openDirectory } from '../../../pipeline/ledger/directory.ts';
import type { EventOf } from '../../../pipeline/ledger/event.ts';
import { compareTimestamps } from '../../../pipeline/ledger/timestamp.ts';
import { withLock } from '../../../pipeline/release/disk/lock.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import type { LocalLedger } from '../ledger-source.ts';
import { lookUp } from './look-up.ts';
import { type LedgerRead, readLedger } from './read-ledger.ts';

/**
 * How far a revocation may be ahead of the ledger's last event unasked. From an event on, the ledger's time counts for every
 * verifier: one of next year would end all attestations.
 */
const MAX_AHEAD_MS = 86_400_000;

/** For another revocation to end. The demo’s writer holds the ledger for as long as it runs: nobody wants to wait for that. */
const WAIT_MS = 5000;

export interface Revocation {
  /** Id or UUID. */
  attestation: string;
  reason: string;
  agent: string;
  /** The clock, ms since 1970. */
  now: number;
  /** The time of the revocation as somebody has stated it, ms since 1970; null: the clock's. */
  at: number | null;
}

/**
 * Appends the revocation to the ledger's head, and returns the event. Throws attestation_refused for an attestation that the
 * ledger does not have or that is revoked already, config_invalid for a time before the ledger's last event or, unless it was
 * stated, more than a day after it, locked where somebody else is writing, and what reading throws.
 */
export async function revokeAttestation(
  ledger: LocalLedger,
  revocation: Revocation,
): Promise<EventOf<'companion_revoked'>> {
  const holder = `attest revoke, process ${process.pid}`;
  // Two writers would break the ledger. The lock is that of the demo's writer, beside the ledger.
  return withLock(`${ledger.ledger}.lock`, { waitMs: WAIT_MS, holder }, () => append(ledger, revocation));
}

async function append(ledger: LocalLedger, revocation: Revocation): Promise<EventOf<'companion_revoked'>> {
  const read = await readLedger(ledger);
  const { sealed, last } = read;
  const id = revocableId(read, revocation);
  const timestamp = timestampAfter(last!.timestamp, revocation);
  const writer = await HeadWriter.open(openDirectory(ledger.ledger), sealed);
  try {
    const event = {
      seq: writer.position.size,
      timestamp,
      cycle: last!.cycle,
      type: 'companion_revoked' as const,
      agent: revocation.agent,
      data: { attestation: id, reason: revocation.reason },
      salt: randomBytes(16).toString('base64url'),
    };
    writer.append(event);
    return event;
  } finally {
    writer.close();
  }
}

/** The id by which the event names it. Throws attestation_refused where there is none, or where it is revoked. */
function revocableId(ledger: LedgerRead, { attestation, now }: Revocation): string {
  const found = lookUp(ledger, attestation, now);
  if (found.registered && found.status !== 'revoked') return found.id;
  const by = found.ended_by === null ? '' : ` by ${found.ended_by}`;
  const before = found.registered ? '' : ', before it was attested';
  throw new CathedralError('attestation_refused', {
    place: found.id ?? found.uuid,
    expected: 'an attestation to revoke',
    found: `one that was revoked at ${found.ended_at}${by}${before}: ${found.reason}`,
  });
}

/** Never before the last event, whose clock may be ahead of ours. */
function timestampAfter(last: string, { now, at }: Revocation): string {
  const time = formatTimestamp(at ?? now);
  const isBefore = compareTimestamps(time, last) < 0;
  const refused = (expected: string) =>
    new CathedralError('config_invalid', { place: '--at', expected, found: time });
  if (at !== null && isBefore) throw refused(`the time of the ledger’s last event, ${last}, or later`);
  if (at === null && now - Date.parse(last) > MAX_AHEAD_MS)
    throw refused(`a time, as the clock is more than a day ahead of the ledger’s last event, ${last}`);
  return isBefore ? last : time;
}
