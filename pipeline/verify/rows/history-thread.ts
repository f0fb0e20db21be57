import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { LedgerEvent } from '../../ledger/event.ts';
import { HASH_BYTES } from '../../ledger/log/hash.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { BundleRoot, FileReader } from '../audit/bundle-root.ts';
import type { BundleFiles, HistoryJob, HistoryReply, ProvenBlock } from './history-bytes.ts';
import { type HistoryTable, tableAt } from './history-tables.ts';
import { mintRow } from './mint-row.ts';

const LENGTH_BYTES = 2;
const LEAF = 0x00;

const tree = new BundleRoot();
const [bundles, tiles] = [new FileReader(), new FileReader()];

/** Null where the files are not those of a full bundle and its tile, or a line is no event. */
function blockOf({ number, bundle, tile }: BundleFiles, table: HistoryTable): ProvenBlock | null {
  const bytes = bundles.read(bundle);
  const hashes = tiles.read(tile);
  if (hashes.length !== TILE_WIDTH * HASH_BYTES) return null;
  const begins = entriesOf(bytes);
  const isLatin = isAscii(bytes);
  if (!begins || !(isLatin || isUtf8(bytes))) return null;
  const encoding = isLatin ? 'latin1' : 'utf8';
  tree.leaves(hashes);
  const rows: string[] = [];
  for (let index = TILE_WIDTH - 1; index >= 0; index -= 1) {
    const begin = begins[index]!;
    const end = begins[index + 1]! - LENGTH_BYTES;
    if (end === begin) continue;
    const leaf = new Uint8Array(bytes.buffer, bytes.byteOffset + begin - 1, end - begin + 1);
    const found = hash('sha256', leaf, 'latin1');
    if (found !== hashes.toString('latin1', index * HASH_BYTES, (index + 1) * HASH_BYTES)) return null;
    const more = rowsOf(bytes.toString(encoding, begin, end), number * TILE_WIDTH + index, table);
    if (!more) return null;
    for (let row = more.length - 1; row >= 0; row -= 1) rows.push(more[row]!);
  }
  const text = Buffer.from(rows.join(''), encoding);
  const ends = new Uint32Array(rows.length + 1);
  for (const [row, one] of rows.entries())
    ends[row + 1] = ends[row]! + (isLatin ? one.length : Buffer.byteLength(one));
  return { root: tree.root(), bytes: new Uint8Array(text), ends };
}

/** The rows of a line, oldest first, with their line ends. Null: the line is not that of this event. */
function rowsOf(line: string, index: number, table: HistoryTable): string[] | null {
  const mint = table.path === 'economy/mic-history.csv' ? mintRow(line, index) : null;
  if (mint !== null) return mint === '' ? [] : [mint];
  const event = JSON.parse(line) as LedgerEvent;
  if (event.seq !== index) return null;
  if (!(table.types as readonly string[]).includes(event.type)) return [];
  return table.artifact.rows({ event, hash: '' });
}

/** As of an entry bundle; an event that stays a hash has no bytes. */
function entriesOf(bytes: Buffer): Uint32Array | null {
  const begins = new Uint32Array(TILE_WIDTH + 1);
  let at = 0;
  for (let index = 0; index < TILE_WIDTH; index += 1) {
    if (at + LENGTH_BYTES > bytes.length) return null;
    const length = bytes.readUInt16BE(at);
    begins[index] = at + LENGTH_BYTES;
    // Where the length was, zeros remain: text between entries, and the prefix that is hashed with an entry.
    bytes[at] = LEAF;
    bytes[at + 1] = LEAF;
    at += LENGTH_BYTES + length;
  }
  begins[TILE_WIDTH] = at + LENGTH_BYTES;
  return at === bytes.length ? begins : null;
}

parentPort!.on('message', ({ path, files }: HistoryJob) => {
  const table = tableAt(path)!;
  const reply: HistoryReply = files.map((one) => {
    try {
      return blockOf(one, table);
    } catch {
      // A file that cannot be read, or a line that is no event, is reported by who reads it next.
      return null;
    }
  });
  parentPort!.postMessage(
    reply,
    reply.flatMap((block) => (block ? [block.bytes.buffer as ArrayBuffer] : [])),
  );
});
