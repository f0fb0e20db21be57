import { type Entry, hashEntry, type Link } from './entry.ts';
import { openLogFiles, readEntries } from './log-files.ts';
import { type LogStart, readHead, readLogStart } from './records.ts';

/** What can be wrong with a log. */
export const LOG_FAULTS = {
  edited: 'An entry is not the one that its hash was made from.',
  removed: 'Entries are missing.',
  repeated: 'An entry stands where another one should be.',
  unlinked: 'An entry does not name the entry before it.',
  truncated: 'The log ends before the entry that was acknowledged last.',
  head_missing: 'There is no readable record of the entry that was acknowledged last.',
  head_differs: 'The entry that was acknowledged last is another one in the log.',
  head_unknown: 'The hash that was kept elsewhere is of no entry in the log.',
  unreadable: 'A file is not a readable part of the log.',
} as const;

export interface LogFinding {
  kind: keyof typeof LOG_FAULTS;
  /** A file name in the log's folder. */
  file: string;
  /** The entry that is concerned, or where it should be; null for a whole file. */
  seq: number | null;
  expected: string;
  found: string;
}

export interface LogVerdict {
  /** In the order in which they stand in the log; no more than MAX_FAULTS. Empty: the log is whole. */
  faults: LogFinding[];
  /** How many entries were looked at. */
  entries: number;
  /** The entry before the first one that is kept, and what was removed by age; seq −1 where nothing was. */
  beginning: LogStart;
  /** To be kept elsewhere: with it a later verification notices that the whole log was written anew. */
  last: Link;
}

export interface VerifyOptions {
  /** A hash that an earlier verification gave as the last. */
  head?: string;
}

/** A log in ruins need not be described to the last entry. */
export const MAX_FAULTS = 1_000;

/**
 * Reads the whole log and follows its chain. It may be written meanwhile, and entries removed by age.
 * Throws store_failed where the folder cannot be read, access_log_broken where the record of its beginning cannot.
 */
export function verifyAccessLog(dir: string, options: VerifyOptions = {}): LogVerdict {
  for (;;) {
    const beginning = readLogStart(dir);
    const verdict = { ...followChain(dir, beginning, options), beginning };
    // What was removed while it was read is missing by right.
    if (readLogStart(dir).seq === beginning.seq) return verdict;
  }
}

function followChain(dir: string, beginning: LogStart, { head }: VerifyOptions) {
  const chain = new Chain(beginning, readHeadOrFault(dir), head);
  for (const file of openLogFiles(dir)) {
    if ('error' in file) chain.miss(file.name, file.error);
    else readInto(chain, file, beginning.seq);
    if (chain.isFull) break;
  }
  return chain.end();
}

function readInto(chain: Chain, file: Parameters<typeof readEntries>[0], after: number): void {
  try {
    for (const entries of readEntries(file, after))
      for (const entry of entries) {
        if (chain.isFull) return;
        chain.follow(entry, file.name);
      }
  } catch (error) {
    chain.miss(file.name, error);
  }
}

type Head = Link | LogFinding;

/** Read before the entries, so that it is not ahead of what is read of a log that grows. */
function readHeadOrFault(dir: string): Head {
  const fault = (found: string): LogFinding => ({
    kind: 'head_missing',
    file: 'head',
    seq: null,
    expected: '<seq> <hash>',
    found,
  });
  try {
    return readHead(dir) ?? fault('no file');
  } catch (error) {
    return fault((error as { found?: string }).found ?? String(error));
  }
}

class Chain {
  readonly #faults: LogFinding[] = [];
  readonly #head: Head;
  readonly #outside: string | undefined;
  #outsideSeen = false;
  #entries = 0;
  #last: Link;
  /** False after an entry whose hash cannot be relied on: the next one names the hash that it had. */
  #isLinkKnown = true;
  #file = '';

  constructor(beginning: Link, head: Head, outside: string | undefined) {
    this.#last = { seq: beginning.seq, hash: beginning.hash };
    this.#head = head;
    this.#outside = outside;
    this.#outsideSeen = outside === beginning.hash;
  }

  get isFull(): boolean {
    return this.#faults.length >= MAX_FAULTS;
  }

  follow(entry: Entry, file: string): void {
    this.#file = file;
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
    this.#last = { seq: entry.seq, hash: entry.hash };
  }

  /** A file that cannot be read; what follows is looked at as it comes. */
  miss(file: string, error: unknown): void {
    this.#file = file;
    this.#report(
      'unreadable',
      null,
      'a file of the log',
      error instanceof Error ? error.message : String(error),
    );
  }

  end(): Pick<LogVerdict, 'faults' | 'entries' | 'last'> {
    const [head, last] = [this.#head, this.#last];
    // Where reading was given up, the end was not seen.
    if (this.isFull) return { faults: this.#faults, entries: this.#entries, last };
    if ('kind' in head) this.#faults.push(head);
    else if (head.seq > last.seq)
      this.#report('truncated', head.seq, `entry ${head.seq} ${head.hash}`, `entry ${last.seq} as the last`);
    if (this.#outside !== undefined && !this.#outsideSeen)
      this.#report('head_unknown', null, this.#outside, 'no entry with this hash');
    return { faults: this.#faults, entries: this.#entries, last };
  }

  #checkHash(entry: Entry): void {
    const hash = hashOf(entry);
    this.#isLinkKnown = hash === entry.hash;
    if (!this.#isLinkKnown) this.#report('edited', entry.seq, hash, String(entry.hash));
    if (this.#isLinkKnown && hash === this.#outside) this.#outsideSeen = true;
    if ('hash' in this.#head && this.#head.seq === entry.seq && this.#head.hash !== entry.hash)
      this.#report('head_differs', entry.seq, this.#head.hash, String(entry.hash));
  }

  #report(kind: LogFinding['kind'], seq: number | null, expected: string, found: string): void {
    this.#faults.push({ kind, file: this.#file, seq, expected, found });
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
