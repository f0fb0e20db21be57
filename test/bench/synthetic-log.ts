import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { micHistory } from '../../pipeline/artifacts/economy/mic-history.ts';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { formatEventLine } from '../../pipeline/ledger/events/event-line.ts';
import { nextSlotId } from '../../pipeline/ledger/events/slot.ts';
import { parseBundle } from '../../pipeline/ledger/log/entry-bundle.ts';
import type { LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import { CompactRange, leafHash } from '../../pipeline/ledger/log/merkle.ts';
import { PUBLIC_VERSION } from '../../pipeline/ledger/log/public-events.ts';
import { parseTilePath } from '../../pipeline/ledger/log/tile.ts';
import { EMPTY_TREE, type LogFile, TreeBuilder } from '../../pipeline/ledger/log/tree-builder.ts';
import { snapshotFile } from '../../pipeline/ledger/reading/directory.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { logFile } from '../../pipeline/release/log/log-folder.ts';
import { placePolicy, publicEntry, publicFile } from '../../pipeline/release/log/public-bundles.ts';
import { sampleSalt } from '../ledger/events/sample-events.ts';

const SLOT = '2026-01-01T00Z';
const START = Date.UTC(2025, 6, 3);
const TIMESTAMP = '2026-01-01T00:00:00Z';

/** Lines that are as short as those of heartbeats, and no events: what an extension goes on from, nobody reads. */
export function* syntheticLines(count: number): Generator<Buffer> {
  for (let seq = 0; seq < count; seq += 1)
    yield Buffer.from(`{"seq":${seq},"timestamp":"${TIMESTAMP}","type":"heartbeat","agent":"SYNTHETIC"}`);
}

/** A published log of so many entries, and a ledger that has sealed them and forgotten what they were. */
export function writeSyntheticLog(ledger: string, out: string, count: number): Promise<LedgerPosition> {
  return writeLog(ledger, out, syntheticLines(count), count);
}

/** A published log of mints alone, all of them public, and its history of mints in a file. */
export async function writeMintLog(ledger: string, out: string, count: number, file: string): Promise<void> {
  const rows: string[] = [];
  function* lines(): Generator<Buffer> {
    for (let seq = 0; seq < count; seq += 1) {
      const event = mintOf(seq);
      rows.push(...micHistory.rows({ event, hash: '' }));
      yield Buffer.from(formatEventLine(event));
    }
  }
  await writeLog(ledger, out, lines(), count, true);
  writeFileSync(file, micHistory.head() + rows.reverse().join(''));
}

/** One a minute, with amounts as long as those of the sample. */
function mintOf(seq: number): LedgerEvent {
  const at = new Date(START + seq * 60_000).toISOString();
  return {
    seq,
    timestamp: `${at.slice(0, 19)}Z`,
    cycle: `C-${Math.floor(seq / 1440)}`,
    type: 'mic_mint',
    agent: 'MINT',
    data: {
      sentinel: ['ATLAS', 'AUREA', 'HERMES', 'JADE'][seq % 4]!,
      cathedral: 'FOR-ECONOMISTS',
      coordination_score: 40 + (seq % 20_011) / 1000,
      multiplier: 1.5,
      amount: `${100 + (seq % 977)}.${String(1 + (seq % 99_991)).padStart(5, '0')}1`,
    },
    salt: sampleSalt(seq),
  };
}

/** A file of the log, and beside a bundle of entries that of its public events. */
function withPublicFile(file: LogFile): LogFile[] {
  const found = parseTilePath(file.path);
  if (found?.kind !== 'bundle') return [file];
  const entries = parseBundle(file.bytes, found.bundle.width, file.path);
  return [file, publicFile(found.bundle, entries.map(publicEntry))];
}

async function writeLog(
  ledger: string,
  out: string,
  lines: Iterable<Buffer>,
  count: number,
  isPublic = false,
): Promise<LedgerPosition> {
  const tree = new CompactRange();
  const builder = new TreeBuilder(EMPTY_TREE);
  const write = (file: LogFile) => {
    for (const { path, bytes } of isPublic ? [file] : withPublicFile(file)) writeOne(path, bytes);
  };
  const writeOne = (path: string, bytes: Uint8Array) => {
    const place = logFile(out, isPublic ? path.replace(/^tile\/entries/, `public/v${PUBLIC_VERSION}`) : path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  };
  for (const line of lines) {
    tree.append(leafHash(line));
    for (const file of builder.append(line)) write(file);
  }
  for (const file of builder.partial()) write(file);
  await placePolicy(out);
  const position = { snapshot: null, size: count, range: tree.hashes(), timestamp: TIMESTAMP };
  const sealed = await new SnapshotWriter(ledger, position, [demoSigner()]).seal(SLOT);
  writeFileSync(logFile(out, 'checkpoint'), readFileSync(snapshotFile(ledger, SLOT).checkpoint));
  return sealed;
}

/** Seals one more snapshot of readings, which are public. */
export async function sealReadings(
  ledger: string,
  position: LedgerPosition,
  count: number,
): Promise<LedgerPosition> {
  const writer = new SnapshotWriter(ledger, position, [demoSigner()]);
  for (let index = 0; index < count; index += 1) {
    const about = {
      timestamp: TIMESTAMP,
      cycle: 'C-182',
      type: 'mii_reading',
      agent: 'SYNTHETIC',
      data: { mii: 0.97 },
    };
    await writer.append({ seq: position.size + index, ...about, salt: 'A'.repeat(22) });
  }
  return writer.seal(nextSlotId(position.snapshot!));
}
