import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { BundleRoot, entriesOf, FileReader, LENGTH_BYTES } from './bundle-root.ts';
import type { BundleRows, RowsJob, RowsReply } from './log-rows.ts';
import { RowBytes } from './row-bytes.ts';

const tree = new BundleRoot();
/** Of replies that were used, for further ones. */
const spare: ArrayBuffer[] = [];
const MOST_SPARE = 16;
const files = new FileReader();

function bufferOf(bytes: number): Buffer {
  for (let buffer = spare.pop(); buffer; buffer = spare.pop())
    if (buffer.byteLength >= bytes) return Buffer.from(buffer);
  // Bundles differ a little in length.
  return Buffer.allocUnsafeSlow(Math.ceil(1.2 * bytes));
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

parentPort!.on('message', ({ form, withFields, bundles, used }: RowsJob) => {
  spare.push(...used.slice(0, MOST_SPARE - spare.length));
  const writer = new RowBytes(form);
  const reply: RowsReply = bundles.map((bundle) => {
    try {
      const bytes =
        typeof bundle === 'string'
          ? files.read(bundle)
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
