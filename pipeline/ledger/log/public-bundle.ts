import { leafHash } from '#hashing';
import { errorOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import { Envelope, type LedgerEvent } from '../events/event.ts';
import { readJson } from '../events/json.ts';
import { formatBundle, MAX_BUNDLE_BYTES, parseBundle } from './entry-bundle.ts';
import type { Leaf } from './leaf.ts';
import {
  MAX_POLICY_BYTES,
  POLICY_PATH,
  PUBLIC_VERSION,
  type PublishedDecisions,
  parsePolicy,
} from './public-events.ts';
import { type Bundle, publicPath, TILE_WIDTH, tileAt } from './tile.ts';
import type { TileReader } from './tile-reader.ts';

const invalid = errorOf('log_invalid');

/** `public/v1/x001/234`, `public/v1/000.p/17`: the path of a bundle of public events below the log's address. */
export function publicBundlePath(bundle: Bundle, version = PUBLIC_VERSION): string {
  return publicPath(bundle, version);
}

/**
 * As an entry bundle of the same leaves, with length 0 in place of an event that stays a hash. An event’s line is never empty, so the two
 * cannot be confused, and an entry’s position is its leaf’s.
 */
export function formatPublicBundle(entries: readonly (Uint8Array | null)[]): Uint8Array {
  return formatBundle(entries.map((entry) => entry ?? NONE));
}

const NONE = new Uint8Array();

/** Exactly `width` entries, null for each that stays a hash. Throws log_invalid; `place` names the bundle. */
export function parsePublicBundle(bytes: Uint8Array, width: number, place: string): (Uint8Array | null)[] {
  return parseBundle(bytes, width, place).map((entry) => (entry.length === 0 ? null : entry));
}

/** Reads a file of the log by its path below the log’s address; null if it is missing. The bytes are not trusted. */
export type ReadLogFile = (path: string, mostBytes: number) => Promise<Uint8Array | null>;

/** A public event, and its line as it was hashed. */
export interface PublicLeaf extends Leaf {
  line: Uint8Array;
}

/** The public events of a log. Nothing that it returns is more than what the log’s checkpoint signs. */
export class PublicEvents {
  readonly reader: TileReader;
  /** What the log says that it publishes. Nothing vouches for it. */
  readonly policy: PublishedDecisions;
  readonly #read: ReadLogFile;

  private constructor(reader: TileReader, policy: PublishedDecisions, read: ReadLogFile) {
    this.reader = reader;
    this.policy = policy;
    this.#read = read;
  }

  /** Null: the log has no public events. Throws log_invalid, and the errors of `read`. */
  static async open(reader: TileReader, read: ReadLogFile): Promise<PublicEvents | null> {
    const bytes = await read(POLICY_PATH, MAX_POLICY_BYTES);
    if (!bytes) return null;
    const policy = parsePolicy(new TextDecoder().decode(bytes), reader.placeOf(POLICY_PATH));
    return new PublicEvents(reader, policy, read);
  }

  /**
   * The lines of the leaves 256·number … as the tree has them, null for each that stays a hash. Throws log_invalid for a bundle that is
   * missing or damaged and for a line that is not that of its leaf, and the errors of `read`.
   */
  async lines(number: number): Promise<(Uint8Array | null)[]> {
    const tile = tileAt(0, number, this.reader.head.size);
    if (!tile) throw new RangeError(`a tree of ${this.reader.head.size} has no bundle ${number}`);
    const [hashes, { place, entries }] = await Promise.all([this.reader.tile(0, number), this.#bundle(tile)]);
    for (const [at, entry] of entries.entries()) {
      if (entry === null) continue;
      const found = leafHash(entry);
      if (found !== hashes[at]) throw invalid(`${place} entry ${at}`, `hash ${hashes[at]}`, found);
    }
    return entries;
  }

  /** The same as events. */
  async events(number: number): Promise<(PublicLeaf | null)[]> {
    const lines = await this.lines(number);
    const hashes = await this.reader.tile(0, number);
    return lines.map(
      (line, at) => line && { event: parseLine(line, number * TILE_WIDTH + at), hash: hashes[at]!, line },
    );
  }

  /** A partial bundle may have been removed once the full one exists, which begins with it. */
  async #bundle({ index, width }: Bundle): Promise<{ place: string; entries: (Uint8Array | null)[] }> {
    const { version } = this.policy;
    const path = publicBundlePath({ index, width }, version);
    const place = this.reader.placeOf(path);
    const bytes = await this.#read(path, MAX_BUNDLE_BYTES);
    if (bytes) return { place, entries: parsePublicBundle(bytes, width, place) };
    const full = publicBundlePath({ index, width: TILE_WIDTH }, version);
    const whole = width < TILE_WIDTH ? await this.#read(full, MAX_BUNDLE_BYTES) : null;
    if (!whole) throw invalid(place, `a bundle of ${counted(width, 'leaf', 'leaves')}`, 'no such file');
    const fullPlace = this.reader.placeOf(full);
    return { place: fullPlace, entries: parsePublicBundle(whole, TILE_WIDTH, fullPlace).slice(0, width) };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The event of a line whose hash is that of leaf `index`. Throws log_invalid if it is not one. */
function parseLine(line: Uint8Array, index: number): LedgerEvent {
  const place = `event ${index}`;
  let json: unknown;
  try {
    json = readJson(utf8.decode(line));
  } catch (cause) {
    throw invalid(place, 'an event as JSON', String(cause), cause);
  }
  const { data, error } = Envelope.safeParse(json);
  if (!data) throw invalid(place, 'the members of an event', error.issues[0]!.path.join('.'));
  if (data.seq !== index) throw invalid(place, `seq ${index}`, `seq ${data.seq}`);
  return data;
}
