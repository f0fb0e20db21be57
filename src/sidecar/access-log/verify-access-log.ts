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

async function followChain(
  log: LogReader,
  beginning: LogStart,
  { head: outside, signed = [] }: VerifyOptions,
) {
  const faults: LogFinding[] = [];
  const report = (
    kind: LogFinding['kind'],
    seq: number | null,
    expected: string,
    found: string,
    file: string = ENTRIES.name,
  ) => void faults.push({ kind, file, seq, expected, found });
  // Read before the entries, so that it is not ahead of what is read of a growing log.
  const head = await log.readHead();
  /** Signed heads that no entry was compared with yet, by seq. */
  const unseen = Map.groupBy(keptHeads(signed, beginning, report), ({ seq }) => seq);
  const compareSigned = ({ seq, hash }: Link) => {
    for (const one of unseen.get(seq) ?? [])
      if (one.hash !== hash) report('signed_head_differs', seq, one.hash, String(hash), one.key);
    unseen.delete(seq);
  };
  compareSigned(beginning);
  let isOutsideSeen = outside === undefined || outside === beginning.hash;
  let last: Link = { seq: beginning.seq, hash: beginning.hash };
  /** False after an entry with an unreliable hash: the next entry names the original hash. */
  let isLinkKnown = true;
  let entries = 0;
  const follow = (entry: Entry) => {
    const { seq } = entry;
    const next = last.seq + 1;
    entries += 1;
    if (seq < next) return report('repeated', seq, `entry ${next}`, `entry ${seq}`);
    if (seq > next) report('removed', next, `entry ${next}`, `entry ${seq}`);
    else if (isLinkKnown && entry.prev_hash !== last.hash)
      report('unlinked', seq, last.hash, String(entry.prev_hash));
    const hash = hashOf(entry);
    isLinkKnown = hash === entry.hash;
    if (!isLinkKnown) report('edited', seq, hash, String(entry.hash));
    else if (hash === outside) isOutsideSeen = true;
    if (head?.seq === seq && head.hash !== entry.hash)
      report('head_differs', seq, head.hash, String(entry.hash));
    compareSigned(entry);
    last = { seq, hash: entry.hash };
  };
  for await (const some of log.entriesAfter(beginning.seq))
    for (const entry of some) {
      follow(entry);
      // The end of the log is unknown then.
      if (faults.length >= MAX_FINDINGS) return { faults, entries, last };
    }
  if (!head) report('head_missing', null, 'a record of the last entry', 'none', 'access_log_head');
  else if (head.seq > last.seq)
    report('truncated', head.seq, `entry ${head.seq} ${head.hash}`, `entry ${last.seq} as the last entry`);
  for (const { key, seq, hash } of [...unseen.values()].flat())
    report('signed_head_differs', seq, hash, 'no such entry', key);
  if (!isOutsideSeen) report('head_unknown', null, outside!, 'no entry with this hash');
  return { faults, entries, last };
}

/**
 * The signed heads that entries can be compared with: of what was removed by age, that of the last entry. Whoever controls the database could say
 * that the log begins later, so where heads are signed, each removal has to be on record.
 */
function keptHeads(
  signed: readonly SignedHead[],
  { seq: start, removals }: LogStart,
  report: (
    kind: LogFinding['kind'],
    seq: number | null,
    expected: string,
    found: string,
    file: string,
  ) => void,
): (SignedHead & Link)[] {
  return signed.flatMap((one) => {
    if ('fault' in one) {
      report('signed_head_invalid', null, one.fault.expected, one.fault.found, one.key);
      return [];
    }
    const { seq, key } = one;
    if (seq <= start && !removals.some(({ first, last }) => first <= seq && seq <= last))
      report('removed', seq, `entry ${seq}, which was signed, or a record of its removal`, 'neither', key);
    return seq >= start ? [one] : [];
  });
}

/** A value that no writer stores has no canonical form. */
function hashOf(entry: Entry): string {
  try {
    return hashEntry(entry);
  } catch {
    return 'an entry with a canonical form';
  }
}
