import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { type Followed, openServices, SERVICE_SETTINGS } from './open-services.ts';
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
  'grace',
] as const;
export type ListenConfig = Pick<Config, (typeof LISTEN_SETTINGS)[number]>;

export interface Sidecar {
  /** `http://localhost:8080` */
  url: string;
  /** Answers what has begun, and then ends. */
  close: () => Promise<void>;
}

/** Of log lines that wait for a reader who takes none; further lines are dropped. */
const MAX_LOG_BYTES = 1024 * 1024;
/** How often connections that have got their answer are closed when the service ends, ms. */
const CLOSE_MS = 50;
/** Addresses that stand for all of a machine's, which is no address to go to. */
const ANY = new Set(['0.0.0.0', '::']);

/**
 * Serves the releases of `out`, and the newest state of the ledger that is followed, if one is. Throws config_invalid where the address cannot be listened on, and what openServices
 * throws.
 */
export async function listen(config: ListenConfig, followed: Followed | null): Promise<Sidecar> {
  const timestamp = pino.stdTimeFunctions.isoTime;
  // Not waited for: a slow reader of the log must not hold up answers.
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_LOG_BYTES });
  // The service goes on without its log, for instance while a disk is full. What waits is not worth waiting for at the end:
  // flushSync would try for ever.
  destination.on('error', () => Object.assign(destination, { flushSync: () => {} }));
  const logger = pino({ level: config.logLevel, base: null, timestamp }, destination);
  const { services, endStreams, close: closeServices } = await openServices(config, followed, logger);
  const server = createApp(services, config);
  try {
    await once(server.listen(config.port, config.host), 'listening');
  } catch (error) {
    await endStreams();
    await closeServices();
    throw notListening(config, error as NodeJS.ErrnoException);
  }
  const close = async () => {
    await endStreams();
    await closeServer(server, config.grace * 1000);
    await closeServices();
  };
  return { url: addressOf(config.host, server.address() as AddressInfo), close };
}

/** Lets in no more, answers what has begun for at most `graceMs`, and cuts off the rest. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection that has got its answer would be kept for the next request.
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
    ? 'a port that is free and allowed (another one: --port or PORT)'
    : 'an address of this machine (another one: --host or CATHEDRAL_HOST)';
  const found = code === 'EADDRINUSE' ? 'one that is in use' : code;
  return new CathedralError('config_invalid', { place, expected, found, cause });
}

function addressOf(host: string, { port }: AddressInfo): string {
  const name = ANY.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
