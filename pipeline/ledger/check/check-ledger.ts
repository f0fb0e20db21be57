import { readFile } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS, warningsOf } from '../events/draft.ts';
import { isKnownType, type LedgerEvent } from '../events/event.ts';
import { LookAlikes } from '../events/look-alikes.ts';
import { nextSlotId, slotId, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import type { Leaf } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';
import { readClaims, type Verifier } from '../notes/note.ts';
import { openDirectory, type Slot } from '../reading/directory.ts';
import { readHeadEnds } from '../reading/head.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import { readLedger } from '../reading/read-ledger.ts';
import type { LedgerFindings } from './findings.ts';
import { listSlots, UNFINISHED } from './ledger-folder.ts';

/** What a check found out about a ledger, beside its findings; as `--json` prints it. */
export interface LedgerFacts {
  /** Ids of the ledger snapshots. */
  snapshots: { count: number; first: string | null; last: string | null };
  /** Events read, in the snapshots and in the head. */
  events: { sealed: number; head: number };
  /** Root hash over all sealed events; null if an error made it impossible to compute. */
  root_hash: string | null;
  /** Time of the newest event that was read. */
  as_of: string | null;
  /** Who signed the checkpoints. */
  keys: KeyUse[];
  /** Events of types that the fold ignores, by type. */
  ignored_events: Record<string, number>;
  /** How many events were read before the first that is unreadable or missing, where reading ended; null: all were read. */
  folded_until: number | null;
}

export interface KeyUse {
  /** `name+id` */
  key: string;
  /** Whether readers accept it. */
  is_known: boolean;
  /** Checkpoints that it signed, and the ids of the first and the last. */
  checkpoints: number;
  first: string | null;
  last: string | null;
}

interface Options {
  verifiers: readonly Verifier[];
  findings: LedgerFindings;
  /** The clock, Unix ms. */
  now: number;
}

/** A ledger can have any number of types that the fold ignores. */
const MAX_TYPES = 1000;
const LINE_END = 0x0a;

/**
 * Checks a ledger's folder, the signature of each checkpoint, and then all events with the readers that a run uses, up to their first error. Yields
 * the events for the fold. Throws `ledger_unreadable` for a folder that is not a ledger; everything else becomes a finding.
 */
export async function* checkLedger(path: string, options: Options): AsyncGenerator<Leaf[], LedgerFacts> {
  const { verifiers, findings, now } = options;
  const slots = await listSlots(path, findings, now);
  const keys = checkSignatures(slots, options);
  const see = eventWarnings(findings, now);
  const events = { sealed: 0, head: 0 };
  const ignored = new Map<string, number>();
  let last: LedgerEvent | null = null;
  let root: string | null = null;
  try {
    const parts = readLedger({ ledger: path, verifiers });
    let step = await parts.next();
    for (; !step.done; step = await parts.next()) {
      const { leaves, snapshot } = step.value;
      for (const { event } of leaves) {
        const { type } = event;
        if (!isKnownType(type) && (ignored.has(type) || ignored.size < MAX_TYPES))
          ignored.set(type, (ignored.get(type) ?? 0) + 1);
        see(event, snapshot);
      }
      events[snapshot === null ? 'head' : 'sealed'] += leaves.length;
      last = leaves.at(-1)!.event;
      yield leaves;
    }
    root = CompactRange.resume(step.value.size, step.value.range).root();
    await checkHead(path, step.value.size, findings);
  } catch (cause) {
    report(cause, findings);
  }
  return {
    snapshots: { count: slots.length, first: slots[0]?.id ?? null, last: slots.at(-1)?.id ?? null },
    events,
    root_hash: root,
    as_of: last?.timestamp ?? null,
    keys,
    ignored_events: Object.fromEntries(ignored),
    folded_until: root === null ? events.sealed + events.head : null,
  };
}

/** Who signed the checkpoints, the keys of readers first. */
function checkSignatures(slots: readonly Slot[], { verifiers, findings }: Options): KeyUse[] {
  const keys = new Map<string, KeyUse>();
  const useOf = (key: string, is_known: boolean) =>
    keys.getOrInsertComputed(key, () => ({ key, is_known, checkpoints: 0, first: null, last: null }));
  for (const verifier of verifiers) useOf(nameOf(verifier), true);
  let origin: string | null = null;
  for (const slot of slots) {
    if (slot.missing === 'checkpoint') continue;
    try {
      const { checkpoint, note } = readCheckpoint(slot, verifiers);
      const { claims, unknown } = readClaims(note, verifiers, slot.id);
      for (const key of new Set([...claims.map(({ verifier }) => nameOf(verifier)), ...unknown])) {
        const use = useOf(key, false);
        use.checkpoints += 1;
        use.first ??= slot.id;
        use.last = slot.id;
      }
      if (origin !== null && checkpoint.origin !== origin) {
        const change = `The log origin changes from ${origin} to ${checkpoint.origin}.`;
        findings.warn('origin', `snapshots/${slot.id}.checkpoint`, change);
      }
      origin = checkpoint.origin;
    } catch (cause) {
      report(cause, findings);
    }
  }
  return [...keys.values()];
}

/** Warns about an event of a ledger snapshot, or of the head (null). */
function eventWarnings(findings: LedgerFindings, now: number) {
  /** Events of the head before this time belong to a finished slot, and events after the other one are later than any clock. */
  const [finished, latest] = [slotTimestamp(slotId(now)), new Date(now + MAX_AHEAD_MS).toISOString()];
  const names = new LookAlikes();
  return (event: LedgerEvent, snapshot: string | null): void => {
    const { seq, timestamp } = event;
    const warn = (kind: Parameters<LedgerFindings['warn']>[0], message: string, key?: string) =>
      findings.warn(kind, `event ${seq}`, message, key);
    for (const { kind, expected, found } of [...warningsOf(event), ...names.of(event, `event ${seq}`)])
      warn(kind, `expected ${expected}, found ${found}`, `${expected} ${found}`);
    if (compareTimestamps(timestamp, latest) > 0)
      warn('clock', `Its time, ${timestamp}, is later than the clock.`, 'events');
    if (snapshot !== null && compareTimestamps(timestamp, slotTimestamp(snapshot)) >= 0)
      warn('slot', `Its time, ${timestamp}, is not before the end of its slot, ${snapshot}.`, snapshot);
    if (snapshot === null && compareTimestamps(timestamp, finished) < 0) {
      const end = nextSlotId(slotId(Date.parse(timestamp)));
      warn('unsealed', `It is in the head, although its slot ended at ${end}: cathedral ledger seal`, end);
    }
  };
}

/** What a writer or a sealer that was killed leaves in a head that can be read. `sealed`: number of events in the snapshots. */
async function checkHead(ledger: string, sealed: number, findings: LedgerFindings): Promise<void> {
  const directory = openDirectory(ledger);
  const ends = await readHeadEnds(directory);
  if (ends && ends.first.seq < sealed) {
    const message = `Event ${ends.first.seq} is in a snapshot already. The next writer removes it from the head.`;
    findings.warn('unfinished', 'head.ndjson:1', message);
  }
  const end = (await readFile(directory.head).catch(() => null))?.at(-1);
  if (end !== undefined && end !== LINE_END)
    findings.warn('unfinished', 'head.ndjson', `The last line is incomplete. ${UNFINISHED}`);
}

function report(cause: unknown, findings: LedgerFindings): void {
  if (!(cause instanceof CathedralError)) throw cause;
  findings.error(cause);
}

function nameOf({ name, id }: Verifier): string {
  return `${name}+${id}`;
}
