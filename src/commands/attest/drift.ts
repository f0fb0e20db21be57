import { z } from 'zod';
import { driftReason } from '../../../pipeline/attestation/registry.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { writableLedger } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import { agent, appendCompanionEvent, dryRun, timeFlag } from './append-event.ts';
import type { LedgerRead } from './ledger.ts';
import { attestation, lookUp } from './status.ts';

export const attestDrift = defineCommand({
  summary: 'Records a drift score of an attestation, by appending an event to a ledger in a folder.',
  details:
    'A score at or above the threshold of the attestation revokes it, for good and without anybody acting. Use --dry-run to see what a score would do.',
  examples: [
    'cathedral attest drift 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b 0.03 --agent WITNESS --ledger /srv/ledger',
  ],
  settings: ['ledger', 'ledgerKey'],
  positionals: ['attestation', 'score'],
  flags: {
    attestation,
    score: {
      flag: 'score',
      default: null,
      unit: 'a number, 0 to 1',
      description: 'The drift score: how far the companion has moved from its reference behaviour.',
      required: true,
      schema: z
        .string()
        .regex(/^(0(\.\d{1,15})?|1(\.0{1,15})?)$/)
        .transform(Number),
    },
    agent: { ...agent, description: 'Who measured it: the agent of the event.' },
    checkedAt: timeFlag('checked-at', 'the drift check'),
    dryRun,
    json,
  },
  async run(config, { now, print }) {
    const { attestation, score, agent, dryRun, checkedAt: at } = config;
    const local = await writableLedger(config);
    const clock = now();
    const { event, ledger } = await appendCompanionEvent<'companion_drift'>(
      { command: 'attest drift', local, agent, now: clock, at, atFlag: '--checked-at', dryRun },
      (read) => ({
        type: 'companion_drift',
        data: { attestation: activeId(read, attestation, Math.max(clock, at ?? clock)), score },
      }),
    );
    if (config.json) print(formatJson(event));
    else
      print(
        `A drift score of ${score} ${dryRun ? 'would be' : 'is'} recorded as of ${event.timestamp}: event ${event.seq}. ${effectOf(ledger, event.data)}`,
      );
    return 0;
  },
});

/** The id that the event names it by. Throws attestation_refused for one that is unknown or has ended: a score would change nothing. */
function activeId(ledger: LedgerRead, name: string, clock: number): string {
  const found = lookUp(ledger, name, clock);
  if (found.status === 'active') return found.id;
  const end = found.status === 'expired' ? found.expires_at : found.ended_at;
  throw new CathedralError('attestation_refused', {
    place: found.id ?? found.uuid,
    expected: 'an active attestation',
    found: `one that is ${found.status} since ${end}, on which a drift score has no effect`,
  });
}

/** What the score means, in a sentence. */
function effectOf(
  { state }: LedgerRead,
  { attestation, score }: { attestation: string; score: number },
): string {
  const { drift_threshold: threshold } = state.companions[attestation]!;
  if (threshold === null) return 'The attestation states that drift is not monitored, so it has no effect.';
  if (driftReason(score, threshold) === null) return `It is below the threshold of ${threshold}.`;
  return `It is at or above the threshold of ${threshold}, which revokes the attestation for good.`;
}
