import { CathedralError } from '../../../../pipeline/errors.ts';
import { AS_OF_FORM, parseAsOf } from '../../../../pipeline/release/format/snapshot-at.ts';
import type { SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import type { ListedSnapshots } from '../../../../pipeline/verify/versions/listed-snapshots.ts';
import { formatMonth } from '../../../../pipeline/words/moment.ts';
import { NothingToCheck } from '../verification/steps.ts';

/** Characters of a parameter that are shown. */
const LONGEST_SHOWN = 200;

/** Nothing can be shown of what the address asks for; `near` has snapshots that can. */
export class NoSuchVersion extends NothingToCheck {
  readonly near: readonly SnapshotEntry[];

  constructor(place: string, expected: string, found: string, near: readonly SnapshotEntry[] = []) {
    super(
      new CathedralError('config_invalid', {
        place,
        expected,
        found: found.slice(0, LONGEST_SHOWN) || 'nothing',
      }),
    );
    this.near = near;
  }
}

/** The snapshot that `as_of` means. Throws NoSuchVersion, and like the list. */
export async function wantedSnapshot(
  listed: ListedSnapshots,
  asOf: string,
  name = 'as_of',
): Promise<SnapshotEntry> {
  const ms = parseAsOf(asOf);
  if (ms === null) throw new NoSuchVersion(name, AS_OF_FORM, asOf);
  const found = await listed.at(ms);
  if (found.kind === 'kept') return found.entry;
  if (found.kind === 'before_first') {
    const { after } = found;
    if (!after) throw new NoSuchVersion(name, 'a snapshot on this host', 'an empty list of snapshots');
    const expected = `a time from the first snapshot on, ${after.id}`;
    throw new NoSuchVersion(name, expected, asOf, [after]);
  }
  const { before, after } = found;
  const expected = `a time of which the snapshot is kept: of ${formatMonth(after.id.slice(0, 7))} only the last one is, ${after.id}`;
  const others = 'which was removed or never made; cathedral as-of rebuilds it from the ledger';
  throw new NoSuchVersion(name, expected, `${asOf}, ${others}`, [before, after]);
}
