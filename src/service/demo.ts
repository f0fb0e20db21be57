import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LedgerSource, nameOfSource } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { exists } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { slotId } from '../../pipeline/ledger/events/slot.ts';
import { openNote } from '../../pipeline/ledger/notes/open-note.ts';
import { openDirectory, type SnapshotFile } from '../../pipeline/ledger/reading/directory.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { lockLedger } from '../../pipeline/ledger/writing/lock-ledger.ts';
import { recoverFinalFiles } from '../../pipeline/release/format/release.ts';
import { assertLedgerHolds, assertSameSnapshot } from '../../pipeline/release/log/assert-ledger-holds.ts';
import { openLog } from '../../pipeline/release/log/open-log.ts';
import { signingFolder } from '../../pipeline/release/signing/file-records.ts';
import { PAST_ENDS, unpackPast } from '../../pipeline/sample/shipped-past.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import type { Running } from '../../pipeline/sources/open-ledger.ts';
import { runChild } from '../scheduler/scheduled-build.ts';
import { withKeys } from '../sidecar/keys/key-commands.ts';
import { issueKey } from '../sidecar/keys/key-life.ts';
import type { KeyStore } from '../sidecar/keys/key-store.ts';
import { hashKey } from '../sidecar/keys/key-text-and-hash.ts';

/** How long to wait for events of the time since the last start, ms; then the first run publishes without them. */
const CATCH_UP_MS = 60_000;
const POLL_MS = 200;
/** The writer of a `start` that was killed ends within this, ms. */
const OTHER_ENDS_MS = 3_000;

export interface Demonstrating extends Running {
  progress: Running['progress'] & { end(how?: string): void };
}

/** Where the releases of the demo ledger are, and the record of what was signed. */
type Published = Pick<Config, 'out' | 'publisherKey'>;

/** A demo ledger of this machine. */
export interface DemoLedger {
  /**
   * Starts a process that appends events to it until the signal of `openDemoLedger` aborts. Resolves when the ledger is up to date.
   */
  keepUpToDate(): Promise<void>;
  /** Resolves when that process has ended; at once if it was never started. */
  end(): Promise<void>;
}

/**
 * Writes a demo ledger if there is no ledger. Throws config_invalid for a ledger that is not a demo ledger, and for one that contradicts what
 * was published.
 */
export async function openDemoLedger(
  source: LedgerSource,
  published: Published,
  { now, progress }: Demonstrating,
  signal: AbortSignal,
): Promise<DemoLedger> {
  if (source.kind !== 'directory') {
    const fault = { place: '--demo', expected: 'a ledger in a folder', found: nameOfSource(source) };
    throw new CathedralError('config_invalid', fault);
  }
  const { path } = source;
  await assertNoOtherWriter(path);
  if (await exists(join(path, 'snapshots'))) await assertDemo(path);
  else await writeDemo(path, { now, progress }, signal);
  if (!signal.aborted) await assertMatchesPublished(path, published);
  let ended = Promise.resolve();
  return {
    async keepUpToDate() {
      if (signal.aborted) return;
      ended = runChild(['sample', '--follow', '--ledger', path], signal).then(({ status, fault }) => {
        if (!signal.aborted)
          progress.note(`The demo ledger gets no more events: its writer ended with ${fault ?? status}.`);
      });
      await Promise.race([ended, untilSealed(path, now)]);
    },
    end: () => ended,
  };
}

/** Of two services with one demo ledger, one would write it and the other would see no new events. */
async function assertNoOtherWriter(path: string): Promise<void> {
  const lock = { waitMs: OTHER_ENDS_MS, holder: `start --demo, process ${process.pid}` };
  const held = await lockLedger(path, lock).catch((cause: unknown) => {
    if (!(cause instanceof CathedralError && cause.code === 'locked')) throw cause;
    const expected =
      'no other start with this demo ledger (to run two: CATHEDRAL_LEDGER, CATHEDRAL_OUT and PORT)';
    throw new CathedralError('locked', { place: path, expected, found: cause.found, cause });
  });
  held.close();
}

/**
 * A demo ledger that was deleted is written again, with different events from the moment on at which the first one was kept
 * alive. No run could publish it where the first one is published. A newcomer is told what to do immediately, rather than by
 * every run.
 */
async function assertMatchesPublished(path: string, { out, publisherKey }: Published): Promise<void> {
  const { checkpoint } = await openLog(out);
  // Even with as many events as before, its snapshots need not end where those of the first one did.
  const served = await recoverFinalFiles(out);
  const verifiers = [demoSigner().verifier];
  try {
    if (checkpoint) await assertLedgerHolds(openDirectory(path), [checkpoint], verifiers);
    if (served) assertSameSnapshot(path, served.manifest.ledger, verifiers);
  } catch (cause) {
    if (!(cause instanceof CathedralError && cause.code === 'log_forked')) throw cause;
    const startOver = `rm -r ${out} ${signingFolder(publisherKey)}`;
    const expected = `releases of the demo ledger in ${path} (to start over: ${startOver})`;
    throw new CathedralError('config_invalid', {
      place: out,
      expected,
      found: 'releases of a different ledger',
      cause,
    });
  }
}

async function untilSealed(path: string, now: () => number): Promise<void> {
  const end = now() + CATCH_UP_MS;
  while (now() < end && (await newestSnapshot(path))!.id < slotId(now())) {
    await sleep(POLL_MS, undefined, { ref: false });
  }
}

/** Writes nothing to `path` if `signal` aborts. */
async function writeDemo(path: string, { now, progress }: Demonstrating, signal: AbortSignal): Promise<void> {
  progress.stage(`Writing a demo ledger to ${path}`);
  // Written beside its place and renamed, so that a start that is stopped here leaves no half of a ledger.
  const made = `${path}.new`;
  await rm(made, { recursive: true, force: true });
  if (now() >= Date.parse(PAST_ENDS)) await unpackPast(made);
  else
    await writeSample({ out: made, to: now(), signal }).catch((error: unknown) => {
      if (error !== signal.reason) throw error;
    });
  if (signal.aborted) return progress.end('stopped');
  await rename(made, path);
  progress.end();
}

/** Nothing may append generated events to a ledger that is not a demo ledger. */
async function assertDemo(path: string): Promise<void> {
  const newest = await newestSnapshot(path);
  try {
    if (!newest) throw new Error('no snapshot');
    openNote(await readFile(newest.checkpoint), [demoSigner().verifier], newest.checkpoint);
  } catch (cause) {
    const expected = 'a demo ledger (for any other ledger: cathedral start)';
    const found = 'a ledger signed by another key';
    throw new CathedralError('config_invalid', { place: path, expected, found, cause });
  }
}

async function newestSnapshot(path: string): Promise<SnapshotFile | undefined> {
  return (await openDirectory(path).snapshots(null)).at(-1);
}

/** The key itself, of which the store has the hash only, is in a file beside the key of the publisher. */
interface DemoKeyOptions extends Pick<Config, 'store' | 'publisherKey'> {
  baseUrl: string;
  now: () => number;
}

/** The government key of the demo, so that a visitor can read the restricted files; a new one when the last one has expired. */
export function demoGovernmentKey({ store, publisherKey, baseUrl, now }: DemoKeyOptions): Promise<string> {
  return withKeys({ store }, { now, command: 'start', mustExist: false }, async (store, now) => {
    const path = join(dirname(publisherKey), 'demo.key');
    const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (kept !== '' && (await isValid(store, kept, now()))) return kept;
    const { key } = await issueKey(APPLICANT, { store, mailer: null, now, randomBytes, baseUrl });
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, `${key!}\n`, { mode: 0o600 });
    return key!;
  });
}

const APPLICANT = {
  tier: 'government',
  email: 'visitor@demo.example',
  name: 'Demo visitor',
  affiliation: 'none',
  purpose: 'To read the restricted files of a demo ledger',
  basis: 'a demo: the data is generated',
  deliver: 'print',
} as const;

async function isValid(store: KeyStore, key: string, now: number): Promise<boolean> {
  const record = await store.keyByHash(hashKey(key));
  return record !== null && record.revoked_at === null && record.expires_at > now;
}
