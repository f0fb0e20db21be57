import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { listenOn } from '../../src/sidecar/server-address.ts';

/** A machine whose `localhost` is ::1 and then 127.0.0.1, as in the /etc/hosts of Debian. */
const resolve = ((_host: string, { order }: { order?: string }) =>
  lookup(order === 'ipv4first' ? '127.0.0.1' : '::1')) as typeof lookup;

test('a server listens where its proxy asks, at 127.0.0.1, on a machine whose localhost is first ::1', async () => {
  const server = createServer();
  try {
    await listenOn(server, { host: 'both.invalid', port: 0 }, resolve);
    expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
  } finally {
    server.close();
  }
});
