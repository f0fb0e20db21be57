import { tmpdir } from 'node:os';
import type pino from 'pino';
import { documentsFolder } from '../../pipeline/artifacts/documents/folder.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { databaseOf, storeFiles } from '../../pipeline/config/store-place.ts';
import { readWitnessStates } from '../../pipeline/release/log/cosign-log.ts';
import { createCharts } from './charts/charts-in-states.ts';
import { Renderer } from './charts/renderer.ts';
import { createExporter } from './export/exporter.ts';
import { openPublished } from './files/published.ts';
import { Releases } from './files/releases.ts';
import { readDisk, SnapshotSizes } from './health/disks.ts';
import { createMetrics } from './health/metrics.ts';
import { readReadiness } from './health/readiness.ts';
import type { ServiceFacts, SoftwareVersion } from './health/service-metrics.ts';
import { throttleRepeatedErrors } from './health/throttle-repeated-errors.ts';
import { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import { LOAD_LIMITS, LoadGate, startLoopDelay } from './limits/load-gate.ts';
import type { FollowedLedger } from './live/follow-ledger.ts';
import { type OpenLive, openLive } from './live/open-live.ts';
import { openStores } from './open-stores.ts';
import { createPagesOnRequest } from './pages/pages-on-request.ts';
import { clientAddress } from './request/clients.ts';
import type { SERVICE_SETTINGS } from './server-settings.ts';
import type { Services } from './services.ts';
import { SIMULATION_LIMITS } from './simulation/limits.ts';
import { openSimulation, type SimulationOptions } from './simulation/open-simulation.ts';

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

/** How long the current release is taken for granted, ms: nobody notices, and it saves each request two system calls. */
const KEEP_RELEASE_MS = 100;

/**
 * Opens the stores and services, in an order in which each needs only those before it. Throws store_failed, keys_unreadable, or
 * config_invalid for the address of a database; neither a failing access log nor a database that does not answer stops the server.
 */
export async function openServices(
  config: ServiceConfig,
  { followed, alsoIn = [], software }: Served,
  logger: pino.Logger,
): Promise<OpenServices> {
  await using opened = new AsyncDisposableStack();
  const report = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const throttled = throttleRepeatedErrors(logger, Date.now);
  let isDraining = false;

  const stores = await openStores(config, logger);
  opened.defer(stores.close);
  const { database, now, keys, limiter, accessLog } = stores;
  const loopDelay = startLoopDelay();
  opened.defer(loopDelay.stop);
  const gate = new LoadGate({
    limits: { ...LOAD_LIMITS, active: config.maxActive },
    loopDelayMs: loopDelay.read,
  });
  const published = await openPublished(config, {
    logger,
    database,
    alsoIn,
    software: `cathedral-data-service/${software.version}`,
    isReady: () => !isDraining,
  });
  opened.defer(published.close);
  const { following, readStatus } = published;
  const releases = new Releases(config.out, report('the new release cannot be served'), {
    keepMs: KEEP_RELEASE_MS,
    ...(following && { switching: following.switching }),
  });
  const renderer = new Renderer();
  opened.defer(() => renderer.close());
  const live =
    followed && (await followLive(config, followed, releases, report('the ledger cannot be followed')));
  const metrics = createMetrics(() => readFacts());
  const limited = { keys, limiter, gate, logger: throttled, now, metrics };
  const simulation = openSimulation(limited, simulationOptions(config));
  const readiness = () =>
    readReadiness({
      // A check of the server's health does not wait for a switch.
      hasRelease: async () =>
        following?.version() !== 0 && ((following && releases.served) ?? (await releases.current())) !== null,
      following,
      isDraining: () => isDraining,
      ...stores.checks,
      ...(followed?.imports && { imports: followed.imports }),
      ...(live && { liveFault: live.fault }),
      ...(followed?.sharing && { sharingFault: followed.sharing }),
      readStatus,
    });
  const sizes = new SnapshotSizes(config.out);
  const readFacts = async (): Promise<ServiceFacts> => ({
    now: now(),
    software,
    active: gate.active,
    loopDelay: loopDelay.read() / 1000,
    manifest: (await releases.current())?.manifest ?? null,
    status: await readStatus().catch(() => null),
    readiness: await readiness(),
    live: live?.facts() ?? null,
    imports: followed?.imports ?? null,
    disks: await readDisks(config, followed, database !== null),
    snapshots: sizes.read(),
    accessLog: await stores.accessLogBytes(),
    keyExpiries: await keys.expiries(now()).catch(() => null),
    simulation: simulation.state(),
    witnesses: await readWitnessStates(alsoIn[0] ?? config.out),
  });
  const services: Services = {
    ...limited,
    releases,
    readStatus,
    accessLog,
    downloads: openDownloads(config),
    snapshots: published.snapshots,
    exporter: createExporter({ current: () => releases.current() }),
    charts: createCharts({ renderer, baseUrl: config.baseUrl }),
    pages: createPagesOnRequest({
      renderer,
      readStatus,
      baseUrl: config.baseUrl,
      sourceCode: config.sourceCode ?? null,
      report: (err) => throttled.error({ err }, 'a page cannot be rendered'),
    }),
    log: published.log,
    baseUrl: config.baseUrl,
    live,
    simulation,
    readiness,
    logsRequests: logger.isLevelEnabled('info'),
  };
  // Last, because it ends a thread. Where one ends before the ledger is folded, Node 26 takes a third longer for each later request.
  await stores.signNewest();
  const closing = opened.move();
  return {
    services,
    startDraining: () => {
      isDraining = true;
    },
    endStreams: async (overMs = 0) => {
      await Promise.all([live?.drain(overMs), simulation.drain(overMs)]);
      await Promise.all([live?.close(), simulation.close()]);
    },
    close: () => closing.disposeAsync(),
  };
}

/** At most a quarter of the slots for one client, so that a few cannot keep everyone else out. */
function openDownloads({ maxActive }: ServiceConfig): ConcurrencyLimit {
  return new ConcurrencyLimit({
    what: 'files are being sent',
    parallel: maxActive,
    perHolder: Math.ceil(maxActive / 4),
  });
}

function followLive(
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
    hasReplicas: databaseOf(config.store) !== null,
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
  { out, store }: ServiceConfig,
  followed: FollowedLedger | null,
  hasDatabase: boolean,
): Promise<ServiceFacts['disks']> {
  const { keys, counts, accessLog } = storeFiles(store);
  const stores = hasDatabase ? {} : { keys, limits: counts, access_log: accessLog };
  const all = { output: out, ...stores, temporary: tmpdir(), ...(followed && { ledger: followed.ledger }) };
  const disks = Object.entries(all).map(async ([name, folder]) => [name, await readDisk(folder)]);
  return Object.fromEntries(await Promise.all(disks));
}
