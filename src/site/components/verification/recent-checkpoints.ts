import { CHECKPOINT_ANCHOR, CHECKPOINTS_FEED } from '../../../../pipeline/forms/catalogue/checkpoints.ts';
import { jsonFeed } from '../../../../pipeline/forms/catalogue/feeds.ts';
import { type Checkpoint, parseCheckpoint } from '../../../../pipeline/ledger/checkpoint.ts';
import { noteText } from '../../../../pipeline/ledger/note.ts';
import type { SiteRelease } from '../release.ts';

/** A row of the page about the log. */
export interface CheckpointRow extends Checkpoint {
  /** The slot of its ledger snapshot, `2025-12-01T06Z`. */
  snapshot: string;
  /** When the snapshot was sealed at the earliest. */
  time: string;
  /** Events since the checkpoint before it; null for the oldest one known here. */
  added: number | null;
}

/** The checkpoints that the release's feed has, newest first; empty in a release without feeds. */
export function recentCheckpoints(release: SiteRelease): CheckpointRow[] {
  const feed = jsonFeed(CHECKPOINTS_FEED);
  if (!release.find(feed.path)) return [];
  const rows = release.read(feed).items.map(({ url, content_text, date_published: time }) => {
    const snapshot = new URL(url).hash.slice(`#${CHECKPOINT_ANCHOR}`.length);
    return { ...parseCheckpoint(noteText(content_text, feed.path), feed.path), snapshot, time };
  });
  return rows.map((row, at) => ({
    ...row,
    added: at + 1 < rows.length ? row.size - rows[at + 1]!.size : null,
  }));
}
