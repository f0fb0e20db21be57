import {
  LIST_PATH,
  LONGEST_INDEX,
  parseSnapshotIndex,
  type SnapshotEntry,
  type SnapshotIndex,
} from '../../release/format/snapshot-index.ts';
import { type Around, snapshotsAround } from '../../release/format/version-at.ts';
import { mismatchError } from '../findings.ts';
import { type Origin, readSmall } from '../origin.ts';

/**
 * The snapshot list of a host, read once. Fifty years of snapshots are some 700 kB, of which a tenth is sent, compressed. Nothing here is verified:
 * what an entry names is, against its signed manifest. Every method throws mirror_mismatch, release_invalid and mirror_unreachable.
 */
export class ListedSnapshots {
  readonly #origin: Origin;
  #list: Promise<SnapshotIndex> | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** The one before and the one after, undefined where there is none. */
  async neighbours(
    id: string,
  ): Promise<[before: SnapshotEntry | undefined, after: SnapshotEntry | undefined]> {
    const list = await this.#read();
    return [list.find((one) => one.id < id), list.findLast((one) => one.id > id)];
  }

  /** Those around a slot. */
  async at(slot: string): Promise<Around<SnapshotEntry>> {
    return snapshotsAround(await this.#read(), slot);
  }

  /** After a failure, the next call tries again. */
  #read(): Promise<SnapshotIndex> {
    this.#list ??= this.#fetch().catch((error) => {
      this.#list = null;
      throw error;
    });
    return this.#list;
  }

  async #fetch(): Promise<SnapshotIndex> {
    const place = this.#origin.placeOf(LIST_PATH);
    const found = await readSmall(this.#origin, LIST_PATH, { most: LONGEST_INDEX });
    if (!found) throw mismatchError(place, 'the snapshot list', 'no such file');
    return parseSnapshotIndex(new TextDecoder().decode(found.bytes), place);
  }
}
