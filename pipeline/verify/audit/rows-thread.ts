import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { MAX_BUNDLE_BYTES } from '../../ledger/log/entry-bundle.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { BundleRows, RowsJob, RowsReply } from './log-rows.ts';
import { RowBytes } from './row-bytes.ts';

const HASH_BYTES = 32;
const LENGTH_BYTES = 2;
const FIRST_BYTES = 1 << 18;
const [LEAF, NODE] = [0x00, 0x01];

/** RFC 6962 §2.1, for full bundles: a node's input is its prefix and two hashes, so each level is laid out as such inputs. */
class BundleRoot {
  /** By level: the inputs one after the other, and each of them. */
  readonly #levels: { bytes: Buffer; inputs: Buffer[] }[] = [];

  constructor() {
    for (let nodes = TILE_WIDTH / 2; nodes >= 1; nodes /= 2) {
      const length = 1 + 2 * HASH_BYTES;
      const bytes = Buffer.alloc(nodes * length);
      const inputs = Array.from({ length: nodes }, (_, node) =>
        bytes.subarray(node * length, (node + 1) * length),
      );
      for (const input of inputs) input[0] = NODE;
      this.#levels.push({ bytes, inputs });
    }
  }

  /** @param hex the hash of a leaf */
  leaf(index: number, hex: string): void {
    this.#levels[0]!.bytes.write(hex, placeOf(index), 'hex');
  }

  /** Of the leaves that were put last. */
  root(): string {
    for (const [level, { inputs }] of this.#levels.entries()) {
      if (level === this.#levels.length - 1) return hash('sha256', inputs[0]!, 'hex');
      const above = this.#levels[level + 1]!.bytes;
      // Latin 1 is the quickest way to 32 bytes.
      for (let node = 0; node < inputs.length; node += 1)
        above.write(hash('sha256', inputs[node]!, 'latin1'), placeOf(node), 'latin1');
    }
    throw new Error('a tile has one hash or more');
  }
}

/** Where the hash of a leaf or a node is among the inputs of the level above it. */
function placeOf(index: number): number {
  return (index >> 1) * (1 + 2 * HASH_BYTES) + 1 + (index & 1) * HASH_BYTES;
}

const tree = new BundleRoot();
/** Of replies that were used, for further ones. */
const spare: ArrayBuffer[] = [];
const MOST_SPARE = 16;
let read = Buffer.alloc(0);

function bufferOf(bytes: number): Buffer {
  for (let buffer = spare.pop(); buffer; buffer = spare.pop())
    if (buffer.byteLength >= bytes) return Buffer.from(buffer);
  // Bundles differ a little in length.
  return Buffer.allocUnsafeSlow(Math.ceil(1.2 * bytes));
}

/** The bytes of a file of at most a bundle's length, until the next one is read. */
function readBundle(place: string): Buffer {
  const file = openSync(place, 'r');
  try {
    for (let length = 0; ; ) {
      if (length === read.length) {
        if (length > MAX_BUNDLE_BYTES) throw new RangeError(`${place} is longer than a bundle`);
        const longer = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * length));
        read.copy(longer);
        read = longer;
      }
      const found = readSync(file, read, length, read.length - length, length);
      if (found === 0) return read.subarray(0, length);
      length += found;
    }
  } finally {
    closeSync(file);
  }
}

/** Null where the bundle is malformed, or its rows are not to be compared as bytes. */
function rowsOf(bytes: Buffer, writer: RowBytes, withFields: boolean): BundleRows | null {
  const begins = entriesOf(bytes);
  if (!begins || !isUtf8(bytes)) return null;
  let room = 0;
  for (let index = 0; index < TILE_WIDTH; index += 1)
    room += RowBytes.room(begins[index + 1]! - LENGTH_BYTES - begins[index]!);
  const target = bufferOf(room);
  const ends = new Uint32Array(TILE_WIDTH + 1);
  const [fields, hashes]: [FieldsList, string[]] = [[], []];
  let at = 0;
  for (let index = TILE_WIDTH - 1; index >= 0; index -= 1) {
    const begin = begins[index]!;
    const end = begins[index + 1]! - LENGTH_BYTES;
    // A plain array takes less time to make than a buffer.
    const leaf = new Uint8Array(bytes.buffer, bytes.byteOffset + begin - 1, end - begin + 1);
    const hex = hash('sha256', leaf, 'hex');
    tree.leaf(index, hex);
    at = writer.write(bytes, { begin, end, hash: hex }, target, at);
    if (at < 0) return null;
    ends[TILE_WIDTH - index] = at;
    if (!withFields) continue;
    fields.push(writer.fields(begin));
    hashes.push(`0x${hex}`);
  }
  const root = tree.root();
  const found = withFields ? { fields, hashes } : { fields: null, hashes: null };
  return { root, bytes: target.subarray(0, at), ends, ...found };
}

type FieldsList = NonNullable<BundleRows['fields']>;

/**
 * Where each entry begins, and the next one would; null unless these are exactly the entries of a full bundle. Where the length of an
 * entry was, zeros remain: text between entries, and the prefix that is hashed with an entry.
 */
function entriesOf(bytes: Buffer): Uint32Array | null {
  const begins = new Uint32Array(TILE_WIDTH + 1);
  let at = 0;
  for (let index = 0; index < TILE_WIDTH; index += 1) {
    if (at + LENGTH_BYTES > bytes.length) return null;
    const length = bytes.readUInt16BE(at);
    begins[index] = at + LENGTH_BYTES;
    bytes[at] = LEAF;
    bytes[at + 1] = LEAF;
    at += LENGTH_BYTES + length;
  }
  begins[TILE_WIDTH] = at + LENGTH_BYTES;
  return at === bytes.length ? begins : null;
}

parentPort!.on('message', ({ form, withFields, bundles, used }: RowsJob) => {
  spare.push(...used.slice(0, MOST_SPARE - spare.length));
  const writer = new RowBytes(form);
  const reply: RowsReply = bundles.map((bundle) => {
    try {
      const bytes =
        typeof bundle === 'string'
          ? readBundle(bundle)
          : Buffer.from(bundle.buffer, bundle.byteOffset, bundle.length);
      return rowsOf(bytes, writer, withFields);
    } catch {
      // A file that cannot be read, or an entry that is no event, is reported by who reads it next.
      return null;
    }
  });
  parentPort!.postMessage(
    reply,
    reply.flatMap((rows) => (rows ? [rows.bytes.buffer as ArrayBuffer] : [])),
  );
});
