import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { snapshotFile } from '../../pipeline/ledger/directory.ts';
import type { LedgerPosition } from '../../pipeline/ledger/leaf.ts';
import { EMPTY_TREE, type LogFile, TreeBuilder } from '../../pipeline/ledger/log/tree-builder.ts';
import { CompactRange, leafHash } from '../../pipeline/ledger/merkle.ts';
import { nextSlotId } from '../../pipeline/ledger/slot.ts';
import { SnapshotWriter } from '../../pipeline/ledger/write-snapshot.ts';
import { logFile } from '../../pipeline/release/log/log-folder.ts';

const SLOT = '2026-01-01T00Z';
const TIMESTAMP = '2026-01-01T00:00:00Z';

/** Lines that are as short as those of heartbeats, and no events: what an extension goes on from, nobody reads. */
export function* syntheticLines(count: number): Generator<Buffer> {
  for (let seq = 0; seq < count; seq += 1)
    yield Buffer.from(`{"seq":${seq},"timestamp":"${TIMESTAMP}","type":"heartbeat","agent":"SYNTHETIC"}`);
}

/** A published log of so many entries, and a ledger that has sealed them and forgotten what they were. */
export async function writeSyntheticLog(ledger: string, out: string, count: number): Promise<LedgerPosition> {
  const tree = new CompactRange();
  const builder = new TreeBuilder(EMPTY_TREE);
  const write = ({ path, bytes }: LogFile) => {
    const place = logFile(out, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  };
  for (const line of syntheticLines(count)) {
    tree.append(leafHash(line));
    for (const file of builder.append(line)) write(file);
  }
  for (const file of builder.partial()) write(file);
  const position = { snapshot: null, size: count, range: tree.hashes(), timestamp: TIMESTAMP };
  const sealed = await SnapshotWriter.create(ledger, position, [demoSigner()]).seal(SLOT);
  writeFileSync(logFile(out, 'checkpoint'), readFileSync(snapshotFile(ledger, SLOT).checkpoint));
  return sealed;
}

/** Seals one more snapshot of heartbeats. */
export async function sealHeartbeats(
  ledger: string,
  position: LedgerPosition,
  count: number,
): Promise<LedgerPosition> {
  const writer = SnapshotWriter.create(ledger, position, [demoSigner()]);
  for (let index = 0; index < count; index += 1) {
    const about = { timestamp: TIMESTAMP, cycle: 'C-182', type: 'heartbeat', agent: 'SYNTHETIC', data: {} };
    await writer.append({ seq: position.size + index, ...about, salt: 'A'.repeat(22) });
  }
  return writer.seal(nextSlotId(position.snapshot!));
}
