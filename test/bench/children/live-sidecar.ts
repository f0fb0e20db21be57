/** The whole service over a folder and the ledger that it is of: `live-sidecar.ts LEDGER OUT STORES`. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { createApp } from '../../../src/sidecar/app.ts';
import { openServices } from '../../../src/sidecar/open-services.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';
import { collectGarbage } from './collect-garbage.ts';

const [ledger = '', out = '', stores = ''] = process.argv.slice(2);
const config = {
  out,
  keys: join(stores, 'keys.sqlite'),
  limits: join(stores, 'limits.db'),
  accessLog: join(stores, 'access-log'),
  accessLogSize: 64,
  maxActive: 100_000,
  maxDelay: 60_000,
  logLevel: 'error',
  documents: 'data/documents',
  baseUrl: 'http://localhost',
  livePoll: 1000,
  liveGap: 250,
  liveListeners: 10_000,
  liveListenersPerClient: 10_000,
  exports: 1,
  exportsPerHolder: 1,
} as const;
const logger = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }));
const { services } = await openServices(config, { ledger, verifiers: [DEMO_VERIFIER] }, logger);
// Requests are not counted: the bench asks more often than a day allows.
const app = createApp(
  { ...services, limiter: null },
  { trustedProxies: null, requestTimeout: 30, keepAlive: 65, stallTimeout: 60, maxConnections: 100_000 },
);
collectGarbage();
await once(app.listen(0, '127.0.0.1'), 'listening');
console.log(`http://127.0.0.1:${(app.address() as AddressInfo).port}`);
