import { randomBytes } from 'node:crypto';
import type pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import type { Verifier } from '../../pipeline/ledger/note.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { utcDay } from '../api/quotas.ts';
import { type AccessLog, openAccessLog } from './access-log/access-log.ts';
import { openChartWriter } from './charts/chart-writer.ts';
import { createCharts } from './charts/charts.ts';
import { createExporter } from './export/exporter.ts';
import { createLogFiles } from './files/log-files.ts';
import { Releases, type ServedRelease } from './files/releases.ts';
import { SnapshotFiles } from './files/snapshot-files.ts';
import { createMetrics } from './health/metrics.ts';
import { formatReadiness, readReadiness } from './health/readiness.ts';
import { withoutRepetitions } from './health/repeated-faults.ts';
import { openKeyStore } from './keys/sqlite-key-store.ts';
import { createLimiter, type Limiter } from './limits/limiter.ts';
import { LoadGate } from './limits/load-gate.ts';
import { type LoopDelay, startLoopDelay } from './limits/load-shedding.ts';
import { openSqliteCountStore } from './limits/sqlite-count-store.ts';
import { type OpenLive, openLive } from './live/open-live.ts';
import { createPagesOnDemand } from './pages-on-demand/pages-on-demand.ts';
import { clientAddress } from './request/client-address.ts';
import { Slots } from './request/slots.ts';
import type { Services } from './services.ts';
import { openSimulation } from './simulation/open-simulation.ts';
import { formatSimulationCounts } from './simulation/simulation-counts.ts';
import { SIMULATION_LIMITS, type SimulationOptions } from './simulation/simulation-options.ts';

export const SERVICE_SETTINGS = [
  'out',
  'keys',
  'limits',
  'accessLog',
  'accessLogSize',
  'maxActive',
  'maxDelay',
  'documents',
  'companions',
  'baseUrl',
  'livePoll',
  'liveGap',
  'liveListeners',
  'liveListenersPerClient',
  'exports',
  'exportsPerHolder',
  'trustedProxies',
  'simulationOrigins',
  'simulationConnections',
  'simulationConnectionsPerClient',
] as const;
export type ServiceConfig = Pick<Config, (typeof SERVICE_SETTINGS)[number]>;

/** The ledger that the live state is of. */
export interface Followed {
  /** A folder. */
  ledger: string;
  verifiers: readonly Verifier[];
}

export interface OpenServices {
  services: Services;
  /** Ends what would go on for as long as its reader wants. */
  endStreams: () => Promise<void>;
  /** After the last answer. */
  close: () => Promise<void>;
}

const MIB = 1024 * 1024;
/** For how long no request looks which release is current, ms: nobody notices, and it saves two system calls each. */
const KEEP_RELEASE_MS = 100;
/** Enough to tell this process's streams of events from those of the one before. */
const EPOCH_BYTES = 4;
/** The hash of none. */
const NO_KEY = '0'.repeat(64);
/** A few times an hour: yesterday's counts are personal. */
const PRUNE_MS = 10 * 60 * 1000;

/** Opens what the server keeps. Throws store_failed, keys_unreadable; without an access log it goes on. */
export async function openServices(
  config: ServiceConfig,
  followed: Followed | null,
  logger: pino.Logger,
): Promise<OpenServices> {
  const report = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const { out, exports: parallel, exportsPerHolder: perHolder } = config;
  const stores = await openStores(config, logger);
  const { keys, limiter, accessLog } = stores;
  const load = openGate(config);
  const releases = new Releases(out, report('the new release cannot be served'), { keepMs: KEEP_RELEASE_MS });
  const chartWriter = openChartWriter();
  const pages = createPagesOnDemand({ documents: config.documents });
  const live =
    followed && (await openLedger(config, followed, releases, report('the ledger is not followed')));
  const faults = withoutRepetitions(logger, Date.now);
  const limited = { keys, limiter, gate: load.gate, logger: faults, now: Date.now };
  const simulation = openSimulation(limited, simulationOptions(config));
  const readiness = () =>
    readReadiness({
      hasRelease: async () => (await releases.current()) !== null,
      ...stores.checks,
      ...(live && { liveFault: live.fault }),
      readStatus: () => readStatus(out),
    });
  const services: Services = {
    ...limited,
    releases,
    readStatus: () => readStatus(out),
    accessLog,
    downloads: openDownloads(config),
    snapshots: new SnapshotFiles(out),
    exporter: createExporter({ current: () => releases.current(), parallel, perHolder }),
    charts: createCharts({ write: chartWriter.write, baseUrl: config.baseUrl }),
    pages,
    log: createLogFiles(out),
    baseUrl: config.baseUrl,
    live,
    simulation,
    metrics: createMetrics(
      {
        active: () => load.gate.active,
        loopDelay: () => load.delay.read() / 1000,
        releaseTime: () => timeOf(releases.served),
        liveTime: () => live?.time() ?? null,
        listeners: () => live?.listeners() ?? 0,
      },
      async () => formatSimulationCounts(simulation.counts()) + formatReadiness(await readiness()),
    ),
    readiness,
    logsRequests: logger.isLevelEnabled('info'),
  };
  const close = async () => {
    load.delay.stop();
    await Promise.all([chartWriter.close(), pages.close(), stores.close()]);
  };
  const endStreams = async () => void (await Promise.all([live?.close(), simulation.close()]));
  return { services, endStreams, close };
}

async function openStores(config: ServiceConfig, logger: pino.Logger) {
  const keys = openKeyStore(config.keys);
  const { limiter, countsLostAt } = openCounts(config, logger);
  const pruning = startPruning(limiter, (err) =>
    logger.error({ err }, 'counts of past days cannot be removed'),
  );
  const accessLog = openLog(config, logger);
  // What is wrong with it was logged, and it is tried again with each request that needs it.
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

function openCounts({ limits: path }: ServiceConfig, logger: pino.Logger) {
  let lostAt = 0;
  const onReplaced = () => {
    lostAt = Date.now();
    limiter.forget();
    logger.error({ path }, 'the file of counts was removed or replaced: today is counted anew');
  };
  const limiter = createLimiter({ store: openSqliteCountStore(path, { onReplaced }), random: randomBytes });
  const countsLostAt = () => (utcDay(lostAt) === utcDay(Date.now()) ? lostAt : null);
  return { limiter, countsLostAt };
}

/** A quarter of all places for one client: a few cannot keep everybody else out. */
function openDownloads({ maxActive }: ServiceConfig): Slots {
  return new Slots({
    what: 'files are being sent',
    parallel: maxActive,
    perHolder: Math.ceil(maxActive / 4),
  });
}

function openGate({ maxActive, maxDelay }: ServiceConfig): { gate: LoadGate; delay: LoopDelay } {
  const delay = startLoopDelay();
  const limits = { active: maxActive, loopDelayMs: maxDelay };
  return { gate: new LoadGate({ limits, loopDelayMs: delay.read }), delay };
}

/** Public files are served without it; an operator sees it in the log and in /readyz. */
function openLog({ accessLog: dir, accessLogSize }: ServiceConfig, logger: pino.Logger): AccessLog {
  const onChange = (err: unknown) => {
    if (err) logger.error({ err }, 'nothing restricted is served: the access log cannot be written');
    else logger.warn('the access log is written again');
  };
  return openAccessLog({ dir, maxFileBytes: accessLogSize * MIB, onChange });
}

function openLedger(
  config: ServiceConfig,
  { ledger, verifiers }: Followed,
  releases: Releases,
  report: (error: unknown) => void,
): Promise<OpenLive> {
  return openLive({
    ledger,
    verifiers,
    releases,
    documents: config.documents,
    companions: config.companions,
    baseUrl: config.baseUrl,
    pollMs: config.livePoll,
    gapMs: config.liveGap,
    maxListeners: config.liveListeners,
    maxPerClient: config.liveListenersPerClient,
    epoch: randomBytes(EPOCH_BYTES).toString('hex'),
    report,
  });
}

function simulationOptions(config: ServiceConfig): SimulationOptions {
  return {
    baseUrl: config.baseUrl,
    origins: config.simulationOrigins ?? [],
    addressOf: clientAddress(config.trustedProxies),
    limits: {
      ...SIMULATION_LIMITS,
      connections: config.simulationConnections,
      connectionsPerClient: config.simulationConnectionsPerClient,
    },
  };
}

/** Of the newest event in it, Unix s. */
function timeOf(release: ServedRelease | null): number | null {
  return release && Date.parse(release.manifest.timestamp) / 1000;
}

function startPruning(limiter: Limiter, report: (error: unknown) => void): NodeJS.Timeout {
  const prune = () => void limiter.prune(Date.now()).catch(report);
  prune();
  return setInterval(prune, PRUNE_MS).unref();
}
