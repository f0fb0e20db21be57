import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { HASH_BYTES } from '../../ledger/log/hash.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { BundleRoot, entriesOf, FileReader, LENGTH_BYTES } from '../audit/bundle-root.ts';
import type { BundleFiles, HistoryJob, HistoryReply, ProvenBlock } from './history-bytes.ts';
import type { HistoryTable } from './history-tables.ts';
import { mintRow } from './mint-row.ts';

const MINTS = 'economy/mic-history.csv';

const tree = new BundleRoot();
const [bundles, tiles] = [new FileReader(), new FileReader()];

/**
 * Null where the files are not those of a full bundle and its tile, or a line is no event. Without a table: the rows of mints, and null
 * where a line has an unusual spelling.
 */
function blockOf({ number, bundle, tile }: BundleFiles, table: HistoryTable | null): ProvenBlock | null {
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
function rowsOf(line: string, index: number, table: HistoryTable | null): string[] | null {
  if (table === null) {
    const mint = mintRow(line, index);
    return mint === null ? null : mint === '' ? [] : [mint];
  }
  const event = JSON.parse(line) as LedgerEvent;
  if (event.seq !== index) return null;
  if (!(table.types as readonly string[]).includes(event.type)) return [];
  return table.artifact.rows({ event, hash: '' });
}

async function provenBlock(path: string, files: BundleFiles): Promise<ProvenBlock | null> {
  try {
    const mints = path === MINTS ? blockOf(files, null) : null;
    if (mints) return mints;
    // Loading the tables takes a thread as long as a hundred thousand rows of mints.
    const { tableAt } = await import('./history-tables.ts');
    return blockOf(files, tableAt(path)!);
  } catch {
    // A file that cannot be read, or a line that is no event, is reported by who reads it next.
    return null;
  }
}

async function answer({ path, files }: HistoryJob): Promise<void> {
  const reply: HistoryReply = [];
  for (const one of files) reply.push(await provenBlock(path, one));
  parentPort!.postMessage(
    reply,
    reply.flatMap((block) => (block ? [block.bytes.buffer as ArrayBuffer] : [])),
  );
}

/** Replies keep the order of the jobs. */
let answered = Promise.resolve();

parentPort!.on('message', (job: HistoryJob) => {
  answered = answered.then(() => answer(job));
});
