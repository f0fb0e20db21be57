import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { MAX_BUNDLE_BYTES } from '../../ledger/log/entry-bundle.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';

const HASH_BYTES = 32;
const FIRST_BYTES = 1 << 18;
/** Of the length before an entry. */
export const LENGTH_BYTES = 2;
const LEAF = 0x00;
const NODE = 0x01;

/** RFC 6962 §2.1, for full bundles: a node's input is its prefix and two hashes, so each level is laid out as such inputs. */
export class BundleRoot {
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

  /** @param hashes the leaves of a tile, one after the other */
  leaves(hashes: Buffer): void {
    const { bytes } = this.#levels[0]!;
    for (let index = 0; index < TILE_WIDTH; index += 1)
      hashes.copy(bytes, placeOf(index), index * HASH_BYTES, (index + 1) * HASH_BYTES);
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

/** Reads files of at most a bundle's length into one buffer. */
export class FileReader {
  #read = Buffer.alloc(0);

  /** The bytes of a file, until the next one is read. */
  read(place: string): Buffer {
    const file = openSync(place, 'r');
    try {
      for (let length = 0; ; ) {
        if (length === this.#read.length) {
          if (length > MAX_BUNDLE_BYTES) throw new RangeError(`${place} is longer than a bundle`);
          const longer = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * length));
          this.#read.copy(longer);
          this.#read = longer;
        }
        const found = readSync(file, this.#read, length, this.#read.length - length, length);
        if (found === 0) return this.#read.subarray(0, length);
        length += found;
      }
    } finally {
      closeSync(file);
    }
  }
}

/**
 * Where each entry of a full bundle begins, and the next one would; null for any other bytes. An event that stays a hash has an empty entry.
 * Overwrites the lengths: the zeros are text between entries, and the prefix that is hashed with an entry.
 */
export function entriesOf(bytes: Buffer): Uint32Array | null {
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
