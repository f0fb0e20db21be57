import {
  LIST_PATH,
  LONGEST_INDEX,
  parseSnapshotIndex,
  type SnapshotEntry,
} from '../../release/format/snapshot-index.ts';
import { type Around, snapshotsAround } from '../../release/format/version-at.ts';
import { mismatchError } from '../findings.ts';
import type { Origin } from '../origin.ts';

/** How much of the list one request reads: some twenty entries. */
const PIECE = 8192;
/** So much more, since the last entry of a piece ends in the next one. An entry with every history elsewhere has 2 kB. */
const OVERLAP = 4096;
/** An entry as `formatSnapshotIndex` writes it. */
const ENTRY_BEGIN = '\n {\n';
const ENTRY_END = '\n }';
/** The list grows at its front; who is reading it then begins again. */
const ATTEMPTS = 4;

/**
 * The snapshot list of a host, read by parts: fifty years of snapshots are some 700 kB, and one that keeps every snapshot is longer. A
 * search in it takes as many requests as halvings. Nothing here is verified: what an entry names is, against its signed manifest.
 */
export class ListedSnapshots {
  readonly #origin: Origin;
  readonly #pieces = new Map<number, Promise<SnapshotEntry[]>>();
  /** Length of the list in bytes; null before the first request. */
  #total: number | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** The newest ones, newest first. Throws mirror_mismatch, release_invalid and mirror_unreachable. */
  newest(most: number): Promise<SnapshotEntry[]> {
    return this.#steadily(() => this.#from(0, most));
  }

  /** Those before a snapshot, newest first. Throws like `newest`. */
  before(id: string, most: number): Promise<SnapshotEntry[]> {
    return this.#steadily(async () => this.#from(await this.#pieceOf(id), most, id));
  }

  /** The one before and the one after, undefined where there is none. Throws like `newest`. */
  neighbours(id: string): Promise<[before: SnapshotEntry | undefined, after: SnapshotEntry | undefined]> {
    return this.#steadily(async () => {
      const around = await this.#around(id);
      return [around.find((one) => one.id < id), around.findLast((one) => one.id > id)];
    });
  }

  /** Those around a slot. Throws like `newest`. */
  at(slot: string): Promise<Around<SnapshotEntry>> {
    return this.#steadily(async () => snapshotsAround(await this.#around(slot), slot));
  }

  /** The newest and the oldest; null for an empty list. Throws like `newest`. */
  ends(): Promise<{ newest: SnapshotEntry; oldest: SnapshotEntry } | null> {
    return this.#steadily(async () => {
      const [newest] = await this.#piece(0);
      if (!newest) return null;
      const last = await this.#from(Math.max(0, this.#last() - 1), Number.POSITIVE_INFINITY);
      return { newest, oldest: last.at(-1) ?? newest };
    });
  }

  /** The entries of the piece in which this id is, and of those on both sides. */
  async #around(id: string): Promise<SnapshotEntry[]> {
    const at = await this.#pieceOf(id);
    const pieces = [at - 1, at, at + 1].filter((piece) => piece >= 0 && piece <= this.#last());
    return (await Promise.all(pieces.map((piece) => this.#piece(piece)))).flat();
  }

  /** The last piece that begins with a later snapshot than this one; the first one otherwise. */
  async #pieceOf(id: string): Promise<number> {
    await this.#piece(0);
    let [low, high] = [0, this.#last()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [first] = await this.#piece(middle);
      if (first && first.id > id) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  async #from(piece: number, most: number, before = '~'): Promise<SnapshotEntry[]> {
    const found: SnapshotEntry[] = [];
    for (let at = piece; found.length < most && (at === piece || at <= this.#last()); at += 1)
      found.push(...(await this.#piece(at)).filter(({ id }) => id < before));
    return found.slice(0, most);
  }

  #last(): number {
    return Math.ceil((this.#total ?? 1) / PIECE) - 1;
  }

  #piece(piece: number): Promise<SnapshotEntry[]> {
    let known = this.#pieces.get(piece);
    if (!known) {
      known = this.#read(piece);
      this.#pieces.set(piece, known);
    }
    return known;
  }

  /** The entries that begin in a piece. */
  async #read(piece: number): Promise<SnapshotEntry[]> {
    const place = this.#origin.placeOf(LIST_PATH);
    const [from, to] = [piece * PIECE, (piece + 1) * PIECE + OVERLAP];
    const opened = await this.#origin.open(LIST_PATH, { from, to });
    if (opened === null || opened === 'unchanged')
      throw mismatchError(place, 'the snapshot list', 'no such file');
    const isWhole = opened.total === undefined;
    const most = isWhole ? LONGEST_INDEX : to - from;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for await (const chunk of opened.body) {
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
      bytes += chunk.length;
      if (bytes > most) throw mismatchError(place, `at most ${most} bytes`, 'more');
    }
    const text = await new Blob(chunks).text();
    if (isWhole) {
      // One piece then is all of it.
      this.#total = 1;
      return parseSnapshotIndex(text, place);
    }
    if (this.#total !== null && this.#total !== opened.total) throw new ListChanged();
    this.#total = opened.total!;
    return entriesIn(text, place);
  }

  async #steadily<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await work();
      } catch (error) {
        // Also after a failed request: the next one is to be sent again.
        this.#pieces.clear();
        this.#total = null;
        if (!(error instanceof ListChanged)) throw error;
        if (attempt === ATTEMPTS)
          throw mismatchError(this.#origin.placeOf(LIST_PATH), 'one list', 'another with each request');
      }
  }
}

class ListChanged extends Error {}

/** The entries that begin in the first PIECE characters, which are ASCII. */
function entriesIn(text: string, place: string): SnapshotEntry[] {
  const entries: string[] = [];
  for (let at = text.indexOf(ENTRY_BEGIN); at >= 0 && at < PIECE; at = text.indexOf(ENTRY_BEGIN, at + 1)) {
    const end = text.indexOf(ENTRY_END, at);
    if (end < 0) throw mismatchError(place, `entries of at most ${OVERLAP} bytes`, 'a longer one');
    entries.push(text.slice(at, end + ENTRY_END.length));
  }
  return parseSnapshotIndex(`[${entries.join()}]`, place);
}
