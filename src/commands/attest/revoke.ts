import { z } from 'zod';
import { text } from '../../../pipeline/config/setting.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { EventOf } from '../../../pipeline/ledger/event.ts';
import { LedgerWriter } from '../../../pipeline/ledger/ledger-writer.ts';
import { compareTimestamps } from '../../../pipeline/ledger/timestamp.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import { type LocalLedger, localLedger, SOURCE_SETTINGS } from '../ledger-source.ts';
import { type LedgerRead, readLedger } from './ledger.ts';
import { attestation, lookUp } from './status.ts';
import { moment } from './verify.ts';

/**
 * How far the clock may be ahead of the last event. From an event on, its time is the time of the ledger for every verifier: a
 * revocation dated next year would expire all attestations.
 */
const MAX_AHEAD_MS = 86_400_000;

/** How long to wait for another revocation. The writer of a demo ledger holds the lock as long as it runs. */
const WAIT_MS = 5000;

export const attestRevoke = defineCommand({
  summary: 'Revokes an attestation for good, by appending an event to a ledger in a folder.',
  examples: [
    'cathedral attest revoke --attestation 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --reason "The key was lost." --ledger /srv/ledger --ledger-key /srv/ledger.vkey',
  ],
  settings: ['ledger', ...SOURCE_SETTINGS],
  flags: {
    attestation,
    reason: {
      flag: 'reason',
      default: null,
      unit: 'one line, at most 200 characters',
      description: 'Why it is revoked. Everybody can read it in the ledger.',
      required: true,
      schema: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u),
    },
    agent: {
      flag: 'agent',
      default: 'REGISTRY',
      unit: 'a name',
      description: 'Who revokes it: the agent of the event.',
      schema: text,
    },
    revokedAt: {
      flag: 'revoked-at',
      aliases: ['at'],
      default: null,
      unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
      description:
        'The time of the revocation. Without it, that of the clock or of the last event, whichever is later. It is required if the clock is more than a day ahead of the last event, because one event with a wrong time expires all attestations.',
      schema: moment,
    },
    json,
  },
  async run(config, { now, print }) {
    const { ledger: source, attestation, reason, agent, revokedAt } = config;
    if (source.kind !== 'directory') {
      const fault = { place: '--ledger', expected: 'a ledger in a folder', found: `civic+${source.url}` };
      throw new CathedralError('config_invalid', fault);
    }
    const revocation = { attestation, reason, agent, now: now(), at: revokedAt };
    const event = await revokeAttestation(await localLedger(source, config), revocation);
    if (config.json) print(formatJson(event));
    else print(`${event.data.attestation} is revoked as of ${event.timestamp}: event ${event.seq}.`);
    return 0;
  },
});

interface Revocation {
  /** Id or UUID. */
  attestation: string;
  reason: string;
  agent: string;
  /** The clock, ms since 1970. */
  now: number;
  /** The time of the revocation, ms since 1970; null: that of the clock. */
  at: number | null;
}

/**
 * Appends the revocation to the head of the ledger, and returns the event. Throws attestation_refused for an attestation that the
 * ledger does not have or that is already revoked; config_invalid for a time before the last event, and for a clock more than a
 * day after it; locked if another process writes the ledger; and what reading throws.
 */
async function revokeAttestation(
  ledger: LocalLedger,
  revocation: Revocation,
): Promise<EventOf<'companion_revoked'>> {
  const writer = await LedgerWriter.open(ledger.ledger, {
    verifiers: ledger.verifiers,
    now: () => revocation.now,
    waitMs: WAIT_MS,
    holder: `attest revoke, process ${process.pid}`,
  });
  try {
    const read = await readLedger(ledger);
    const id = revocableId(read, revocation);
    const { timestamp, cycle } = read.last!;
    const draft = {
      timestamp: timestampAfter(timestamp, revocation),
      cycle,
      type: 'companion_revoked',
      agent: revocation.agent,
      data: { attestation: id, reason: revocation.reason },
    };
    return (await writer.append([draft])).last as EventOf<'companion_revoked'>;
  } finally {
    writer.close();
  }
}

/** The id that the event names it by. Throws attestation_refused for one that is unknown or revoked. */
function revocableId(ledger: LedgerRead, { attestation, now }: Revocation): string {
  const found = lookUp(ledger, attestation, now);
  if (found.registered && found.status !== 'revoked') return found.id;
  const by = found.ended_by === null ? '' : ` by ${found.ended_by}`;
  const early = found.registered ? '' : ', before it was attested';
  throw new CathedralError('attestation_refused', {
    place: found.id ?? found.uuid,
    expected: 'an attestation that is not revoked',
    found: `one that was revoked at ${found.ended_at}${by}${early}: ${found.reason}`,
  });
}

/** Never before the last event, whose clock may be ahead of this one. */
function timestampAfter(last: string, { now, at }: Revocation): string {
  const time = formatTimestamp(at ?? now);
  const isBefore = compareTimestamps(time, last) < 0;
  const refused = (expected: string) =>
    new CathedralError('config_invalid', { place: '--revoked-at', expected, found: time });
  if (at !== null && isBefore) throw refused(`the time of the last event, ${last}, or later`);
  if (at === null && now - Date.parse(last) > MAX_AHEAD_MS)
    throw refused(`a time, because the clock is more than a day ahead of the last event, ${last}`);
  return isBefore ? last : time;
}
