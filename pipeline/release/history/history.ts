import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import type { Segment } from '../format/manifest.ts';
import type { Staging } from '../staging/staging.ts';
import { concatenate, type Piece } from './concatenate.ts';
import { RowEvents } from './row-events.ts';
import { linkSegment, readRowEvents, readSegment, writeSegment } from './segment-file.ts';

/**
 * The rows of one segment as bytes, newest first. Rows arrive oldest first, so the buffer fills from its end: no row is copied twice
 * or kept as a string.
 */
class SegmentBuffer {
  readonly #separator: Buffer;
  #buffer: Buffer;
  #start: number;
  #rows = 0;

  constructor(capacity: number, separator: string) {
    this.#separator = Buffer.from(separator);
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#start = capacity;
  }

  get rows(): number {
    return this.#rows;
  }

  get size(): number {
    return this.#buffer.length - this.#start;
  }

  /** A view, valid until the next row is prepended. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  prepend(row: string): void {
    const bytes = Buffer.byteLength(row);
    const gap = this.#rows === 0 ? 0 : this.#separator.length;
    this.#reserve(bytes + gap);
    if (gap > 0) this.#separator.copy(this.#buffer, this.#start - gap);
    this.#start -= bytes + gap;
    // As many bytes as characters means ASCII. Writing it as Latin-1 is twice as fast.
    this.#buffer.write(row, this.#start, bytes, bytes === row.length ? 'latin1' : 'utf8');
    this.#rows += 1;
  }

  clear(): this {
    this.#start = this.#buffer.length;
    this.#rows = 0;
    return this;
  }

  /** Adds the rows of a segment that an earlier run wrote. The buffer must be empty. */
  load(bytes: Uint8Array, rows: number): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
    this.#rows = rows;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#start) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.size + bytes));
    const start = larger.length - this.size;
    larger.set(this.bytes, start);
    this.#buffer = larger;
    this.#start = start;
  }
}

/**
 * The row that reaches this size seals the segment. Large enough to need few segments, small enough to rewrite one.
 */
const SEGMENT_BYTES = 4 << 20;
/** Room for one more row: the longest event, quoted. */
const SLACK_BYTES = 1 << 18;
/** Sealed segments held in memory while they are written. */
const MOST_IN_FLIGHT = 2;

/** What a history is as a file. */
export interface HistorySource
  extends Pick<HistoryArtifact, 'path' | 'area' | 'restricted' | 'separator' | 'assembled'> {
  mediaType: string;
}

export interface HistoryOptions {
  /**
   * For tests. Changing the size changes the segments, so a rebuild would differ from earlier runs.
   */
  segmentBytes?: number;
}

/**
 * Writes a history, newest rows first, at a cost proportional to the new rows: full segments are sealed and only linked afterwards,
 * and the last one is read back and rewritten. The bytes do not depend on how rows are divided among calls and runs.
 */
export class HistoryWriter {
  readonly #staging: Staging;
  readonly #source: HistorySource;
  readonly #segmentBytes: number;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Oldest first. */
  readonly #segments: Promise<Segment>[] = [];
  #open: SegmentBuffer;
  /** Buffers for reuse. Left to the garbage collector, they would pile up between two collections. */
  #spare: SegmentBuffer[] | null = [];
  #from = '';
  #to = '';
  /** Of the rows in `#open`. */
  #events = new RowEvents();
  #sealedRows = 0;
  /** The previous release's last segment, until a row is added to it. */
  #untouched: Segment | null = null;

  constructor(staging: Staging, source: HistorySource, { segmentBytes = SEGMENT_BYTES }: HistoryOptions) {
    this.#staging = staging;
    this.#source = source;
    this.#segmentBytes = segmentBytes;
    this.#open = this.#emptyBuffer();
  }

  /** Rows so far, including those of earlier releases. */
  get rows(): number {
    return this.#sealedRows + this.#open.rows;
  }

  /** Links the previous release's segments. Throws release_invalid if they are damaged. */
  async resume(dir: string, newestFirst: readonly Segment[]): Promise<void> {
    const newest = newestFirst[0];
    const open = newest && newest.bytes < this.#segmentBytes ? newest : null;
    const sealed = open ? newestFirst.slice(1) : newestFirst;
    for (const segment of sealed.toReversed()) {
      const linked = await linkSegment(this.#staging.folder, dir, segment);
      this.#segments.push(Promise.resolve(linked));
    }
    this.#sealedRows = sealed[0]?.end_row ?? 0;
    if (!open) return;
    this.#open.load(await readSegment(dir, open), open.end_row - open.first_row);
    this.#events.load((await readRowEvents(dir, open)) ?? []);
    this.#from = open.from;
    this.#to = open.to;
    this.#untouched = open;
  }

  /**
   * Adds the rows of one event, or of one day, oldest first, with its time and the events that they follow from, by their index in the log:
   * only a history that is assembled keeps these. Does no I/O.
   */
  add(rows: readonly string[], timestamp: string, events?: readonly number[]): void {
    const { assembled } = this.#source;
    for (const row of rows) {
      if (this.#open.rows === 0) this.#from = timestamp;
      this.#open.prepend(row);
      if (events !== undefined && assembled) this.#events.add(events);
      this.#to = timestamp;
      this.#untouched = null;
      if (this.#open.size >= this.#segmentBytes) this.#seal();
    }
  }

  /**
   * Waits until few sealed segments are still being written. Call it after each batch of events to bound memory.
   */
  async drain(): Promise<void> {
    while (this.#inFlight.size > MOST_IN_FLIGHT) await Promise.race(this.#inFlight);
  }

  /**
   * Writes the last segment, and the whole file if the history is assembled. `asOf` says what time the file is of, given that of its
   * newest row. Throws publish_failed or release_invalid.
   */
  async finish(
    head: string,
    tail: string,
    asOf: (newestRow: string | undefined) => string | undefined = () => undefined,
  ): Promise<void> {
    if (this.#untouched) {
      const { folder, previous } = this.#staging;
      this.#segments.push(linkSegment(folder, previous!.dir, this.#untouched));
    } else if (this.#open.rows > 0) this.#seal();
    const segments = (await Promise.all(this.#segments)).reverse();
    this.#release();
    this.#staging.segments[this.#source.path] = segments;
    if (this.#source.assembled) await this.#assemble(segments, { head, tail, as_of: asOf(segments[0]?.to) });
  }

  /** Writes the whole file by copying bytes: head, segments newest first with separators, tail. */
  async #assemble(
    segments: readonly Segment[],
    { head, tail, as_of }: { head: string; tail: string; as_of: string | undefined },
  ): Promise<void> {
    const { path, area, mediaType, restricted, separator } = this.#source;
    const rows = segments[0]?.end_row ?? 0;
    const about = { path, kind: 'data', area, restricted, mediaType, as_of, immutable: false } as const;
    const between = Buffer.from(separator);
    const parts = segments.flatMap((one, index): Piece[] => (index === 0 ? [one] : [between, one]));
    const pieces = [Buffer.from(head), ...parts, Buffer.from(tail)];
    await this.#staging.stream([about], async ([target]) => {
      await concatenate(this.#staging.dir, pieces, target!);
      return rows;
    });
  }

  /** Frees the buffers: a run keeps its writers, for their counts of rows, until it ends. */
  #release(): void {
    this.#sealedRows = this.rows;
    this.#open = new SegmentBuffer(0, this.#source.separator);
    this.#spare = null;
  }

  #seal(): void {
    const full = this.#open;
    const { rows, bytes } = full;
    const { path } = this.#source;
    const first_row = this.#sealedRows;
    const end_row = first_row + rows;
    // Rows without events have no record.
    const events = rows > 0 && this.#events.rows === rows ? this.#events.format() : null;
    const about = { path, first_row, end_row, from: this.#from, to: this.#to, bytes };
    const job = writeSegment(this.#staging.folder, { ...about, events });
    this.#segments.push(job);
    this.#inFlight.add(job);
    // `finish` reports a failure; nothing may happen here, or Node would end the process for an unhandled
    // one.
    job
      .catch(() => {})
      .finally(() => {
        this.#inFlight.delete(job);
        this.#spare?.push(full);
      });
    this.#open = this.#emptyBuffer();
    this.#events = new RowEvents();
    this.#sealedRows = end_row;
  }

  #emptyBuffer(): SegmentBuffer {
    return (
      this.#spare?.pop()?.clear() ??
      new SegmentBuffer(this.#segmentBytes + SLACK_BYTES, this.#source.separator)
    );
  }
}

/** Opens the history of an artifact, continuing that of the previous release. */
export async function openHistory(
  staging: Staging,
  source: HistorySource,
  options: HistoryOptions = {},
): Promise<HistoryWriter> {
  const writer = new HistoryWriter(staging, source, options);
  const { previous, reuse } = staging;
  const segments = reuse ? previous?.manifest.segments[source.path] : undefined;
  if (previous && segments) await writer.resume(previous.dir, segments);
  return writer;
}
