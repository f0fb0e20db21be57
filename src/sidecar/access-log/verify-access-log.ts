import { ENTRIES } from '../../../pipeline/sql/tables.ts';
import { type Entry, hashEntry, type Link } from './entry.ts';
import type { LogReader, LogStart } from './log-reader.ts';
import type { SignedHead } from './signed-heads.ts';

/** What can be wrong with a log. */
export const LOG_FAULTS = {
  edited: 'An entry does not match its hash.',
  removed: 'Entries are missing.',
  repeated: 'An entry has an unexpected number.',
  unlinked: 'An entry does not name the previous entry.',
  truncated: 'The log ends before the last acknowledged entry.',
  head_missing: 'The record of the last acknowledged entry is missing.',
  head_differs: 'The last acknowledged entry differs from the entry in the log.',
  head_unknown: 'No entry in the log has the hash that was kept elsewhere.',
  signed_head_differs: 'The log lacks an entry that was signed, or has another one in its place.',
  signed_head_invalid: 'A stored head is unreadable or not signed by a known key.',
} as const;

interface LogFinding {
  kind: keyof typeof LOG_FAULTS;
  /** A table of the log, or the note of a signed head. */
  file: string;
  /** The affected or expected entry; null for the whole log. */
  seq: number | null;
  expected: string;
  found: string;
}

export interface LogVerdict {
  /** In log order, at most MAX_FINDINGS. Empty if the log is intact. */
  faults: LogFinding[];
  /** Number of entries examined. */
  entries: number;
  /** The link before the first kept entry, and the removals by age; seq −1 if there were none. */
  beginning: LogStart;
  /** Keep it elsewhere: a later verification with it detects a completely rewritten log. */
  last: Link;
}

export interface VerifyOptions {
  /** The last hash that an earlier verification returned. */
  head?: string;
  /** The heads that were signed, read before. */
  signed?: readonly SignedHead[];
}

/** A ruined log needs no finding per entry. */
const MAX_FINDINGS = 1_000;

/**
 * Reads the whole log and verifies its chain. Servers may write and an operator may remove old entries meanwhile. Throws
 * store_failed if the log is unreadable as a whole, access_log_broken if the record of its start is.
 */
export async function verifyAccessLog(log: LogReader, options: VerifyOptions = {}): Promise<LogVerdict> {
  for (;;) {
    const beginning = await log.readStart();
    const verdict = { ...(await followChain(log, beginning, options)), beginning };
    // Entries removed during reading are legitimately missing.
    if ((await log.readStart()).seq === beginning.seq) return verdict;
  }
}

async function followChain(log: LogReader, beginning: LogStart, { head, signed = [] }: VerifyOptions) {
  // Read before the entries, so that it is not ahead of what is read of a growing log.
  const chain = new Chain(beginning, await log.readHead(), { head, signed });
  for await (const entries of log.entriesAfter(beginning.seq)) {
    for (const entry of entries) chain.follow(entry);
    if (chain.isFull) break;
  }
  return chain.end();
}

class Chain {
  readonly #faults: LogFinding[] = [];
  readonly #head: Link | null;
  readonly #outside: string | undefined;
  #outsideSeen = false;
  /** Signed heads that no entry was compared with yet, by seq. */
  readonly #signed: Map<number, (SignedHead & Link)[]>;
  #entries = 0;
  #last: Link;
  /** False after an entry with an unreliable hash: the next entry names the original hash. */
  #isLinkKnown = true;

  constructor(
    beginning: LogStart,
    head: Link | null,
    { head: outside, signed }: { head: string | undefined; signed: readonly SignedHead[] },
  ) {
    this.#last = { seq: beginning.seq, hash: beginning.hash };
    this.#head = head;
    this.#outside = outside;
    this.#outsideSeen = outside === beginning.hash;
    for (const one of signed)
      if ('fault' in one)
        this.#report('signed_head_invalid', null, one.fault.expected, one.fault.found, one.key);
    // What was removed by age can no longer be compared, except for its last entry.
    const valid = signed.filter((one): one is SignedHead & Link => 'seq' in one);
    this.#assertOnRecord(valid, beginning);
    const kept = valid.filter(({ seq }) => seq >= beginning.seq);
    this.#signed = Map.groupBy(kept, ({ seq }) => seq);
    this.#compareSigned(beginning);
  }

  get isFull(): boolean {
    return this.#faults.length >= MAX_FINDINGS;
  }

  follow(entry: Entry): void {
    if (this.isFull) return;
    this.#entries += 1;
    const next = this.#last.seq + 1;
    if (entry.seq < next) {
      this.#report('repeated', entry.seq, `entry ${next}`, `entry ${entry.seq}`);
      return;
    }
    if (entry.seq > next) this.#report('removed', next, `entry ${next}`, `entry ${entry.seq}`);
    else if (this.#isLinkKnown && entry.prev_hash !== this.#last.hash)
      this.#report('unlinked', entry.seq, this.#last.hash, String(entry.prev_hash));
    this.#checkHash(entry);
    this.#compareSigned(entry);
    this.#last = { seq: entry.seq, hash: entry.hash };
  }

  end(): Pick<LogVerdict, 'faults' | 'entries' | 'last'> {
    const [head, last] = [this.#head, this.#last];
    // If reading stopped early, the end of the log is unknown.
    if (this.isFull) return { faults: this.#faults, entries: this.#entries, last };
    if (!head) this.#report('head_missing', null, 'a record of the last entry', 'none', 'access_log_head');
    else if (head.seq > last.seq)
      this.#report(
        'truncated',
        head.seq,
        `entry ${head.seq} ${head.hash}`,
        `entry ${last.seq} as the last entry`,
      );
    for (const { key, seq, hash } of [...this.#signed.values()].flat())
      this.#report('signed_head_differs', seq, hash, 'no such entry', key);
    if (this.#outside !== undefined && !this.#outsideSeen)
      this.#report('head_unknown', null, this.#outside, 'no entry with this hash');
    return { faults: this.#faults, entries: this.#entries, last };
  }

  #checkHash(entry: Entry): void {
    const hash = hashOf(entry);
    this.#isLinkKnown = hash === entry.hash;
    if (!this.#isLinkKnown) this.#report('edited', entry.seq, hash, String(entry.hash));
    if (this.#isLinkKnown && hash === this.#outside) this.#outsideSeen = true;
    if (this.#head?.seq === entry.seq && this.#head.hash !== entry.hash)
      this.#report('head_differs', entry.seq, this.#head.hash, String(entry.hash));
  }

  /** Whoever controls the database could say that the log begins later. Where heads are signed, each removal is on record. */
  #assertOnRecord(signed: readonly (SignedHead & Link)[], { seq: start, removals }: LogStart): void {
    const isOnRecord = (seq: number) => removals.some(({ first, last }) => first <= seq && seq <= last);
    const lost = signed.filter(({ seq }) => seq <= start && !isOnRecord(seq));
    for (const { seq, key } of lost)
      this.#report(
        'removed',
        seq,
        `entry ${seq}, which was signed, or a record of its removal`,
        'neither',
        key,
      );
  }

  #compareSigned({ seq, hash }: Link): void {
    for (const signed of this.#signed.get(seq) ?? [])
      if (signed.hash !== hash)
        this.#report('signed_head_differs', seq, signed.hash, String(hash), signed.key);
    this.#signed.delete(seq);
  }

  #report(
    kind: LogFinding['kind'],
    seq: number | null,
    expected: string,
    found: string,
    file: string = ENTRIES.name,
  ): void {
    this.#faults.push({ kind, file, seq, expected, found });
  }
}

/** A value that no writer stores has no canonical form. */
function hashOf(entry: Entry): string {
  try {
    return hashEntry(entry);
  } catch {
    return 'an entry with a canonical form';
  }
}
