import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Claim, claimBucket } from '../bucket/claim-bucket.ts';
import { cleanBucket, sendAgain } from '../bucket/clean-bucket.ts';
import { readCurrentRelease, setCurrentRelease, setStatus } from '../bucket/current-release.ts';
import { POINTER_KEY } from '../bucket/layout.ts';
import { LONGEST_POINTER, type Pointer, parsePointer } from '../bucket/pointer.ts';
import { pullForPublisher } from '../bucket/pull.ts';
import { pullSnapshots } from '../bucket/pull-snapshots.ts';
import { openPush, type Push } from '../bucket/push.ts';
import { repairPointer } from '../bucket/repair-pointer.ts';
import { CathedralError } from '../errors.ts';
import type { ObjectStore, objectStoreAt } from '../objects/object-store.ts';
import type { Database } from '../postgres/database.ts';
import { type Lease, type LeaseOptions, withLease } from '../postgres/lease.ts';
import type { Status } from '../release/format/status.ts';
import { postgresRecords } from '../release/signing/postgres-records.ts';
import type { SigningRecords, SnapshotHashes } from '../release/signing/signing-record.ts';
import { counted, formatCount } from '../words/number.ts';
import type { BuildReport } from './build.ts';
import type { Share } from './plan.ts';

/** The lease that the runs of all publishers share. */
export const PUBLISHER_LEASE = 'publisher';

/** Whose turn it is, for whoever waits. `command`: its name. */
export function holderOf(command: string): string {
  return `${hostname()}, ${command}, process ${process.pid}`;
}

/** Runs `work` in the turn of this publisher, which nobody else has meanwhile. Throws locked. */
export function withTurn<T>(
  database: Database,
  { holder, waitMs }: Pick<LeaseOptions, 'holder' | 'waitMs'>,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  return withLease(database, { name: PUBLISHER_LEASE, holder, waitMs }, work);
}

/** What the publishers of a service share. */
export interface Cluster extends Pick<LeaseOptions, 'holder' | 'waitMs'> {
  database: Database;
  objects: ObjectStore;
  /** Whose bucket it is. */
  claim: Claim;
  /** How long replicas have to fetch a release before all switch to it, ms. */
  switchDelayMs?: number;
}

/** The turn of one publisher. Once it has lost the lease, whatever it does next fails. */
export interface Turn {
  records: SigningRecords;
  share: Share;
  signal: AbortSignal;
}

export interface ClusterRun {
  out: string;
  log: (line: string) => void;
  /** Continues from the pointer where the database is older than it. Default false: nothing is published then. */
  adoptsPointer?: boolean;
  /** Makes the current release again from the ledger where neither the bucket nor OUT has all of it. Default false: the run stops then. */
  rebuild?: boolean;
  /** Keeps how the run ended, for all machines. */
  record: (run: () => Promise<BuildReport>) => Promise<BuildReport>;
  /** Builds from the folder that was brought up to date. */
  build: (turn: Turn) => Promise<BuildReport>;
  /** Runs when the release is current, before all replicas have switched to it. */
  afterwards: () => Promise<void>;
}

/** The longest CATHEDRAL_SWITCH_DELAY. */
const MOST_SWITCH_MS = 60_000;
/** Simultaneous requests of a push. */
const PARALLEL = 8;

/**
 * One run of one of several publishers, in its turn. It begins where the last turn ended, wherever that was: the row says which release is
 * current, the record which snapshots exist. Every step is idempotent. Throws locked without the lease, release_refused for a database
 * that is older than what was published, store_failed, and what `build` throws.
 */
export async function clusterRun(cluster: Cluster, run: ClusterRun): Promise<BuildReport> {
  return withTurn(cluster.database, cluster, (lease) => run.record(() => runInTurn(cluster, lease, run)));
}

async function runInTurn(cluster: Cluster, lease: Lease, run: ClusterRun): Promise<BuildReport> {
  const { database, objects, claim } = cluster;
  const { signal } = lease;
  const records = bucketRecords(database, objects, lease);
  // Before anything, a shared ledger included, is stored in a bucket that may be another service's.
  await claimBucket(database, objects, claim);
  run.log(`taking what was published last from ${objects.name}`);
  if (run.adoptsPointer) await adoptPointer(cluster, lease);
  await repairPointer(database, objects, claim);
  const current = await readCurrentRelease(database, claim.service);
  const stored = await bringUpToDate(cluster, lease, current, { records, ...run });
  const share = shareOf(cluster, lease, stored, { records, ...run });
  const report = await run.build({ records, share, signal });
  await run.afterwards();
  await clean(cluster, lease, run);
  return report;
}

/** The record of publishers that share releases, so it does not matter in which folder one of them makes a release. */
function bucketRecords(
  database: Database,
  { name }: Pick<ObjectStore, 'name'>,
  lease: Lease | null,
): SigningRecords {
  return postgresRecords(database, lease, { nameOf: async () => name, isAbandoned: async () => true });
}

/**
 * Makes OUT what the cluster has: the current release, its log, and every snapshot that was recorded, listed or not. Returns the current release if
 * all of it is in the bucket.
 */
async function bringUpToDate(
  { objects, claim, waitMs }: Cluster,
  lease: Lease,
  current: Pointer | null,
  { out, records, log, rebuild = false }: Pick<Turn, 'records'> & Pick<ClusterRun, 'out' | 'log' | 'rebuild'>,
): Promise<Pointer | null> {
  const { service } = claim;
  const recorded = (await records.read()).services[service]?.snapshots ?? {};
  const options = { store: objects, out, recorded, signal: lease.signal };
  if (!current) {
    await assertFirst(objects, service);
    const { rest } = await pullSnapshots({ snapshots: null }, options);
    await rest(() => false);
    return null;
  }
  const pull = () => pullForPublisher(current, { ...options, waitMs });
  const pulled = await pull().catch(async (error) => {
    if (!isDamaged(error)) throw error;
    log(`${error.message}; looking for what ${out} has of it`);
    if (await sendAgain(current, { out, objects, service, parallel: PARALLEL, lease })) return pull();
    if (!rebuild) throw error;
    log(`${out} does not have ${current.release} either: making it again from the ledger`);
    return null;
  });
  if (!pulled) {
    await pullWhatIsLeft(options);
    return null;
  }
  if (pulled.fetched.files > 0)
    log(`fetched ${formatCount(pulled.fetched.files, 'file')} of ${current.release}`);
  return current;
}

/** The recorded snapshots that the bucket has, each for itself. The run refuses to continue without one that OUT does not have either. */
async function pullWhatIsLeft(options: Parameters<typeof pullSnapshots>[1]): Promise<void> {
  for (const [id, hash] of Object.entries(options.recorded)) {
    const one = { ...options, recorded: { [id]: hash } };
    await pullSnapshots({ snapshots: null }, one).catch((error) => {
      if (!isDamaged(error)) throw error;
    });
  }
}

/** The bucket lacks a part of what the row says, as after it was restored from a copy. */
function isDamaged(error: unknown): error is CathedralError {
  return error instanceof CathedralError && ['release_invalid', 'log_invalid'].includes(error.code);
}

/** Pushes each snapshot before it is recorded, and each release before the row names it. */
function shareOf(
  cluster: Cluster,
  lease: Lease,
  current: Pointer | null,
  { out, records, log }: Pick<Turn, 'records'> & Pick<ClusterRun, 'out' | 'log'>,
): Share {
  const { database, objects, claim, switchDelayMs } = cluster;
  const { service } = claim;
  const { signal } = lease;
  let opened: Promise<Push> | null = null;
  const push = () => {
    const noteOf = async (size: number) => {
      const found = (await readCurrentRelease(database, service))?.log;
      return found?.size === size ? found.checkpoint : null;
    };
    const options = { out, objects, service, previous: current, noteOf, log, parallel: PARALLEL, signal };
    opened ??= openPush(options);
    return opened;
  };
  return {
    async snapshots(index) {
      const recorded: SnapshotHashes = (await records.read()).services[service]?.snapshots ?? {};
      for (const { id, index: stored } of index)
        if (recorded[id] !== stored.sha256) await (await push()).snapshot(id);
    },
    async release(release) {
      await claimBucket(database, objects, claim);
      const pointed = await (await push()).release(release);
      signal.throwIfAborted();
      await setCurrentRelease(database, lease, pointed, switchDelayMs);
      await repairPointer(database, objects, claim);
    },
  };
}

/** Throws release_refused for a database that knows no release of a bucket that has one. */
async function assertFirst(store: ObjectStore, service: string): Promise<void> {
  const pointer = await pointerOf(store, service);
  if (!pointer) return;
  throw new CathedralError('release_refused', {
    place: `${store.name}/${POINTER_KEY}`,
    expected:
      'no release in the bucket, because the database knows none (nothing is published: restore the newest database; if there is none, ' +
      'run: cathedral build --adopts-pointer)',
    found: `version ${pointer.version} (${pointer.release})`,
  });
}

/** The pointer in the bucket; null if there is none, or that of another service. */
async function pointerOf(store: ObjectStore, service: string): Promise<Pointer | null> {
  const found = await store.read(POINTER_KEY, LONGEST_POINTER);
  if (!found) return null;
  const text = Buffer.from(found.content).toString();
  const pointer = parsePointer(text, `${store.name}/${POINTER_KEY}`);
  return pointer.service === service ? pointer : null;
}

/** Makes the row what the pointer says, after the database was set back and what it lacks is lost. */
async function adoptPointer({ database, objects, claim }: Cluster, lease: Lease): Promise<void> {
  const pointer = await pointerOf(objects, claim.service);
  const row = await readCurrentRelease(database, claim.service);
  if (!pointer || pointer.version <= (row?.version ?? 0)) return;
  const { format, switch_at, status, epoch, ...pointed } = pointer;
  await setCurrentRelease(database, lease, pointed, 0);
}

async function clean(
  cluster: Cluster,
  lease: Lease,
  { out, log }: Pick<ClusterRun, 'out' | 'log'>,
): Promise<void> {
  const { database, objects, claim } = cluster;
  const cleaned = await cleanBucket({
    out,
    database,
    objects,
    lease,
    service: claim.service,
    parallel: PARALLEL,
  });
  if (!cleaned) return;
  const { removed, missing } = cleaned;
  if (removed.objects > 0)
    log(`removed ${counted(removed.objects, 'object')} that nothing refers to from ${objects.name}`);
  if (missing.length > 0)
    log(
      `${objects.name} lacked ${counted(missing.length, 'object')} of the current release, such as ${missing[0]}: sent again`,
    );
}

/** Tells all machines how a run ended. A status without the time of the next run keeps the one that is known. */
export async function shareStatus(
  database: Database,
  objects: ObjectStore,
  claim: Claim,
  status: Status,
  now: number,
): Promise<void> {
  const known = (await readCurrentRelease(database, claim.service))?.status?.next_run_at ?? null;
  const next = status.next_run_at ?? (known !== null && Date.parse(known) > now ? known : null);
  await setStatus(database, claim.service, { ...status, next_run_at: next });
  await repairPointer(database, objects, claim);
}

/** A store that may not have been reached yet. */
type Probed = ReturnType<typeof objectStoreAt>;

/** How often the pointer in the bucket is compared with the row. */
const REPAIR_MS = 30_000;

/** Tells all machines when the next run of this one is, ms since 1970, unless another publisher runs earlier. */
export async function announceRun(
  { database, objects, claim }: Pick<Cluster, 'database' | 'objects' | 'claim'>,
  next: number,
  now: number,
): Promise<void> {
  const status = (await readCurrentRelease(database, claim.service))?.status;
  const known = Date.parse(status?.next_run_at ?? '');
  if (!status || (known > now && known <= next)) return;
  await shareStatus(database, objects, claim, { ...status, next_run_at: new Date(next).toISOString() }, now);
}

/** Between the runs: keeps the pointer in the bucket what the row says, until `signal` aborts. Says each fault once. */
export async function keepPointer(
  { database, objects }: Pick<Cluster, 'database'> & { objects: Probed },
  claim: () => Promise<Claim>,
  { log, signal }: { log: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  let told: string | null = null;
  let isProbed = false;
  while (!signal.aborted) {
    await sleep(REPAIR_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      if (!isProbed) await objects.probe();
      isProbed = true;
      const found = await repairPointer(database, objects, await claim());
      if (found === 'repaired')
        log(`The pointer in ${objects.name} differed from the row of the current release, and was repaired.`);
      else if (told !== null) log('The pointer can be compared again.');
      told = null;
    } catch (error) {
      const { message } = error as Error;
      if (message !== told) log(`The pointer is not compared with the database: ${message}`);
      told = message;
    }
  }
}

/**
 * Purges caches once all replicas have switched to the current release, unless that was done before. It needs no lease, so the next publisher
 * need not wait for it: a release that comes meanwhile is purged by its own run. `purge` tells whether it succeeded.
 */
export async function purgeOnceSwitched(
  database: Database,
  service: string,
  { log, purge }: { log: (line: string) => void; purge: () => Promise<boolean> },
): Promise<void> {
  let due = await unpurged(database, service);
  if (due && due.left > 0) log('waiting until all servers switch to the release, to purge caches');
  // The database is asked again after the wait, because a timer may fire early and a purge before the switch would bring the previous release
  // back into the caches. The total is limited: a clock that was wrong when the time was set would make the wait longer.
  for (let waited = 0; due && due.left > 0 && waited < MOST_SWITCH_MS; ) {
    const pause = Math.min(Math.ceil(due.left), MOST_SWITCH_MS);
    await sleep(pause);
    waited += pause;
    due = await unpurged(database, service);
  }
  if (!due) return;
  if (!(await purge())) return;
  const purged = 'UPDATE cathedral.current_release SET purged = $2 WHERE service = $1 AND purged < $2';
  await database.query(purged, [service, due.version]);
}

/** The current release of the service if no run has purged it, and the milliseconds until all servers have switched to it. */
async function unpurged(
  database: Database,
  service: string,
): Promise<{ version: number; left: number } | undefined> {
  const { rows } = await database.query<{ version: number; left: number }>(
    `SELECT version, (extract(epoch FROM switch_at - clock_timestamp()) * 1000)::float8 AS left
     FROM cathedral.current_release WHERE service = $1 AND purged < version`,
    [service],
  );
  return rows[0];
}
