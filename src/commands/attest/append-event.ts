import { type Flag, text } from '../../../pipeline/config/setting.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { applyCompanionEvent, type CompanionEvent } from '../../../pipeline/model/companions.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { SWITCH } from '../command.ts';
import { type LedgerRead, readLedger } from './ledger.ts';
import { moment } from './verify.ts';

/**
 * How far the clock may be ahead of the ledger. From an event on, its time is the time of the ledger for every verifier: an event dated
 * next year would expire all attestations.
 */
const MAX_AHEAD_MS = DAY_MS;

/** How long to wait for another writer. The writer of a demo ledger holds the lock as long as it runs. */
const WAIT_MS = 5000;

export const agent = {
  flag: 'agent',
  default: 'REGISTRY',
  unit: 'a name',
  description: 'Who reports it: the agent of the event.',
  schema: text,
} as const satisfies Flag;

/** The time of the event, by a flag that says what happens then. */
export function timeFlag(flag: string, what: string) {
  return {
    flag,
    default: null,
    unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
    description: `The time of ${what}. Without it, that of the clock or of the last event, whichever is later. It is required if the clock is more than a day ahead of the ledger, because one event with a wrong time expires all attestations.`,
    schema: moment,
  } as const satisfies Flag;
}

export const dryRun = {
  flag: 'dry-run',
  description: 'Checks everything and prints the result, but writes nothing.',
  ...SWITCH,
} as const satisfies Flag;

export interface Appending {
  /** `attest revoke` */
  command: string;
  local: LocalLedger;
  agent: string;
  /** The clock, ms since 1970. */
  now: number;
  /** The time of the event, ms since 1970, and its flag; null: that of the clock. */
  at: number | null;
  atFlag: string;
  dryRun: boolean;
}

type Body<T extends CompanionEvent['type']> = Pick<Extract<CompanionEvent, { type: T }>, 'type' | 'data'>;

export interface AppendedEvent<T extends CompanionEvent['type']> {
  event: Extract<CompanionEvent, { type: T }>;
  /** The ledger with the event. */
  ledger: LedgerRead;
}

/**
 * Appends an event about an attestation to the head of a ledger. `bodyOf` makes it from the ledger, which nobody else writes meanwhile, and
 * may refuse. Throws what it throws; config_invalid for a time before that of the ledger, and for a clock more than a day ahead; attestation_refused for an event that the fold would raise a finding about; locked if another process writes
 * the ledger; and what reading and appending throw.
 */
export async function appendCompanionEvent<T extends CompanionEvent['type']>(
  options: Appending,
  bodyOf: (ledger: LedgerRead) => Body<T> & { agent?: string },
): Promise<AppendedEvent<T>> {
  const { command, local, agent, now, dryRun } = options;
  const writer = await LedgerWriter.open(local.ledger, {
    verifiers: local.verifiers,
    now: () => now,
    waitMs: WAIT_MS,
    holder: `${command}, process ${process.pid}`,
  });
  try {
    const ledger = await readLedger(local);
    const draft = { agent, ...bodyOf(ledger), ...timeOf(writer.notBefore, options) };
    const check = (event: LedgerEvent) => assertNoFinding(ledger, event);
    const { last } = await writer.append([draft], { check, dryRun });
    return { event: last as Extract<CompanionEvent, { type: T }>, ledger };
  } finally {
    writer.close();
  }
}

/** Applies the event to the state, as every reader will. */
function assertNoFinding({ state }: LedgerRead, event: LedgerEvent): void {
  const [finding] = applyCompanionEvent(state, event as CompanionEvent);
  state.asOf = event.timestamp;
  if (finding === undefined) return;
  const fault = { place: `event ${event.seq}`, expected: 'an event that agrees with the ledger' };
  throw new CathedralError('attestation_refused', { ...fault, found: finding });
}

/** Nothing without a flag: the writer then takes the time of the clock, or of the ledger if that is later. */
function timeOf(notBefore: string | null, { now, at, atFlag }: Appending): { timestamp?: string } {
  const refused = (expected: string, time: number) =>
    new CathedralError('config_invalid', { place: atFlag, expected, found: formatTimestamp(time) });
  if (at === null) {
    if (notBefore !== null && now - Date.parse(notBefore) > MAX_AHEAD_MS)
      throw refused(
        `a time, because the clock is more than a day ahead of the last event, ${notBefore}`,
        now,
      );
    return {};
  }
  const timestamp = formatTimestamp(at);
  if (notBefore !== null && compareTimestamps(timestamp, notBefore) < 0)
    throw refused(`the time of the last event, ${notBefore}, or later`, at);
  return { timestamp };
}
