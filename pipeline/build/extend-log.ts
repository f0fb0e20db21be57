import { withHint } from '../errors.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { type LedgerDirectory, snapshotFile } from '../ledger/reading/directory.ts';
import { readCheckpoint } from '../ledger/reading/read-checkpoint.ts';
import type { SnapshotPart } from '../ledger/reading/read-snapshot.ts';
import type { Facts } from '../release/format/manifest.ts';
import type { Published } from '../release/format/release.ts';
import { assertLedgerHolds, assertSameSnapshot, forked } from '../release/log/assert-ledger-holds.ts';
import { openLog, type PublishedLog } from '../release/log/open-log.ts';
import { hasPublicBundles } from '../release/log/public-bundles.ts';
import { removeOldPartials } from '../release/log/remove-old-partials.ts';
import { LogExtension, stagePublicEvents } from '../release/log/staged-log.ts';
import { counted } from '../words/number.ts';

interface LogOptions {
  out: string;
  ledger: LedgerDirectory;
  verifiers: Verifier[];
  /** Whether the whole ledger is read, which allows different snapshots of the same events. */
  rebuild?: boolean;
  /** False: only the release is made, for a comparison. */
  publishesLog?: boolean;
  log: (line: string) => void;
}

/** The log of a run: it grows with what the run folds, and is published around the commit of the release. */
export interface RunLog extends AsyncDisposable {
  /** Takes the verified events that the run folds, so that they are read once. `goal`: number of events at its end. */
  take(part: SnapshotPart, goal: number): Promise<void>;
  /**
   * Extends the log to a verified ledger. The commit calls `publish` once the release is signed but not yet current, so readers of a
   * release find its log, possibly a longer one.
   */
  extend<T>(target: Facts['ledger'], commit: (publish: () => Promise<void>) => Promise<T>): Promise<T>;
}

/**
 * Verifies the published log first, so that errors of the log occur before the commit. Throws log_invalid and log_forked.
 */
export async function prepareLog(options: LogOptions, previous: Published | null): Promise<RunLog> {
  const { out, ledger, verifiers, rebuild = false, publishesLog = true } = options;
  if (!publishesLog) return NO_LOG;
  const published = await openLog(out).catch((cause) => {
    throw withHint(
      cause,
      `find out who changed it, then remove ${out}/log and ${out}/log-entries, and run again`,
    );
  });
  const heads = [published.checkpoint, previous?.manifest.ledger].filter((head) => head != null);
  await assertLedgerHolds(ledger, heads, verifiers);
  if (previous && !rebuild) assertSameSnapshot(ledger.path, previous.manifest.ledger, verifiers);
  const served = previous?.manifest.ledger.size ?? Number.POSITIVE_INFINITY;
  const extension = new LogExtension(out, published.edge);
  return {
    take: (part, goal) => extension.take(part, goal),
    extend: (target, commit) => extend(extension, published, target, commit, { ...options, served }),
    [Symbol.asyncDispose]: () => extension[Symbol.asyncDispose](),
  };
}

const NO_LOG: RunLog = {
  take: async () => {},
  extend: (_, commit) => commit(async () => {}),
  [Symbol.asyncDispose]: async () => {},
};

async function extend<T>(
  extension: LogExtension,
  published: PublishedLog,
  target: Facts['ledger'],
  commit: (publish: () => Promise<void>) => Promise<T>,
  { out, ledger, verifiers, log, served }: LogOptions & { served: number },
): Promise<T> {
  const { checkpoint, reader } = published;
  const isLonger = checkpoint?.size !== target.size;
  if (!isLonger && checkpoint.root !== target.root)
    throw forked({ id: target.snapshot }, checkpoint, target.root);
  const lacksEvents = reader !== null && !(await hasPublicBundles(out));
  if (!isLonger && !lacksEvents) return commit(async () => {});
  const note = isLonger
    ? readCheckpoint(snapshotFile(ledger.path, target.snapshot), verifiers).note
    : published.note;
  const staged = await extension.staged();
  if (lacksEvents) {
    log(
      `publishing the public events among ${counted(published.edge.size, 'entry', 'entries')} of the log, for the first time or by new decisions`,
    );
    await stagePublicEvents(staged, reader);
  }
  log(`adding ${counted(target.size - published.edge.size, 'entry', 'entries')} to the log`);
  await extension.complete(target, { ledger, verifiers });
  // Before publishing: a run that is killed afterwards would otherwise leave them.
  await removeOldPartials(out, Math.min(published.edge.size, served));
  let isPublished = false;
  const publish = async () => {
    if (!isPublished) await staged.publish(note);
    isPublished = true;
  };
  const result = await commit(publish);
  await publish();
  return result;
}
