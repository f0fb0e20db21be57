import { documentsFolder } from '../../pipeline/artifacts/documents/folder.ts';
import { keyNameOf } from '../../pipeline/artifacts/documents/organisation.ts';
import { readOrganisation } from '../../pipeline/artifacts/documents.ts';
import type { Claim } from '../../pipeline/bucket/claim-bucket.ts';
import type { BuildReport } from '../../pipeline/build/build.ts';
import {
  announceRun,
  clusterRun,
  holderOf,
  keepPointer,
  purgeOnceSwitched,
  shareStatus,
  type Turn,
  withTurn,
} from '../../pipeline/build/cluster.ts';
import { purgeCaches } from '../../pipeline/build/purge-caches.ts';
import { ledgerFolder } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { databaseOf } from '../../pipeline/config/store-place.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { readNoteKeys, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { credentialsFrom } from '../../pipeline/objects/object-address.ts';
import { type ObjectStore, objectStoreAt } from '../../pipeline/objects/object-store.ts';
import { withBucket } from '../../pipeline/objects/with-bucket.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { withDatabase } from '../../pipeline/postgres/with-database.ts';
import { requireKeys } from '../../pipeline/release/signing/change-publisher.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { hostFolders, postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import type { SigningRecords } from '../../pipeline/release/signing/signing-record.ts';
import type { Running } from '../../pipeline/sources/open-ledger.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { readLog } from '../sidecar/access-log/log-reader.ts';
import { signAccessLogHead } from '../sidecar/access-log/signed-heads.ts';
import type { TURN_SETTINGS } from './run-settings.ts';

export type TurnConfig = Pick<
  Config,
  | (typeof TURN_SETTINGS)[number]
  | 'out'
  | 'ledger'
  | 'importFolder'
  | 'documents'
  | 'baseUrl'
  | 'publisherKey'
  | 'wait'
>;
type RunConfig = TurnConfig &
  Pick<Config, 'purgeUrl' | 'purgeHeader' | 'purgeBody'> &
  Record<'movesHere' | 'adoptsPointer' | 'rebuild', boolean>;

/** A turn of a publisher that keeps its releases in a folder: nobody else needs to have them. */
export type OwnTurn = Omit<Turn, 'share'> & { share: Turn['share'] | null; now: () => number };

type Publish = (turn: OwnTurn | null) => Promise<BuildReport>;

/**
 * Runs `publish` when it is this publisher's turn; at once on a single machine, where nothing is shared and `publish` gets null. Throws
 * what `clusterRun` throws, and config_invalid.
 */
export async function takeTurn(config: RunConfig, running: Running, publish: Publish): Promise<BuildReport> {
  const { progress } = running;
  return withDatabase(config.store, 'build', async (database) => {
    if (!database) return purged(await publish(null), config, running);
    const shared = { ...running, now: () => running.now() + database.clock() };
    const bucket = { access: 'write', log: progress.note } as const;
    return withBucket(config, bucket, async (objects) => {
      progress.stage(`waiting for the turn of this publisher in ${database.name}`);
      return objects
        ? shareTurn(config, shared, { database, objects }, publish)
        : keepTurn(config, shared, database, publish);
    });
  });
}

/** The releases stay in the folder of this machine; the database says which machine that is. */
function keepTurn(
  config: RunConfig,
  running: Running,
  database: Database,
  publish: Publish,
): Promise<BuildReport> {
  const { now } = running;
  return withTurn(database, turnOf('build', config), async (lease) => {
    const records = postgresRecords(database, lease, hostFolders(config));
    const report = await publish({ records, share: null, signal: lease.signal, now });
    return purged(report, config, running);
  });
}

/** The releases are in a bucket, from which all machines serve them. */
async function shareTurn(
  config: RunConfig,
  running: Running,
  { database, objects }: { database: Database; objects: ObjectStore },
  publish: Publish,
): Promise<BuildReport> {
  const { out, adoptsPointer, rebuild, switchDelay } = config;
  const { now, progress } = running;
  const claim = await claimOf(config);
  const stores = { database, objects, claim, ...turnOf('build', config), switchDelayMs: switchDelay * 1000 };
  const keep = (status: Parameters<typeof shareStatus>[3]) =>
    shareStatus(database, objects, claim, status, now());
  const run = clusterRun(stores, {
    out,
    log: (line) => progress.stage(line),
    adoptsPointer,
    rebuild,
    build: (turn) => publish({ ...turn, now }),
    record: (run) => recordRun({ out, software: software(), now, keep }, run),
    afterwards: () => signHead(config, { database, objects, now: now() }),
  });
  // Also after a run that failed: it may have published before, or the one before it.
  return run.finally(() => purgeShared(config, running, { database, claim }));
}

async function purged(
  report: BuildReport,
  config: RunConfig,
  context: Pick<Running, 'progress'>,
): Promise<BuildReport> {
  if (report.outcome === 'published') await purge(config, context);
  return report;
}

/** True also where there is no cache to purge. */
async function purge(
  { purgeUrl: url, purgeHeader: header, purgeBody: body }: RunConfig,
  { progress }: Pick<Running, 'progress'>,
): Promise<boolean> {
  const fault = url === null ? null : await purgeCaches({ url, header, body });
  if (fault !== null) progress.note(`${fault}; caches keep the previous release until it expires there.`);
  return fault === null;
}

/** What fails here, the next run does. */
async function purgeShared(
  config: RunConfig,
  context: Pick<Running, 'progress'>,
  { database, claim }: { database: Database; claim: Claim },
): Promise<void> {
  if (config.purgeUrl === null) return;
  const { progress } = context;
  const log = (line: string) => progress.stage(line);
  try {
    await purgeOnceSwitched(database, claim.service, { log, purge: () => purge(config, context) });
  } catch (error) {
    progress.note(`${(error as Error).message}; caches are purged after the next run.`);
  }
}

async function signHead(
  { publisherKey, baseUrl: service }: RunConfig,
  { database, objects: store, now }: { database: Database; objects: ObjectStore; now: number },
): Promise<void> {
  const [first, ...others] = (await requireKeys(publisherKey)).map(signerOf);
  const signText = (text: string) => signNote(text, first!, ...others);
  await signAccessLogHead({ log: readLog(database), store, service, signText, now });
}

/** Runs `work` with the record of what was signed, which nobody else changes meanwhile. */
export async function withRecords<T>(
  config: Pick<Config, 'store' | 'publisherKey' | 'wait'>,
  command: string,
  work: (records: SigningRecords) => Promise<T>,
): Promise<T> {
  const { store, publisherKey, wait } = config;
  return withDatabase(store, command, (database) => {
    if (!database) return work(fileRecords(publisherKey, { waitMs: wait * 1000 }));
    const folders = hostFolders({ movesHere: false });
    return withTurn(database, turnOf(command, config), (lease) =>
      work(postgresRecords(database, lease, folders)),
    );
  });
}

function turnOf(command: string, { wait }: Pick<Config, 'wait'>) {
  return { holder: holderOf(command), waitMs: wait * 1000 };
}

/** Whose bucket it is. */
export async function claimOf(config: TurnConfig): Promise<Claim> {
  const { baseUrl: service, publisherKey } = config;
  const [key] = (await readNoteKeys(publisherKey)) ?? [];
  if (key) return { service, publisher: key.name };
  const documents = documentsFolder(config.documents, ledgerFolder(config.ledger, config));
  return { service, publisher: keyNameOf(await readOrganisation(documents), service) };
}

/** What a service that publishes does between its runs. */
export interface BetweenRuns {
  /** Tells the other machines when the next run of this one is, ms since 1970. */
  announce(next: number): Promise<void>;
  close(): Promise<void>;
}

/** Null where releases are not shared. The database need not answer yet. */
export async function openBetweenRuns(
  config: TurnConfig,
  { now, progress }: Running,
  signal: AbortSignal,
): Promise<BetweenRuns | null> {
  const { store, releases } = config;
  const address = databaseOf(store);
  if (address === null || releases === null) return null;
  const log = (line: string) => progress.note(line);
  const objects = objectStoreAt(releases, credentialsFrom(config), {
    software: software(),
    access: 'write',
    log,
  });
  const options = { application: 'cathedral publisher', connections: 1, whenUnreachable: 'retry' } as const;
  const database = await openDatabase(address, options);
  const repairing = keepPointer({ database, objects }, () => claimOf(config), { log, signal });
  return {
    async announce(next) {
      const claim = await claimOf(config);
      await announceRun({ database, objects, claim }, next, now() + database.clock());
    },
    async close() {
      await repairing;
      objects.close();
      await database.close();
    },
  };
}
