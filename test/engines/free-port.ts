import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports of each worker of the tests, below those that Linux, macOS and Windows give to clients. */
const COUNT = 5000;
const FIRST = 10_000 + COUNT * (Number(process.env.VITEST_POOL_ID ?? 0) % 4);
let last = randomInt(COUNT);

/** A TCP port on the loopback interface that nothing listens on. No other call gives it away until its server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % COUNT;
    const port = FIRST + last;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
        return false;
      },
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
