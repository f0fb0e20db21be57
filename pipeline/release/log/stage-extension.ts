import { CathedralError } from '../../errors.ts';
import type { LedgerDirectory, SnapshotFile } from '../../ledger/directory.ts';
import { parseEventLine } from '../../ledger/event-line.ts';
import { TreeBuilder } from '../../ledger/log/tree-builder.ts';
import type { Verifier } from '../../ledger/note.ts';
import { readCheckpoint } from '../../ledger/read-checkpoint.ts';
import { readLines } from '../../ledger/read-lines.ts';
import { guarded } from '../disk/durable.ts';
import type { Facts } from '../format/manifest.ts';
import type { PublishedLog } from './open-log.ts';
import type { StagedLog } from './staged-log.ts';

/**
 * Adds to `staged` what the log lacks of the ledger up to `target`, which was verified: its root shows that these are the
 * same events, and that the log's own were theirs. Only events after the log's are hashed. Throws log_forked where they
 * are not, log_invalid where a file is there with other bytes, and what reading the ledger throws.
 */
export async function stageExtension(
  staged: StagedLog,
  { edge }: PublishedLog,
  target: Facts['ledger'],
  { ledger, verifiers }: { ledger: LedgerDirectory; verifiers: readonly Verifier[] },
): Promise<void> {
  const builder = new TreeBuilder(edge);
  const snapshots = await snapshotsAfter(edge.size, target.snapshot, ledger, verifiers);
  let seq = -1;
  for (const snapshot of snapshots) {
    for await (const lines of readLines(snapshot)) {
      if (seq < 0) seq = firstSeq(lines[0]!, edge.size, snapshot);
      await guarded(staged.out, async () => {
        for (const line of lines) {
          if (seq >= edge.size && seq < target.size) staged.add(builder.append(line));
          seq += 1;
        }
      });
    }
    // The snapshot's own checkpoint is signed as well, and somebody may hold that one.
    const isWithin = builder.size > edge.size && builder.size < target.size;
    if (isWithin) await guarded(staged.out, async () => staged.add(builder.partial(target.size)));
  }
  assertSigned(builder, edge.size, target);
  await guarded(staged.out, async () => staged.add(builder.partial()));
  await staged.flush();
}

/** The snapshots up to `last` with the events after the first `size`, oldest first; what comes before them may be gone. */
async function snapshotsAfter(
  size: number,
  last: string,
  ledger: LedgerDirectory,
  verifiers: readonly Verifier[],
): Promise<SnapshotFile[]> {
  const snapshots = (await ledger.snapshots(null)).filter(({ id }) => id <= last);
  if (size === 0) return snapshots;
  const before = snapshots.findLastIndex(
    (snapshot) => readCheckpoint(snapshot, verifiers).checkpoint.size <= size,
  );
  return snapshots.slice(before + 1);
}

function assertSigned(builder: TreeBuilder, before: number, { snapshot, size, root }: Facts['ledger']): void {
  const found = builder.root();
  if (builder.size === size && found === root) return;
  throw new CathedralError('log_forked', {
    place: `snapshots/${snapshot}.checkpoint`,
    expected: `events that go on from the ${before} in the log; bring back the ledger that was published`,
    found: `the root ${found} of ${builder.size} events, where ${root} of ${size} is signed`,
  });
}

/** The first line's place in the ledger. The tree shows whether it is true. */
function firstSeq(line: Buffer, size: number, { id }: SnapshotFile): number {
  const place = `snapshots/${id}.ndjson.zst`;
  const { seq } = parseEventLine(line, `${place}:1`);
  if (seq <= size) return seq;
  throw new CathedralError('ledger_unreadable', {
    place,
    expected: `the ledger from event ${size} on, where the log ends`,
    found: `none before event ${seq}`,
  });
}
