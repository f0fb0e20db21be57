import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import type { Config } from '../../pipeline/config/settings.ts';
import { openServices, type Served } from './open-services.ts';
import { createApp } from './request/app.ts';
import { addressOf, closeServer, listenOn } from './server-address.ts';
import type { LISTEN_SETTINGS } from './server-settings.ts';

export type ListenConfig = Pick<Config, (typeof LISTEN_SETTINGS)[number]>;

export interface Sidecar {
  /** `http://localhost:8080` */
  url: string;
  /** Says that it is not ready, serves until load balancers have noticed, finishes the requests that have started, and then ends. */
  close: () => Promise<void>;
}

export const LOG_STREAM = {
  /** A slow reader of the log must not delay responses. */
  sync: false,
  /** Lines that wait for a slow reader, bytes; further lines are dropped. */
  maxLength: 1024 * 1024,
  /** Lines are written together, bytes, and at the latest after this many ms: a write for each request took a tenth of the rate of all of them. */
  minLength: 16_000,
  periodicFlush: 100,
} as const;

/** For a reader of the log that has stopped reading. */
const LONGEST_END_MS = 1000;

type LogStream = ReturnType<typeof pino.destination>;

/** At its end, the process drops the waiting lines: flushSync would try for ever where they cannot be written. */
function drop(log: LogStream): void {
  Object.assign(log, { flushSync: () => {} });
}

/** Writes the waiting lines, or drops them. They may be the first ones, whose fault is not known before. */
async function endLog(log: LogStream): Promise<void> {
  const written = new Promise<true>((resolve) => log.flush(() => resolve(true)));
  if (!(await Promise.race([written, sleep(LONGEST_END_MS, false, { ref: false })]))) drop(log);
}

/**
 * Serves the releases of `out`, and the newest state of the ledger, if one is followed. Throws config_invalid if the address
 * cannot be used, and what openServices throws.
 */
export async function listen(config: ListenConfig, served: Served): Promise<Sidecar> {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const destination = pino.destination({ dest: 2, ...LOG_STREAM });
  // The service continues without its log, for instance while a disk is full.
  destination.on('error', () => drop(destination));
  const logger = pino({ level: config.logLevel, base: null, timestamp }, destination);
  const {
    services,
    startDraining,
    endStreams,
    close: closeServices,
  } = await openServices(config, served, logger);
  const server = createApp(services, config);
  try {
    await listenOn(server, config);
  } catch (error) {
    await endStreams();
    await closeServices();
    await endLog(destination);
    throw error;
  }
  const close = async () => {
    startDraining();
    await sleep(config.drain * 1000);
    // Where there are other servers, their readers go to those, and not all at once.
    await endStreams(config.drain > 0 ? config.grace * 1000 : 0);
    await closeServer(server, config.grace * 1000);
    await closeServices();
    await endLog(destination);
  };
  return { url: addressOf(config.host, server), close };
}
