import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Prints the address of a server as soon as it listens. On SIGUSR2 it collects garbage, so that what is left is what is needed. */
export async function announce(
  server: Server,
  addressAt = (port: number) => `http://127.0.0.1:${port}`,
): Promise<void> {
  setFlagsFromString('--expose-gc');
  process.on('SIGUSR2', runInNewContext('gc') as () => void);
  process.once('SIGINT', () => process.exit());
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
  console.log(addressAt((server.address() as AddressInfo).port));
}
