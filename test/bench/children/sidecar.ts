/** The service over a folder: `sidecar.ts OUT STORES plain|full [LEDGER] [STORE]`. Plain: no limits and no log of requests. An empty argument is none. */
import pino from 'pino';
import { LOG_STREAM } from '../../../src/sidecar/listen.ts';
import { openServices } from '../../../src/sidecar/open-services.ts';
import { createApp } from '../../../src/sidecar/request/app.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';
import { announce } from './announce.ts';

const [out = '', stores = '', guards = 'full', ledger = '', store = ''] = process.argv.slice(2);
const logLevel = guards === 'full' ? 'info' : 'error';
const logger = pino({ level: logLevel }, pino.destination({ dest: '/dev/null', ...LOG_STREAM }));
const config = {
  out,
  maxActive: 100_000,
  logLevel,
  documents: 'data/documents',
  companions: 'data/keys/companions.json',
  store: store === '' ? stores : store,
  baseUrl: 'http://localhost',
  releases: null,
  accessKeyId: null,
  secretAccessKey: null,
  sessionToken: null,
  trustedProxies: null,
  simulationOrigins: null,
  simulationStartsPerClient: 10_000,
} as const;
const followed = ledger === '' ? null : { ledger, verifiers: [DEMO_VERIFIER] };
const { services } = await openServices(
  config,
  { followed, software: { version: 'bench', commit: null } },
  logger,
);
const app = createApp(guards === 'full' ? services : { ...services, limiter: null }, {
  // Each request of the load generator, and each listener, names a client of its own, so that all are counted and none refused.
  trustedProxies: ['127.0.0.1'],
  requestTimeout: 30,
  keepAlive: 65,
  maxConnections: 100_000,
});
await announce(app);
