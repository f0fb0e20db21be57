import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { type InjectOptions, inject, type Response } from 'light-my-request';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Status } from '../../pipeline/release/format/status.ts';
import { openLogFile } from '../../src/sidecar/access-log/access-log.ts';
import { Releases } from '../../src/sidecar/files/releases.ts';
import { createMetrics } from '../../src/sidecar/health/metrics.ts';
import type { Readiness } from '../../src/sidecar/health/readiness.ts';
import type { ServiceFacts } from '../../src/sidecar/health/service-metrics.ts';
import type { KeyStore } from '../../src/sidecar/keys/key-store.ts';
import { openKeyStore } from '../../src/sidecar/keys/key-store.ts';
import { ConcurrencyLimit } from '../../src/sidecar/limits/concurrency-limit.ts';
import { openCountStore } from '../../src/sidecar/limits/count-store.ts';
import { createLimiter } from '../../src/sidecar/limits/limiter.ts';
import { LOAD_LIMITS, LoadGate } from '../../src/sidecar/limits/load-gate.ts';
import { type AppLimits, createApp } from '../../src/sidecar/request/app.ts';
import { closeServer } from '../../src/sidecar/server-address.ts';
import type { Services } from '../../src/sidecar/services.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { madeOnce } from '../site/made-once.ts';

/** The app's server, which also takes requests without a socket. */
export interface InjectedApp {
  server: Server;
  inject: (request: InjectOptions) => Promise<Response>;
  listen: (options: { port: number; host: string }) => Promise<void>;
}

export interface TinyApp {
  app: InjectedApp;
  /** The log lines, parsed. */
  logged: Record<string, unknown>[];
  /** For a test that issues keys. */
  keys: KeyStore;
  /** Folder of the counts and the access log. */
  stores: string;
}

export interface TinyOptions {
  status?: Status | null;
  /** Counts requests and records accesses, like the service. Without it there is no quota, and restricted paths are not answered. */
  guarded?: boolean;
  services?: Partial<Services>;
  limits?: Partial<AppLimits>;
}

const LIMITS: AppLimits = {
  trustedProxies: null,
  requestTimeout: 30,
  keepAlive: 65,
  maxConnections: 1000,
};
const ALL_WELL: Readiness = {
  serving: { release: null, shutdown: null },
  stores: { keys: null, limits: null, access_log: null },
  others: {},
};
/** Of a service that has done nothing yet. */
export const NO_FACTS: ServiceFacts = {
  now: 0,
  software: { version: '0.0.0', commit: null },
  active: 0,
  loopDelay: 0,
  manifest: null,
  status: null,
  readiness: ALL_WELL,
  live: null,
  imports: null,
  disks: {},
  snapshots: null,
  accessLog: 0,
  keyExpiries: null,
  simulation: { connections: 0, running: 0 },
  witnesses: {},
};

/** The real app over the releases of a folder, with real stores; only its log is a test double. */
export async function tinyApp(out: string, options: TinyOptions = {}): Promise<TinyApp> {
  const { status = null, guarded = false, services = {}, limits = {} } = options;
  const logged: Record<string, unknown>[] = [];
  const write = (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>);
  const logger = pino({ level: 'info' }, { write });
  // Its clock stands still: no test goes on into a day with a new quota.
  const opened = Date.now();
  const stores = await temporaryFolder();
  const keys = await openKeyStore(join(stores, 'keys.sqlite'));
  const limiter = guarded ? await openLimiter(stores) : null;
  const accessLog = guarded ? openLogFile(join(stores, 'access-log', 'log.db')) : null;
  const server = createApp(
    {
      releases: new Releases(out, (error) => logger.error({ err: error }, 'release')),
      readStatus: async () => status,
      keys,
      limiter,
      accessLog,
      gate: new LoadGate({ limits: LOAD_LIMITS, loopDelayMs: () => 0 }),
      downloads: new ConcurrencyLimit({ what: 'files are being sent', parallel: 100, perHolder: 25 }),
      exporter: null as never,
      charts: null,
      live: null,
      metrics: createMetrics(async () => NO_FACTS),
      readiness: async () => ALL_WELL,
      logger,
      logsRequests: true,
      now: () => opened,
      ...services,
    },
    { ...LIMITS, ...limits },
  );
  onTestFinished(async () => {
    if (server.listening) await closeServer(server, 0);
    await Promise.all([accessLog?.close(), limiter?.close(), keys.close()]);
  });
  return { app: injected(server), logged, keys, stores };
}

function injected(server: Server): InjectedApp {
  return {
    server,
    inject: (request) => inject((req, res) => void server.emit('request', req, res), request),
    async listen({ port, host }) {
      await once(server.listen(port, host), 'listening');
    },
  };
}

async function openLimiter(stores: string) {
  return createLimiter({ store: await openCountStore(join(stores, 'limits.db')), random: randomBytes });
}

/** The same release for all tests, which leave it as it is. */
async function sharedRelease(events: number): Promise<string> {
  const { out } = await madeOnce(`tiny-${events}`, async (folder) => {
    const out = join(folder, 'out');
    await publishTiny(out, { events });
    return { out };
  });
  return out;
}

/** The app over a tiny release that others read, too. */
export async function servedShared(
  events = 50,
  options: TinyOptions = {},
): Promise<TinyApp & { out: string }> {
  const out = await sharedRelease(events);
  return { ...(await tinyApp(out, options)), out };
}

/** The app over a tiny release of its own. */
export async function served(events = 50, options: TinyOptions = {}): Promise<TinyApp & { out: string }> {
  const out = await temporaryFolder();
  await publishTiny(out, { events });
  return { ...(await tinyApp(out, options)), out };
}

export function get(app: InjectedApp, url: string, headers: Record<string, string> = {}) {
  return app.inject({ method: 'GET', url, headers });
}
