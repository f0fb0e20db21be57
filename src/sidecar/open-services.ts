import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type pino from 'pino';
import { documentsFolder } from '../../pipeline/artifacts/documents/folder.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { readWitnessStates } from '../../pipeline/release/log/cosign-log.ts';
import { utcDay } from '../api/quotas.ts';
import type { AccessLog } from './access-log/access-log.ts';
import { openFolderAccessLog } from './access-log/folder-access-log.ts';
import { openPostgresAccessLog } from './access-log/postgres-access-log.ts';
import { logTableBytes } from './access-log/postgres-log-reader.ts';
import { createCharts } from './charts/charts.ts';
import { Renderer } from './charts/renderer.ts';
import { createExporter } from './export/exporter.ts';
import { openPublished } from './files/published.ts';
import { Releases } from './files/releases.ts';
import { folderBytes, readDisk, SnapshotSizes } from './health/disks.ts';
import { createMetrics } from './health/metrics.ts';
import { readReadiness } from './health/readiness.ts';
import type { ServiceFacts, SoftwareVersion } from './health/service-metrics.ts';
import { throttleRepeatedErrors } from './health/throttle-repeated-errors.ts';
import { postgresKeyStore } from './keys/postgres-key-store.ts';
import { openKeyStore } from './keys/sqlite-key-store.ts';
import { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import { createLimiter, type Limiter } from './limits/limiter.ts';
import { LoadGate } from './limits/load-gate.ts';
import { LOAD_LIMITS, type LoopDelay, startLoopDelay } from './limits/load-shedding.ts';
import { postgresCountStore } from './limits/postgres-count-store.ts';
import { openSqliteCountStore } from './limits/sqlite-count-store.ts';
import type { FollowedLedger } from './live/follow-ledger.ts';
import { type OpenLive, openLive } from './live/open-live.ts';
import { createPagesOnRequest } from './pages/pages-on-request.ts';
import { clientAddress } from './request/clients.ts';
import type { Services } from './services.ts';
import type { SERVICE_SETTINGS } from './settings.ts';
import { openSimulation } from './simulation/open-simulation.ts';
import { SIMULATION_LIMITS, type SimulationOptions } from './simulation/simulation-options.ts';

export type ServiceConfig = Pick<Config, (typeof SERVICE_SETTINGS)[number]> &
  // For pages that are rendered while this process's own runs make the first release.
  Partial<Pick<Config, 'sourceCode'>>;

/** What is served besides the folder of releases, and by which program. */
export interface Served {
  followed: FollowedLedger | null;
  /** Folders of releases besides the one that is served, from which equal files are linked. */
  alsoIn?: readonly string[];
  software: SoftwareVersion;
}

export interface OpenServices {
  services: Services;
  /** From now on the server says that it is not ready, and answers as before. */
  startDraining: () => void;
  /**
   * Ends streams, which would otherwise last as long as their readers want: evenly over a time, ms, so that their clients do not
   * all reconnect at once. Default: all at once. Without streams it takes no time.
   */
  endStreams: (overMs?: number) => Promise<void>;
  /** To be called after the last response. */
  close: () => Promise<void>;
}

/** Each use of the database is short, and a primary has a hundred connections for all servers by default. */
const CONNECTIONS = 8;
/** Commits that are under way at once share a flush. */
const PARALLEL_COUNTS = 4;
/** How long the current release is taken for granted, ms: nobody notices, and it saves each request two system calls. */
const KEEP_RELEASE_MS = 100;
/** The hash of no key. */
const NO_KEY = '0'.repeat(64);
/** A few times an hour, since yesterday's counts are personal data. */
const PRUNE_MS = 10 * 60 * 1000;

/**
 * Opens the stores and services. Throws store_failed, keys_unreadable, or config_invalid for the address of a database; neither a
 * failing access log nor a database that does not answer stops the server.
 */
export async function openServices(
  config: ServiceConfig,
  { followed, alsoIn = [], software }: Served,
  logger: pino.Logger,
): Promise<OpenServices> {
  const report = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const { out } = config;
  const database = await openSharedDatabase(config);
  // Machines whose clocks differ agree on days and expiries.
  const now = database ? () => Date.now() + database.clock() : Date.now;
  const stores = await openStores(config, { database, now }, logger);
  const { keys, limiter, accessLog } = stores;
  const load = openGate(config);
  let isDraining = false;
  const published = await openPublished(config, {
    logger,
    database,
    alsoIn,
    software: `cathedral-data-service/${software.version}`,
    isReady: () => !isDraining,
  }).catch(async (error) => {
    load.delay.stop();
    await stores.close();
    await database?.close();
    throw error;
  });
  const releases = new Releases(out, report('the new release cannot be served'), {
    keepMs: KEEP_RELEASE_MS,
    ...(published.following && { switching: published.following.switching }),
  });
  // A check of the server's health does not wait for a switch.
  const hasRelease = async () =>
    ((published.following && releases.served) ?? (await releases.current())) !== null;
  const renderer = new Renderer();
  const live =
    followed && (await openLedger(config, followed, releases, report('the ledger cannot be followed')));
  const throttled = throttleRepeatedErrors(logger, Date.now);
  const limited = { keys, limiter, gate: load.gate, logger: throttled, now };
  const simulation = openSimulation(limited, simulationOptions(config));
  const readiness = () =>
    readReadiness({
      hasRelease,
      following: published.following,
      isDraining: () => isDraining,
      ...stores.checks,
      ...(followed?.imports && { imports: followed.imports }),
      ...(live && { liveFault: live.fault }),
      ...(followed?.sharing && { sharingFault: followed.sharing }),
      readStatus: published.readStatus,
    });
  const snapshotSizes = new SnapshotSizes(out);
  const readFacts = async (): Promise<ServiceFacts> => ({
    now: now(),
    software,
    active: load.gate.active,
    loopDelay: load.delay.read() / 1000,
    manifest: (await releases.current())?.manifest ?? null,
    status: await published.readStatus().catch(() => null),
    readiness: await readiness(),
    live: live?.facts() ?? null,
    imports: followed?.imports ?? null,
    disks: await readDisks(config, followed, database !== null),
    snapshots: published.following ? null : snapshotSizes.read(),
    accessLog: await (database ? logTableBytes(database) : folderBytes(config.accessLog)),
    keyExpiries: await keys.expiries(now()).catch(() => null),
    witnesses: await readWitnessStates(alsoIn[0] ?? out),
  });
  const services: Services = {
    ...limited,
    releases,
    readStatus: published.readStatus,
    accessLog,
    downloads: openDownloads(config),
    snapshots: published.snapshots,
    exporter: createExporter({ current: () => releases.current() }),
    charts: createCharts({ renderer, baseUrl: config.baseUrl }),
    pages: createPagesOnRequest({
      renderer,
      readStatus: published.readStatus,
      baseUrl: config.baseUrl,
      sourceCode: config.sourceCode ?? null,
      report: (err) => throttled.error({ err }, 'a page cannot be rendered'),
    }),
    log: published.log,
    baseUrl: config.baseUrl,
    live,
    simulation,
    metrics: createMetrics(readFacts, () => simulation.counts()),
    readiness,
    logsRequests: logger.isLevelEnabled('info'),
  };
  const close = async () => {
    load.delay.stop();
    await Promise.all([renderer.close(), stores.close(), published.close()]);
    await database?.close();
  };
  const endStreams = async (overMs = 0) => {
    await Promise.all([live?.drain(overMs), simulation.drain(overMs)]);
    await Promise.all([live?.close(), simulation.close()]);
  };
  const startDraining = () => {
    isDraining = true;
  };
  return { services, startDraining, endStreams, close };
}

/** Null: this machine is the only one. */
async function openSharedDatabase({ store }: ServiceConfig): Promise<Database | null> {
  if (store === null) return null;
  const options = { application: 'cathedral server', connections: CONNECTIONS } as const;
  return openDatabase(store, { ...options, whenUnreachable: 'retry' });
}

async function openStores(
  config: ServiceConfig,
  { database, now }: { database: Database | null; now: () => number },
  logger: pino.Logger,
) {
  const keys = database ? postgresKeyStore(database) : openKeyStore(config.keys);
  const { limiter, countsLostAt } = openCounts(config, database, logger);
  const pruning = startPruning(limiter, now, (err) =>
    logger.error({ err }, 'counts of past days cannot be deleted'),
  );
  const accessLog = openLog(config, database, logger);
  // An error was logged already, and each request that needs the log tries again.
  await accessLog.check().catch(() => undefined);
  const close = async () => {
    clearInterval(pruning);
    await Promise.all([accessLog.close(), limiter.close(), keys.close()]);
  };
  const checks = {
    readKeys: () => keys.keyByHash(NO_KEY),
    checkCounts: limiter.check,
    checkAccessLog: accessLog.check,
    countsLostAt,
  };
  return { keys, limiter, accessLog, checks, close };
}

function openCounts({ limits: path }: ServiceConfig, database: Database | null, logger: pino.Logger) {
  if (database) {
    const store = postgresCountStore(database);
    const limiter = createLimiter({ store, random: randomBytes, parallel: PARALLEL_COUNTS });
    return { limiter, countsLostAt: () => null };
  }
  let lostAt = 0;
  const onReplaced = () => {
    lostAt = Date.now();
    limiter.forget();
    logger.error({ path }, 'the file of counts was removed or replaced: counting starts again at zero');
  };
  const limiter = createLimiter({ store: openSqliteCountStore(path, { onReplaced }), random: randomBytes });
  const countsLostAt = () => (utcDay(lostAt) === utcDay(Date.now()) ? lostAt : null);
  return { limiter, countsLostAt };
}

/** At most a quarter of the slots for one client, so that a few cannot keep everyone else out. */
function openDownloads({ maxActive }: ServiceConfig): ConcurrencyLimit {
  return new ConcurrencyLimit({
    what: 'files are being sent',
    parallel: maxActive,
    perHolder: Math.ceil(maxActive / 4),
  });
}

function openGate({ maxActive }: ServiceConfig): { gate: LoadGate; delay: LoopDelay } {
  const delay = startLoopDelay();
  const limits = { ...LOAD_LIMITS, active: maxActive };
  return { gate: new LoadGate({ limits, loopDelayMs: delay.read }), delay };
}

/** Public files are served without it; operators see errors in the server log and in /readyz. */
function openLog(
  { accessLog: dir }: ServiceConfig,
  database: Database | null,
  logger: pino.Logger,
): AccessLog {
  const onChange = (err: unknown) => {
    if (err) logger.error({ err }, 'no restricted file is served: the access log cannot be written');
    else logger.warn('the access log can be written again');
  };
  if (database) return openPostgresAccessLog(database, { onChange });
  return openFolderAccessLog({ dir, onChange });
}

function openLedger(
  config: ServiceConfig,
  { ledger, verifiers }: FollowedLedger,
  releases: Releases,
  report: (error: unknown) => void,
): Promise<OpenLive> {
  return openLive({
    ledger,
    verifiers,
    releases,
    documents: documentsFolder(config.documents, ledger),
    companions: config.companions,
    baseUrl: config.baseUrl,
    hasReplicas: config.store !== null,
    report,
  });
}

function simulationOptions(config: ServiceConfig): SimulationOptions {
  return {
    baseUrl: config.baseUrl,
    origins: config.simulationOrigins ?? [],
    addressOf: clientAddress(config.trustedProxies),
    limits: { ...SIMULATION_LIMITS, startsPerClient: config.simulationStartsPerClient },
  };
}

/** By what is stored there. A run also needs room in the temporary folder. */
async function readDisks(
  { out, keys, limits, accessLog }: ServiceConfig,
  followed: FollowedLedger | null,
  hasDatabase: boolean,
): Promise<ServiceFacts['disks']> {
  const stores = hasDatabase ? {} : { keys, limits, access_log: accessLog };
  const all = { output: out, ...stores, temporary: tmpdir(), ...(followed && { ledger: followed.ledger }) };
  const disks = Object.entries(all).map(async ([name, folder]) => [name, await readDisk(folder)]);
  return Object.fromEntries(await Promise.all(disks));
}

function startPruning(limiter: Limiter, now: () => number, report: (error: unknown) => void): NodeJS.Timeout {
  const prune = () => void limiter.prune(now()).catch(report);
  prune();
  return setInterval(prune, PRUNE_MS).unref();
}
