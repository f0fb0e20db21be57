import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import type { Segment } from '../format/manifest.ts';
import type { Staging } from '../staging/staging.ts';
import { concatenate, type Piece } from './concatenate.ts';
import { RowEvents } from './row-events.ts';
import { linkSegment, readRowEvents, readSegment, writeSegment } from './segment-file.ts';

/**
 * The row that reaches this size seals the segment. Large enough to need few segments, small enough to rewrite one.
 */
const SEGMENT_BYTES = 4 << 20;
const CHUNK_BYTES = 1 << 16;
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
  /** The rows of the segment that is not full, oldest first: their bytes in chunks, and those that are in none yet. */
  #chunks: Buffer[] = [];
  #open: string[] = [];
  #openBytes = 0;
  /** Of the chunks and the others. */
  #bytes = 0;
  #openRows = 0;
  #from = '';
  #to = '';
  #events = new RowEvents();
  #sealedRows = 0;
  /** The previous release's last segment, until a row is added to it. */
  #untouched: Segment | null = null;

  constructor(staging: Staging, source: HistorySource, { segmentBytes = SEGMENT_BYTES }: HistoryOptions) {
    this.#staging = staging;
    this.#source = source;
    this.#segmentBytes = segmentBytes;
  }

  /** Rows so far, including those of earlier releases. */
  get rows(): number {
    return this.#sealedRows + this.#openRows;
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
    this.#chunks = [await readSegment(dir, open)];
    this.#openRows = open.end_row - open.first_row;
    this.#bytes = open.bytes;
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
    const { assembled, separator } = this.#source;
    for (const row of rows) {
      const bytes = Buffer.byteLength(row) + (this.#openRows === 0 ? 0 : separator.length);
      if (this.#openRows === 0) this.#from = timestamp;
      this.#open.push(row);
      this.#openRows += 1;
      this.#openBytes += bytes;
      this.#bytes += bytes;
      if (this.#openBytes >= CHUNK_BYTES) this.#chunk();
      if (events !== undefined && assembled) this.#events.add(1, events);
      this.#to = timestamp;
      this.#untouched = null;
      if (this.#bytes >= this.#segmentBytes) this.#seal();
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
    } else if (this.#openRows > 0) this.#seal();
    const segments = (await Promise.all(this.#segments)).reverse();
    this.#sealedRows = this.rows;
    this.#empty();
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
    const about = { path, kind: 'data', area, restricted, mediaType, rows, as_of, immutable: false } as const;
    const between = Buffer.from(separator);
    const parts = segments.flatMap((one, index): Piece[] => (index === 0 ? [one] : [between, one]));
    const pieces = [Buffer.from(head), ...parts, Buffer.from(tail)];
    await this.#staging.stream(about, (target) => concatenate(this.#staging.dir, pieces, target));
  }

  /** Rows that wait as texts for a segment to be full would fill the heap. */
  #chunk(): void {
    const { separator } = this.#source;
    const text = this.#open.reverse().join(separator);
    this.#chunks.push(Buffer.from(this.#chunks.length === 0 ? text : text + separator));
    this.#open = [];
    this.#openBytes = 0;
  }

  #seal(): void {
    const { path } = this.#source;
    if (this.#open.length > 0) this.#chunk();
    const bytes = Buffer.concat(this.#chunks.reverse());
    const first_row = this.#sealedRows;
    const end_row = this.rows;
    // Rows without events have no record.
    const events = this.#events.rows === this.#openRows ? this.#events.format() : null;
    const about = { path, first_row, end_row, from: this.#from, to: this.#to, bytes };
    const job = writeSegment(this.#staging.folder, { ...about, events });
    this.#segments.push(job);
    this.#inFlight.add(job);
    // `finish` reports a failure; nothing may happen here, or Node would end the process for an unhandled
    // one.
    job.catch(() => {}).finally(() => this.#inFlight.delete(job));
    this.#sealedRows = end_row;
    this.#empty();
  }

  #empty(): void {
    this.#chunks = [];
    [this.#openRows, this.#bytes] = [0, 0];
    this.#events = new RowEvents();
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
