import { z } from 'zod';
import { CathedralError } from '../../../pipeline/errors.ts';
import { writableLedger } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import { agent, appendCompanionEvent, dryRun, timeFlag } from './append-event.ts';
import type { LedgerRead } from './ledger.ts';
import { attestation, lookUp } from './status.ts';

export const attestRevoke = defineCommand({
  summary: 'Revokes an attestation for good, by appending an event to a ledger in a folder.',
  examples: [
    'cathedral attest revoke 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --reason "The key was lost." --ledger /srv/ledger',
  ],
  settings: ['ledger', 'ledgerKey'],
  positionals: ['attestation'],
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
    agent: { ...agent, description: 'Who revokes it: the agent of the event.' },
    revokedAt: timeFlag('revoked-at', 'the revocation'),
    dryRun,
    json,
  },
  async run(config, { now, print }) {
    const { attestation, reason, agent, dryRun, revokedAt: at } = config;
    const local = await writableLedger(config);
    const clock = now();
    const { event } = await appendCompanionEvent<'companion_revoked'>(
      { command: 'attest revoke', local, agent, now: clock, at, atFlag: '--revoked-at', dryRun },
      (read) => ({
        type: 'companion_revoked',
        data: { attestation: revocableId(read, attestation, clock), reason },
      }),
    );
    if (config.json) print(formatJson(event));
    else
      print(
        `${event.data.attestation} ${dryRun ? 'would be' : 'is'} revoked as of ${event.timestamp}: event ${event.seq}.`,
      );
    return 0;
  },
});

/** The id that the event names it by. Throws attestation_refused for one that is unknown or revoked. */
function revocableId(ledger: LedgerRead, attestation: string, clock: number): string {
  const found = lookUp(ledger, attestation, clock);
  if (found.registered && found.status !== 'revoked') return found.id;
  const by = found.ended_by === null ? '' : ` by ${found.ended_by}`;
  const early = found.registered ? '' : ', before it was attested';
  throw new CathedralError('attestation_refused', {
    place: found.id ?? found.uuid,
    expected: 'an attestation that is not revoked',
    found: `one that was revoked at ${found.ended_at}${by}${early}: ${found.reason}`,
  });
}
