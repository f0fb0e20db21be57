import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { rateLimitHeaders } from '../../../src/api/quotas.ts';
import { createLimiter, type Limiter } from '../../../src/sidecar/limits/limiter.ts';
import { openSqliteCountStore } from '../../../src/sidecar/limits/sqlite-count-store.ts';

/** One fixed time, so that no run falls on midnight. */
const NOW = Date.parse('2025-12-01T12:00:00Z');

export interface CountingServer {
  server: Server;
  limiter: Limiter;
}

/** A bare server that answers 1 000 requests of one holder, on counts in a file. */
export function countingServer(path: string): CountingServer {
  const limiter = createLimiter({ store: openSqliteCountStore(path), random: randomBytes });
  // Otherwise it may end a connection at the moment at which the client uses it again.
  const server = createServer({ keepAliveTimeout: 0 }, async (_, response) => {
    const allowance = await limiter.take({
      area: 'academics',
      tier: 'academic',
      subject: { holder: 'h-1' },
      now: NOW,
    });
    response.writeHead(allowance.allowed ? 200 : 429, rateLimitHeaders(allowance)).end();
  });
  return { server, limiter };
}

// As a process of its own: `node counting-server.ts FILE` prints the port, and ends with whoever started it.
if (process.argv[1] === import.meta.filename) {
  const { server } = countingServer(process.argv[2]!);
  process.stdin.resume().on('end', () => process.exit());
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as { port: number }).port}\n`);
  });
}
