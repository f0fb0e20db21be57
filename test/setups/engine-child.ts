// `node engine-child.ts postgres`: starts an engine for all tests of a run, writes one line of JSON about how to reach it, and stops it
// when its input ends.
import { once } from 'node:events';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { RadosGateway } from '../engines/object-store.ts';
import { PostgresServer } from '../engines/postgres.ts';
import type { EngineName } from './engines.ts';

interface Engine {
  /** For the tests, as JSON. */
  found: object;
  stop: () => Promise<void> | void;
}

/** Of a new database, in the server of a run. */
const TEMPLATE = 'cathedral';

const ENGINES: Record<EngineName, () => Promise<Engine>> = {
  async postgres() {
    // Several test files at once, each with several programs of several connections.
    const server = await PostgresServer.start({ settings: ['max_connections = 400'] });
    await server.sql(`CREATE DATABASE ${TEMPLATE}`);
    const database = await openDatabase(server.address('', { database: TEMPLATE }), {
      application: 'set-up',
      connections: 1,
    });
    await database.close();
    const { folder, port } = server;
    return { found: { folder, port, template: TEMPLATE }, stop: () => server.stop() };
  },
  async objects() {
    const gateway = await RadosGateway.start();
    const { folder, endpoint } = gateway;
    return { found: { folder, endpoint }, stop: () => gateway.stop() };
  },
  async browser() {
    const { launchBrowserServer } = await import('./launch-browser.ts');
    const server = await launchBrowserServer();
    return { found: { endpoint: server.wsEndpoint() }, stop: () => server.close() };
  },
};

// What interrupts a run, such as Ctrl-C, reaches this process, too; it ends when its input does, whatever became of the run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
const ended = once(process.stdin.resume(), 'end');
try {
  const engine = await ENGINES[process.argv[2] as EngineName]();
  console.log(JSON.stringify({ found: engine.found }));
  await ended;
  await engine.stop();
} catch (error) {
  console.log(JSON.stringify({ failed: (error as Error).message }));
}
process.exit();
