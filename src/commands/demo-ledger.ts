import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerSource } from '../../pipeline/config/publishing-settings.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { openDirectory, type SnapshotFile } from '../../pipeline/ledger/directory.ts';
import { openNote } from '../../pipeline/ledger/open-note.ts';
import { slotId } from '../../pipeline/ledger/slot.ts';
import { exists } from '../../pipeline/release/disk/durable.ts';
import { withLock } from '../../pipeline/release/disk/lock.ts';
import { recoverFinalFiles } from '../../pipeline/release/format/release.ts';
import { assertLedgerHolds, assertSameSnapshot } from '../../pipeline/release/log/assert-ledger-holds.ts';
import { openLog } from '../../pipeline/release/log/open-log.ts';
import { signingFolder } from '../../pipeline/release/signing/signing-record.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { runChild } from '../scheduler/run-child.ts';
import type { Context } from './command.ts';

/** How long to wait for the slots that passed since the last start, ms; the first run does without them then. */
const CATCH_UP_MS = 60_000;
const LOOK_MS = 200;
/** The writer of a start that was killed ends within this, ms. */
const OTHER_ENDS_MS = 3_000;

/** Where what was made of the ledger before is, and the record of what was signed. */
type Published = Pick<Config, 'out' | 'publisherKey'>;

/**
 * Writes a demo ledger where there is no ledger, and has a process of its own keep it alive until `signal` aborts.
 * Resolves when the ledger is up to date, to the end of that process. Throws config_invalid for a ledger that is not
 * a demo's, and for one that is not what was published.
 */
export async function keepDemoLedger(
  source: LedgerSource,
  published: Published,
  { now, progress }: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<{ ended: Promise<void> }> {
  if (source.kind !== 'directory') {
    const fault = { place: '--demo', expected: 'a ledger in a folder', found: `civic+${source.url}` };
    throw new CathedralError('config_invalid', fault);
  }
  const { path } = source;
  await assertAlone(path);
  if (await exists(join(path, 'snapshots'))) await assertDemo(path);
  else await writeDemo(path, { now, progress }, signal);
  if (signal.aborted) return { ended: Promise.resolve() };
  await assertOfThis(path, published);
  const ended = runChild(['sample', '--follow', '--out', path], signal).then(({ status, fault }) => {
    if (!signal.aborted)
      progress.note(`The demo ledger stands still: its writer ended with ${fault ?? status}.`);
  });
  progress.stage('Catching up with what passed in the demo ledger');
  await Promise.race([ended, untilSealed(path, now)]);
  progress.end();
  return { ended };
}

/** Two of one ledger would be one that writes it, and one whose ledger stands still. */
async function assertAlone(path: string): Promise<void> {
  const alone = { waitMs: OTHER_ENDS_MS, holder: `start --demo, process ${process.pid}` };
  await withLock(`${path}.lock`, alone, async () => {}).catch((cause: unknown) => {
    if (!(cause instanceof CathedralError && cause.code === 'locked')) throw cause;
    const expected =
      'no other start with this demo ledger (to run two: CATHEDRAL_LEDGER, CATHEDRAL_OUT and PORT)';
    throw new CathedralError('locked', { place: path, expected, found: cause.found, cause });
  });
}

/**
 * A demo ledger that was removed is made anew, with other events from the moment on at which the old one began to be fed. No run
 * could publish it where the old one is published; a newcomer is told so at once, and what to do, and not by each run anew.
 */
async function assertOfThis(path: string, { out, publisherKey }: Published): Promise<void> {
  const { checkpoint } = await openLog(out);
  // Also one that has as many events by now: its snapshots need not end where those of the old one did.
  const served = await recoverFinalFiles(out);
  const verifiers = [demoSigner().verifier];
  try {
    if (checkpoint) await assertLedgerHolds(openDirectory(path), [checkpoint], verifiers);
    if (served) assertSameSnapshot(path, served.manifest.ledger, verifiers);
  } catch (cause) {
    if (!(cause instanceof CathedralError && cause.code === 'log_forked')) throw cause;
    const anew = `rm -r ${out} ${signingFolder(publisherKey)}`;
    const expected = `releases of the demo ledger in ${path} (to begin anew: ${anew})`;
    throw new CathedralError('config_invalid', {
      place: out,
      expected,
      found: 'those of another one',
      cause,
    });
  }
}

async function untilSealed(path: string, now: () => number): Promise<void> {
  const end = now() + CATCH_UP_MS;
  while (now() < end && (await newestSnapshot(path))!.id < slotId(now())) {
    await sleep(LOOK_MS, undefined, { ref: false });
  }
}

/** Writes nothing to `path` where `signal` aborts. */
async function writeDemo(
  path: string,
  { now, progress }: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<void> {
  progress.stage('Writing a sample ledger, from 2025-07-03 to now');
  // Beside its place first: a start that is stopped here begins anew, and does not go on from half a ledger.
  await rm(`${path}.new`, { recursive: true, force: true });
  const written = await writeSample({ out: `${path}.new`, to: now(), signal }).catch((error: unknown) => {
    if (error !== signal.reason) throw error;
    return null;
  });
  if (!written) return progress.end('stopped');
  const { events, snapshots } = written;
  await rename(`${path}.new`, path);
  progress.note(`The sample ledger has ${events} events in ${snapshots} snapshots; it is in ${path}.`);
}

/** A ledger that is not ours to write to must not get made-up events. */
async function assertDemo(path: string): Promise<void> {
  const newest = await newestSnapshot(path);
  try {
    if (!newest) throw new Error('no snapshot');
    openNote(await readFile(newest.checkpoint), [demoSigner().verifier], newest.checkpoint);
  } catch (cause) {
    const expected = 'a demo ledger (for another one: npm run cathedral -- start)';
    const found = 'one that another key signed';
    throw new CathedralError('config_invalid', { place: path, expected, found, cause });
  }
}

async function newestSnapshot(path: string): Promise<SnapshotFile | undefined> {
  return (await openDirectory(path).snapshots(null)).at(-1);
}
