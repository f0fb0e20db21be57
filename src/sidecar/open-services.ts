import { randomBytes } from 'node:crypto';
import type pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import { readStatus } from '../../pipeline/publish/status.ts';
import { type AccessLog, openAccessLog } from './access-log/access-log.ts';
import type { KeyStore } from './keys/key-store.ts';
import { openKeyStore } from './keys/sqlite-key-store.ts';
import { createLimiter, type Limiter } from './limits/limiter.ts';
import { LoadGate } from './limits/load-gate.ts';
import { startLoopDelay } from './limits/loop-delay.ts';
import { openSqliteCountStore } from './limits/sqlite-count-store.ts';
import { createMetrics } from './metrics.ts';
import { Releases } from './releases.ts';
import type { Services } from './services.ts';

export const SERVICE_SETTINGS = [
  'out',
  'keys',
  'limits',
  'accessLog',
  'accessLogSize',
  'maxActive',
  'maxDelay',
  'logLevel',
] as const;
export type ServiceConfig = Pick<Config, (typeof SERVICE_SETTINGS)[number]>;

export interface OpenServices {
  services: Services;
  /** After the last answer. */
  close: () => Promise<void>;
}

const MIB = 1024 * 1024;
/** For how long no request looks which release is current, ms: nobody notices, and it saves two system calls each. */
const KEEP_RELEASE_MS = 100;
/** A few times an hour: yesterday's counts are personal. */
const PRUNE_MS = 10 * 60 * 1000;

/** Opens what the server keeps. Throws store_failed, keys_unreadable; without an access log it goes on, see Services. */
export async function openServices(config: ServiceConfig, logger: pino.Logger): Promise<OpenServices> {
  const report = (what: string) => (error: unknown) => logger.error({ err: error }, what);
  const { out } = config;
  const keys = openKeyStore(config.keys);
  const limiter = createLimiter({ store: openSqliteCountStore(config.limits), random: randomBytes });
  const accessLog = await openLog(
    config,
    report('nothing restricted is served: the access log cannot be opened'),
  );
  const loopDelay = startLoopDelay();
  const gate = new LoadGate({
    limits: { active: config.maxActive, loopDelayMs: config.maxDelay },
    loopDelayMs: loopDelay.read,
  });
  const releases = new Releases(out, report('the new release cannot be served'), { keepMs: KEEP_RELEASE_MS });
  const pruning = startPruning(limiter, report('counts of past days cannot be removed'));
  const services: Services = {
    releases,
    readStatus: () => readStatus(out),
    keys,
    limiter,
    accessLog,
    gate,
    exporter: null as unknown as Services['exporter'],
    live: null,
    metrics: createMetrics({
      active: () => gate.active,
      loopDelay: () => loopDelay.read() / 1000,
      releaseTime: () => null,
      liveTime: () => null,
      listeners: () => 0,
    }),
    readiness: () => readinessOf({ releases, keys, accessLog }),
    logger,
    logsRequests: logger.isLevelEnabled('info'),
    now: Date.now,
  };
  const close = async () => {
    clearInterval(pruning);
    loopDelay.stop();
    await Promise.all([accessLog?.close(), limiter.close(), keys.close()]);
  };
  return { services, close };
}

/** Public files are served without it; an operator sees it in the log and in /readyz. */
async function openLog(
  { accessLog: dir, accessLogSize }: ServiceConfig,
  report: (error: unknown) => void,
): Promise<AccessLog | null> {
  return openAccessLog({ dir, maxFileBytes: accessLogSize * MIB }).catch((error: unknown) => {
    report(error);
    return null;
  });
}

function startPruning(limiter: Limiter, report: (error: unknown) => void): NodeJS.Timeout {
  const prune = () => void limiter.prune(Date.now()).catch(report);
  prune();
  return setInterval(prune, PRUNE_MS).unref();
}

/** Each part with what is wrong with it; null for nothing. */
async function readinessOf({
  releases,
  keys,
  accessLog,
}: {
  releases: Releases;
  keys: KeyStore;
  accessLog: AccessLog | null;
}): Promise<Record<string, string | null>> {
  const noKey = '0'.repeat(64);
  const lookUp = keys.keyByHash(noKey);
  return {
    release: (await releases.current()) ? null : 'there is none',
    keys: await lookUp.then(
      () => null,
      () => 'the key store cannot be read',
    ),
    access_log: accessLog ? null : 'the access log cannot be opened',
  };
}
