import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { CathedralError } from '../../pipeline/errors.ts';
import { readStatus } from '../../pipeline/publish/status.ts';
import { createApp } from './app.ts';
import { Releases } from './releases.ts';

export interface ListenOptions {
  out: string;
  host: string;
  port: number;
  logLevel: string;
}

export interface Sidecar {
  /** `http://localhost:8080` */
  url: string;
  /** Answers what has begun, and then ends. */
  close: () => Promise<void>;
}

/** How long answers that have begun may take when the service ends, ms; a large download is cut off then. */
const GRACE_MS = 10_000;
/** Addresses that stand for all of a machine's, which is no address to go to. */
const ANY = new Set(['0.0.0.0', '::']);

/** Serves the releases of `out`. Throws config_invalid where the address cannot be listened on. */
export async function listen({ out, host, port, logLevel }: ListenOptions): Promise<Sidecar> {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const logger = pino({ level: logLevel, base: null, timestamp }, pino.destination({ dest: 2, sync: true }));
  const releases = new Releases(out, (error) =>
    logger.error({ err: error }, 'the new release cannot be served'),
  );
  const app = createApp({ releases, readStatus: () => readStatus(out), logger });
  await app.listen({ host, port, listenTextResolver: () => '' }).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code === 'EADDRINUSE' ? 'one that is in use' : (cause.code ?? cause.message);
    throw new CathedralError('config_invalid', {
      place: `${host}:${port}`,
      expected: 'a free port',
      found,
      cause,
    });
  });
  const { port: bound } = app.server.address() as AddressInfo;
  const name = ANY.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const close = async () => {
    const timer = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    await app.close();
    clearTimeout(timer);
  };
  return { url: `http://${name}:${bound}`, close };
}
