import type { RecentCheckpoint } from '../../ledger/recent-checkpoints.ts';
import { slotTimestamp } from '../../ledger/slot.ts';
import { formatMoment } from '../../words/moment.ts';
import { formatCount } from '../../words/number.ts';
import type { Change } from './changes.ts';
import { TITLE } from './facts.ts';
import type { Feed } from './feeds.ts';

/** The page about the log, below the service's root. */
export const LOG_PAGE = 'verification/log/';

/** An id must begin with a letter. */
export const CHECKPOINT_ANCHOR = 'at-';

export const CHECKPOINTS_FEED: Feed = {
  path: 'checkpoints',
  title: `${TITLE}: checkpoints of the log`,
  subtitle: 'Each checkpoint that the ledger has signed: the number of events and the root hash',
  page: LOG_PAGE,
};

/** An entry for each checkpoint, with the signed note as its text, so that whoever keeps the feed keeps the evidence. */
export function checkpointEntries(checkpoints: readonly RecentCheckpoint[]): Change[] {
  return checkpoints.map(({ snapshot, size, note }) => ({
    id: `checkpoint/${snapshot}`,
    title: `${formatCount(size, 'event')} at ${formatMoment(slotTimestamp(snapshot))}`,
    summary: note,
    updated: slotTimestamp(snapshot),
    path: `${LOG_PAGE}#${CHECKPOINT_ANCHOR}${snapshot}`,
  }));
}
