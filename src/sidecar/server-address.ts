import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CathedralError } from '../../pipeline/errors.ts';

interface Address {
  host: string;
  port: number;
}

/** How often idle connections are closed while the server is ending, ms. */
const CLOSE_MS = 50;
/** These stand for all addresses of a machine, so a browser cannot open them. */
const ANY = new Set(['0.0.0.0', '::']);

/**
 * Of a name it takes the IPv4 address if there is one: most systems give ::1 first for `localhost`, where a proxy that asks 127.0.0.1
 * would find nobody. Throws config_invalid if the address cannot be used.
 */
export async function listenOn(server: Server, address: Address, resolve = lookup): Promise<void> {
  try {
    const { address: host } = await resolve(address.host, { order: 'ipv4first' });
    await once(server.listen(address.port, host), 'listening');
  } catch (error) {
    throw notListening(address, error as NodeJS.ErrnoException);
  }
}

/** Whether the server could listen, before anything is opened for it. Throws config_invalid. */
export async function assertFree(address: Address): Promise<void> {
  const probe = createServer();
  await listenOn(probe, address);
  probe.close();
  await once(probe, 'close');
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

function notListening({ host, port }: Address, cause: NodeJS.ErrnoException): CathedralError {
  const { code = cause.message } = cause;
  const place = `${host}:${port}`;
  const isPort = code === 'EADDRINUSE' || code === 'EACCES';
  const expected = isPort
    ? 'a free port that this user may use (choose another: --port or PORT)'
    : 'an address of this machine (choose another: --host or CATHEDRAL_HOST)';
  const found = code === 'EADDRINUSE' ? 'a port that is in use' : code;
  return new CathedralError('config_invalid', { place, expected, found, cause });
}

/** `http://localhost:8080`, of a server that listens. */
export function addressOf(host: string, server: Server): string {
  const { port } = server.address() as AddressInfo;
  const name = ANY.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
