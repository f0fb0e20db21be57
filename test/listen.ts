import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Opens a server at a free port of this machine. */
export async function listen(server: Server): Promise<{ port: number; origin: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}` };
}

/** The same until the test ends. */
export function listenInTest(server: HttpServer): Promise<{ port: number; origin: string }> {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
}
