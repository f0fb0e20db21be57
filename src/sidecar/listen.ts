import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { openServices, SERVICE_SETTINGS, type Served } from './open-services.ts';
import { createApp } from './request/app.ts';

export const LISTEN_SETTINGS = [
  ...SERVICE_SETTINGS,
  'logLevel',
  'host',
  'port',
  'requestTimeout',
  'keepAlive',
  'stallTimeout',
  'maxConnections',
  'maxConnectionsPerClient',
  'cacheTagHeader',
  'drain',
  'grace',
] as const;
export type ListenConfig = Pick<Config, (typeof LISTEN_SETTINGS)[number]>;

export interface Sidecar {
  /** `http://localhost:8080` */
  url: string;
  /** Says that it is not ready, serves until load balancers have noticed, finishes the requests that have started, and then ends. */
  close: () => Promise<void>;
}

/** Log lines that wait for a slow reader; further lines are dropped. */
const MAX_LOG_BYTES = 1024 * 1024;
/** How often idle connections are closed while the server is ending, ms. */
const CLOSE_MS = 50;
/** These stand for all addresses of a machine, so a browser cannot open them. */
const ANY = new Set(['0.0.0.0', '::']);

/**
 * Serves the releases of `out`, and the newest state of the ledger, if one is followed. Throws config_invalid if the address
 * cannot be used, and what openServices throws.
 */
export async function listen(config: ListenConfig, served: Served): Promise<Sidecar> {
  const timestamp = pino.stdTimeFunctions.isoTime;
  // Asynchronous: a slow reader of the log must not delay responses.
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_LOG_BYTES });
  // The service continues without its log, for instance while a disk is full. At the end it drops the waiting lines, since
  // flushSync would try for ever.
  destination.on('error', () => Object.assign(destination, { flushSync: () => {} }));
  const logger = pino({ level: config.logLevel, base: null, timestamp }, destination);
  const {
    services,
    startDraining,
    endStreams,
    close: closeServices,
  } = await openServices(config, served, logger);
  const server = createApp(services, config);
  try {
    await once(server.listen(config.port, config.host), 'listening');
  } catch (error) {
    await endStreams();
    await closeServices();
    throw notListening(config, error as NodeJS.ErrnoException);
  }
  const close = async () => {
    startDraining();
    await sleep(config.drain * 1000);
    // Where there are other servers, their readers go to those, and not all at once.
    await endStreams(config.drain > 0 ? config.grace * 1000 : 0);
    await closeServer(server, config.grace * 1000);
    await closeServices();
  };
  return { url: addressOf(config.host, server.address() as AddressInfo), close };
}

/** Accepts no more connections, finishes what has started within `graceMs`, and closes the rest. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Otherwise a connection would stay open for its next request.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_MS);
  const grace = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(grace);
}

function notListening({ host, port }: ListenConfig, cause: NodeJS.ErrnoException): CathedralError {
  const { code = cause.message } = cause;
  const place = `${host}:${port}`;
  const isPort = code === 'EADDRINUSE' || code === 'EACCES';
  const expected = isPort
    ? 'a free port that this user may use (choose another: --port or PORT)'
    : 'an address of this machine (choose another: --host or CATHEDRAL_HOST)';
  const found = code === 'EADDRINUSE' ? 'a port that is in use' : code;
  return new CathedralError('config_invalid', { place, expected, found, cause });
}

function addressOf(host: string, { port }: AddressInfo): string {
  const name = ANY.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
