import { attestationUuid } from '../attestation/canonical-bytes.ts';
import { parseAttestation } from '../attestation/parse-attestation.ts';
import { formatProblem } from '../attestation/problem.ts';
import { registrationOf } from '../attestation/registration.ts';
import {
  driftReason,
  isAttestationId,
  lookUpStatus,
  REGISTRY_RETENTION_DAYS,
} from '../attestation/registry.ts';
import { type Verdict, verifyAttestation } from '../attestation/verify-attestation.ts';
import { CathedralError, errorOf } from '../errors.ts';
import { type EventOf, type LedgerEvent, MAX_LINE_BYTES } from '../ledger/events/event.ts';
import { compareTimestamps } from '../ledger/events/timestamp.ts';
import type { LedgerPosition } from '../ledger/log/leaf.ts';
import { readLedger } from '../ledger/reading/read-ledger.ts';
import { LedgerWriter } from '../ledger/writing/ledger-writer.ts';
import type { LocalLedger } from '../sources/own-ledger.ts';
import { DAY_MS } from '../words/day.ts';
import { formatTimestamp } from '../words/moment.ts';
import { printable } from '../words/printable.ts';
import { applyCompanionEvent, type CompanionEvent, isCompanionEvent, registryOfState } from './companions.ts';
import { emptyState } from './empty-state.ts';
import { apply } from './fold.ts';
import type { State } from './state.ts';

const refused = errorOf('attestation_refused');

/** What a ledger says about attestations. */
export interface CompanionLedger {
  /** The state that a service that follows this ledger answers from. */
  state: State;
  /** The events that revoked an attestation, oldest first. */
  revocations: EventOf<'companion_revoked'>[];
  /** The end of the last ledger snapshot. */
  sealed: LedgerPosition;
  /** The newest event of the ledger; null if it is empty. */
  last: LedgerEvent | null;
}

/**
 * Reads and verifies a whole ledger, and folds all of its events, or those up to `until`, ms. Throws what reading a ledger throws.
 */
export async function readCompanionLedger(
  local: LocalLedger,
  until: number | null = null,
): Promise<CompanionLedger> {
  let state = emptyState();
  let last: LedgerEvent | null = null;
  const revocations: EventOf<'companion_revoked'>[] = [];
  const batches = readLedger(local);
  for (;;) {
    const batch = await batches.next();
    if (batch.done) return { state, revocations, sealed: batch.value, last };
    for (const leaf of batch.value.leaves) {
      const { event } = leaf;
      last = event;
      if (until !== null && Date.parse(event.timestamp) > until) continue;
      state = apply(state, leaf);
      if (isCompanionEvent(event) && event.type === 'companion_revoked') revocations.push(event);
    }
  }
}

/**
 * The registry's entry for an id or a UUID, as of `clock`, ms, or of the newest event if that is later, and who revoked it. Throws
 * attestation_refused if the ledger has neither the attestation nor a revocation of it.
 */
export function lookUp(ledger: CompanionLedger, name: string, clock: number) {
  const registry = registryOfState(ledger.state);
  const found = lookUpStatus(name, registry, clock);
  if (found) return { ...found, ended_by: revokerOf(ledger, found) };
  const scored = registry.unattested(name.toLowerCase()).find(({ drift }) => drift !== null);
  const score = scored ? `, for which it only has a drift score of ${scored.drift}` : '';
  throw new CathedralError('attestation_refused', {
    place: '--attestation',
    expected: `the id or UUID of an attestation in the ledger that ended at most ${REGISTRY_RETENTION_DAYS} days ago`,
    found: `${JSON.stringify(name)}${score}`,
  });
}

/** The agent of the event that ended it; null if it has not ended, or ended because of its drift, without anybody acting. */
function revokerOf(
  { revocations }: CompanionLedger,
  { uuid, ended_at }: { uuid: string; ended_at: string | null },
): string | null {
  const event = revocations.find(({ timestamp, data }) => {
    const name = data.attestation.toLowerCase();
    return timestamp === ended_at && (isAttestationId(name) ? attestationUuid(name) : name) === uuid;
  });
  return event?.agent ?? null;
}

/** For people: one member per line. */
export function formatStatus(described: ReturnType<typeof lookUp>): string[] {
  const { registered: _, ...members } = described;
  const note = earlyNote(described);
  return Object.entries(note === null ? members : { ...members, note })
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      printable(`${name.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : value}`),
    );
}

/** Null unless it was revoked before it was attested. */
function earlyNote(described: ReturnType<typeof lookUp>): string | null {
  if (!described.registered)
    return 'It was revoked before it was attested: the ledger does not have the attestation yet.';
  const { status, ended_at, attested_at } = described;
  const isEarly = status === 'revoked' && compareTimestamps(ended_at!, attested_at) < 0;
  return isEarly ? 'It was revoked before it was attested.' : null;
}

/**
 * How far the clock may be ahead of the ledger. From an event on, its time is the time of the ledger for every verifier: an event dated
 * next year would expire all attestations.
 */
const MAX_AHEAD_MS = DAY_MS;

/** How long to wait for another writer. The writer of a demo ledger holds the lock as long as it runs. */
const WAIT_MS = 5000;

export interface Appending {
  /** `attest revoke` */
  command: string;
  local: LocalLedger;
  /** The clock, ms since 1970. */
  now: number;
  /** The time of the event, ms since 1970, and its flag; null: that of the clock. */
  at: number | null;
  atFlag: string;
  dryRun: boolean;
}

type Body<T extends CompanionEvent['type']> = Pick<Extract<CompanionEvent, { type: T }>, 'type' | 'data'> & {
  agent: string;
};

export interface AppendedEvent<T extends CompanionEvent['type']> {
  event: Extract<CompanionEvent, { type: T }>;
  /** The ledger with the event. */
  ledger: CompanionLedger;
}

/**
 * Appends an event about an attestation to the head of a ledger. `bodyOf` makes it from the ledger, which nobody else writes meanwhile, and
 * may refuse; `clock` is the later one of the clock and the time of the event. Throws what it throws; config_invalid for a time before that of
 * the ledger, and for a clock more than a day ahead; attestation_refused for an event that the fold would raise a finding about; locked if
 * another process writes the ledger; and what reading and appending throw.
 */
export async function appendCompanionEvent<T extends CompanionEvent['type']>(
  appending: Appending,
  bodyOf: (ledger: CompanionLedger, clock: number) => Body<T>,
): Promise<AppendedEvent<T>> {
  const { command, local, now, at, dryRun } = appending;
  using writer = await LedgerWriter.open(local.ledger, {
    verifiers: local.verifiers,
    now: () => now,
    waitMs: WAIT_MS,
    holder: `${command}, process ${process.pid}`,
    dryRun,
  });
  const ledger = await readCompanionLedger(local);
  const draft = { ...bodyOf(ledger, Math.max(now, at ?? now)), ...timeOf(writer.notBefore, appending) };
  const check = (event: LedgerEvent) => assertNoFinding(ledger, event);
  const { last } = await writer.append([draft], { check });
  return { event: last as Extract<CompanionEvent, { type: T }>, ledger };
}

/** Applies the event to the state, as every reader will. */
function assertNoFinding({ state }: CompanionLedger, event: LedgerEvent): void {
  const [finding] = applyCompanionEvent(state, event as CompanionEvent);
  state.asOf = event.timestamp;
  if (finding === undefined) return;
  throw refused(`event ${event.seq}`, 'an event that agrees with the ledger', finding);
}

/** Nothing without a flag: the writer then takes the time of the clock, or of the ledger if that is later. */
function timeOf(notBefore: string | null, { now, at, atFlag }: Appending): { timestamp?: string } {
  const wrongTime = (expected: string, time: number) =>
    new CathedralError('config_invalid', { place: atFlag, expected, found: formatTimestamp(time) });
  if (at === null) {
    if (notBefore !== null && now - Date.parse(notBefore) > MAX_AHEAD_MS)
      throw wrongTime(
        `a time, because the clock is more than a day ahead of the last event, ${notBefore}`,
        now,
      );
    return {};
  }
  const timestamp = formatTimestamp(at);
  if (notBefore !== null && compareTimestamps(timestamp, notBefore) < 0)
    throw wrongTime(`the time of the last event, ${notBefore}, or later`, at);
  return { timestamp };
}

/** The id that a revocation names it by. Throws attestation_refused for one that is unknown or revoked. */
export function revocableId(ledger: CompanionLedger, name: string, clock: number): string {
  const found = lookUp(ledger, name, clock);
  if (found.registered && found.status !== 'revoked') return found.id;
  const by = found.ended_by === null ? '' : ` by ${found.ended_by}`;
  const early = found.registered ? '' : ', before it was attested';
  throw refused(
    found.id ?? found.uuid,
    'an attestation that is not revoked',
    `one that was revoked at ${found.ended_at}${by}${early}: ${found.reason}`,
  );
}

/** The id that a score names it by. Throws attestation_refused for one that is unknown or has ended: a score would change nothing. */
export function scorableId(ledger: CompanionLedger, name: string, clock: number): string {
  const found = lookUp(ledger, name, clock);
  if (found.status === 'active') return found.id;
  const end = found.status === 'expired' ? found.expires_at : found.ended_at;
  throw refused(
    found.id ?? found.uuid,
    'an active attestation',
    `one that is ${found.status} since ${end}, on which a drift score has no effect`,
  );
}

/** What a score means, in a sentence. */
export function effectOf(
  { state }: CompanionLedger,
  { attestation, score }: { attestation: string; score: number },
): string {
  const { drift_threshold: threshold } = state.companions[attestation]!;
  if (threshold === null) return 'The attestation states that drift is not monitored, so it has no effect.';
  if (driftReason(score, threshold) === null) return `It is below the threshold of ${threshold}.`;
  return `It is at or above the threshold of ${threshold}, which revokes the attestation for good.`;
}

/** What an event has beside the document, at most. */
const ENVELOPE_BYTES = 4096;

interface Registering extends Pick<Parameters<typeof verifyAttestation>[1], 'companions'> {
  /** What the document is called. */
  place: string;
  withoutDocument: boolean;
}

/**
 * The data of the event that registers a document, its companion, and what a verifier would warn of. Throws attestation_refused unless the
 * document is valid and not in the ledger yet.
 */
export function registrationIn(
  { state }: CompanionLedger,
  input: Uint8Array,
  { place, companions, withoutDocument }: Registering,
  clock: number,
): { data: EventOf<'companion_attested'>['data']; companion: string; notes: string[] } {
  const verdict = verifyAttestation(input, { companions, registry: registryOfState(state), now: clock });
  assertRegistrable(verdict, place);
  const notes = notesOf(verdict);
  const parsed = parseAttestation(input);
  if ('problems' in parsed) throw new Error('a valid document can be parsed');
  const { document, attestation } = parsed;
  const bytes = Buffer.byteLength(JSON.stringify(document));
  const fits = bytes + ENVELOPE_BYTES + JSON.stringify(attestation.scope).length <= MAX_LINE_BYTES;
  if (!fits && !withoutDocument)
    notes.push('The document is too long for a line of the ledger, so the event does not contain it.');
  const kept = fits && !withoutDocument ? document : null;
  return {
    data: registrationOf(verdict.id!, attestation, kept),
    companion: attestation.attested_by,
    notes,
  };
}

function assertRegistrable({ valid, problems, checks }: Verdict, place: string): void {
  if (!valid) {
    throw refused(place, 'an attestation that verifies', problems.map(formatProblem).join(' '));
  }
  const { result, detail } = checks.find(({ name }) => name === 'registration')!;
  if (result === 'passed')
    throw refused(place, 'an attestation that is not registered yet', `one that is: ${detail}`);
}

/** What a verifier would warn of, except that it is not registered. */
function notesOf({ warnings, checks }: Verdict): string[] {
  const unchecked = checks.filter(({ result }) => result === 'not_checked');
  return [
    ...warnings.filter(({ code }) => code !== 'not_registered').map(formatProblem),
    ...unchecked.map(({ name, detail }) => `Not checked: ${name}. ${detail}`),
  ];
}
