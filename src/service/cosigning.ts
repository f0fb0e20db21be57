import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../../pipeline/bucket/claim-bucket.ts';
import { addCosignatures, readCurrentRelease } from '../../pipeline/bucket/current-release.ts';
import { repairPointer } from '../../pipeline/bucket/repair-pointer.ts';
import type { ObjectStore } from '../../pipeline/objects/object-store.ts';
import { withBucket } from '../../pipeline/objects/with-bucket.ts';
import type { Database } from '../../pipeline/postgres/database.ts';
import { withDatabase } from '../../pipeline/postgres/with-database.ts';
import type { WitnessServer } from '../../pipeline/release/log/ask-witness.ts';
import { cosignLog, readWitnesses, type SharedNote } from '../../pipeline/release/log/cosign-log.ts';
import type { Running } from '../../pipeline/sources/open-ledger.ts';
import { RETRY_MS } from '../scheduler/schedule.ts';
import { claimOf, type TurnConfig } from './turn.ts';

/**
 * Asks the witnesses that have not cosigned the published checkpoint. Returns how many have still not. Never throws: the release is
 * published, and whatever fails here is tried again.
 */
export async function cosignPublished(
  witnesses: readonly WitnessServer[],
  config: TurnConfig,
  { now, progress }: Running,
  signal?: AbortSignal,
): Promise<number> {
  const log = (line: string) => progress.note(line);
  const { out, wait, store } = config;
  const options = { out, witnesses, waitMs: wait * 1000, now, log, ...(signal && { signal }) };
  try {
    if (config.releases === null) return await cosignLog(options);
    return await withDatabase(store, 'build', (database) =>
      withBucket(config, { access: 'write', log }, async (objects) =>
        cosignLog({ ...options, shared: sharedNote(database!, objects!, await claimOf(config)) }),
      ),
    );
  } catch (error) {
    log(`The witnesses were not asked, or their cosignatures not kept: ${(error as Error).message}`);
    return witnesses.length;
  }
}

/** The note that all machines that share a bucket serve. */
function sharedNote(database: Database, objects: ObjectStore, claim: Claim): SharedNote {
  return {
    read: async () => (await readCurrentRelease(database, claim.service))?.log.checkpoint ?? null,
    async add(note) {
      if (await addCosignatures(database, claim.service, note)) await repairPointer(database, objects, claim);
    },
  };
}

/** Asks witnesses between the runs of a service. */
export interface Cosigning {
  /** Begins to ask, after a run. */
  resume(): void;
  /** Stops asking, before the next run, which asks by itself. */
  pause(): Promise<void>;
}

/** Null without a policy. Throws config_invalid, so that a service with a damaged one does not start. */
export async function openCosigning(
  config: TurnConfig & { witnesses: string | null },
  context: Running,
  stopped: AbortSignal,
): Promise<Cosigning | null> {
  const { witnesses: path } = config;
  if (path === null) return null;
  await readWitnesses(path);
  let gap = new AbortController();
  let asking = Promise.resolve();
  return {
    resume() {
      gap = new AbortController();
      asking = askUntilDone(path, config, context, AbortSignal.any([gap.signal, stopped]));
    },
    async pause() {
      gap.abort();
      await asking;
    },
  };
}

/** With pauses like those between runs that fail. */
async function askUntilDone(
  path: string,
  config: TurnConfig,
  context: Running,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const witnesses = await readWitnesses(path).catch((error: Error) => {
      context.progress.note(error.message);
      return [];
    });
    if ((await cosignPublished(witnesses, config, context, signal)) === 0) return;
    await sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)], undefined, { signal }).catch(() => {});
  }
}
