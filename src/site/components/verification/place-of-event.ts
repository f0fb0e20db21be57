import { findLeaf } from '../../../../pipeline/ledger/log/find-leaf.ts';
import type { TileReader } from '../../../../pipeline/ledger/log/tile-reader.ts';
import { compareTimestamps } from '../../../../pipeline/ledger/timestamp.ts';
import type { SnapshotIndex } from '../../../../pipeline/release/format/snapshot-index.ts';
import { readSnapshotList } from '../../../../pipeline/verify/snapshot-list.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import type { PageOrigin } from './page-origin.ts';
import type { GivenEvent } from './read-event.ts';
import type { Steps } from './steps.ts';

/** Requests at once, as many as browsers send to one host. */
const PARALLEL = 6;

interface Span {
  from: number;
  to: number;
}

/**
 * The event's number in the log; null: it is not there. A line says its number, a row its time, which the list of snapshots
 * makes a span of numbers: both are hints, the hash has to stand there. Without one, the hash is looked for in the whole log.
 */
export async function placeOfEvent(
  steps: Steps,
  reader: TileReader,
  { hash, seq, timestamp }: GivenEvent,
  origin: PageOrigin,
): Promise<number | null> {
  const { size } = reader.head;
  if (seq !== null && seq >= 0 && seq < size && (await reader.leaf(seq)) === hash) return seq;
  const search = ({ from, to }: Span) =>
    findLeaf(reader, hash, {
      from,
      to,
      first: 'newest',
      parallel: PARALLEL,
      progress: (read, all) =>
        steps.say(`Searching the log: ${formatNumber(read)} of ${formatNumber(all)} tiles …`),
    });
  const span = timestamp === null ? null : await spanOf(timestamp, size, origin);
  return (span && (await search(span))) ?? search({ from: 0, to: size });
}

/** Where an event of this time is if the list of snapshots is right; null where there is no such list. */
async function spanOf(timestamp: string, size: number, origin: PageOrigin): Promise<Span | null> {
  const list = await readSnapshotList(origin).catch(() => null);
  return list && spanIn(list.index, timestamp, size);
}

export function spanIn(index: SnapshotIndex, timestamp: string, size: number): Span {
  const sizes = (isThen: (order: number) => boolean) =>
    index.filter(({ as_of }) => isThen(compareTimestamps(as_of, timestamp))).map(({ log_size }) => log_size);
  const from = Math.max(0, ...sizes((order) => order < 0));
  const to = Math.min(size, ...sizes((order) => order > 0));
  return { from: Math.min(from, to), to };
}
