import { isIP } from 'node:net';
import { z } from 'zod';
import { integer, type Setting, text } from './setting.ts';

/** `10.0.0.7,2001:db8::/32` */
const networks = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every(isNetwork));

/** `https://class.example.org`, as browsers name it in `Origin`: in small letters, without a path. */
const origins = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every((item) => URL.parse(item)?.origin === item));

/** How the server listens, and what it keeps. */
export const SERVING_SETTINGS = {
  host: {
    flag: 'host',
    env: 'CATHEDRAL_HOST',
    default: 'localhost',
    unit: 'a host name or an address of this machine',
    description:
      'Where the service listens. The default is for this machine alone, as behind a reverse proxy; 0.0.0.0 or :: for everybody.',
    schema: text,
  },
  port: {
    flag: 'port',
    env: 'PORT',
    default: '8080',
    unit: 'a TCP port, 0 to 65535',
    description: 'Where the service listens; 0 takes a free one.',
    schema: integer(0, 65_535),
  },
  logLevel: {
    flag: 'log-level',
    env: 'CATHEDRAL_LOG_LEVEL',
    default: 'warn',
    unit: 'one of debug, info, warn, error',
    description:
      'What the server logs, one JSON object a line on standard error. At info that is each request, without addresses and keys.',
    schema: z.enum(['debug', 'info', 'warn', 'error']),
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    env: 'CATHEDRAL_TRUSTED_PROXIES',
    default: null,
    unit: 'addresses or networks, separated by commas: 127.0.0.1,10.0.0.0/8',
    description:
      'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. Without it nobody is: whoever could write these headers would choose the address that is counted and logged.',
    schema: networks,
  },
  requestTimeout: {
    flag: 'request-timeout',
    env: 'CATHEDRAL_REQUEST_TIMEOUT',
    default: '30',
    unit: 'seconds, 1 to 600',
    description: 'How long a request with its headers may take to arrive; a slow one is answered with 408.',
    schema: integer(1, 600),
  },
  keepAlive: {
    flag: 'keep-alive',
    env: 'CATHEDRAL_KEEP_ALIVE',
    default: '65',
    unit: 'seconds, 1 to 3600',
    description:
      'How long an idle connection is kept. Longer than the 60 s of most reverse proxies, so that the proxy is the one to close it.',
    schema: integer(1, 3_600),
  },
  maxConnections: {
    flag: 'max-connections',
    env: 'CATHEDRAL_MAX_CONNECTIONS',
    default: '10000',
    unit: 'a whole number, 1 to 1000000',
    description: 'Connections at once; further ones are closed. An idle one costs some kB.',
    schema: integer(1, 1_000_000),
  },
  maxConnectionsPerClient: {
    flag: 'max-connections-per-client',
    env: 'CATHEDRAL_MAX_CONNECTIONS_PER_CLIENT',
    default: '500',
    unit: 'a whole number, 1 to 1000000',
    description:
      'Those of one address or IPv6 /64; further ones are closed. Behind a trusted proxy, whose own connections are not counted, requests and streams at once of the address that it names; further ones get a 503. Enough for a university behind one address, a twentieth of all.',
    schema: integer(1, 1_000_000),
  },
  stallTimeout: {
    flag: 'stall-timeout',
    env: 'CATHEDRAL_STALL_TIMEOUT',
    default: '60',
    unit: 'seconds, 1 to 3600',
    description: 'How long a client may take nothing of an answer that waits for it, before it is cut off.',
    schema: integer(1, 3_600),
  },
  grace: {
    flag: 'grace',
    env: 'CATHEDRAL_GRACE',
    default: '10',
    unit: 'seconds, 0 to 3600',
    description: 'How long answers that have begun may take when the service ends; then they are cut off.',
    schema: integer(0, 3_600),
  },
  maxActive: {
    flag: 'max-active',
    env: 'CATHEDRAL_MAX_ACTIVE',
    default: '4000',
    unit: 'a whole number, 1 to 1000000',
    description:
      'Requests that are answered at once before load is high; keys have 1.5 times as many, government keys twice. Most wait for the network, each costs some tens of kB. One client may have a quarter of them for large files.',
    schema: integer(1, 1_000_000),
  },
  maxDelay: {
    flag: 'max-delay',
    env: 'CATHEDRAL_MAX_DELAY',
    default: '150',
    unit: 'milliseconds, 10 to 60000',
    description:
      'Mean delay of the event loop, over each of two half seconds, above which load is high if at least a twentieth of the `--max-active` places is taken by requests whose answer is not made yet; keys have 1.5 times as much of both, government keys twice. At this delay readers notice, and no request is lost yet. The delay alone refuses nobody: the machine may be busy with something else.',
    schema: integer(10, 60_000),
  },
  livePoll: {
    flag: 'live-poll',
    env: 'CATHEDRAL_LIVE_POLL',
    default: '1000',
    unit: 'milliseconds, 50 to 60000',
    description:
      'How often the ledger is looked at for new events where the system does not tell of a change, as on network disks.',
    schema: integer(50, 60_000),
  },
  liveGap: {
    flag: 'live-gap',
    env: 'CATHEDRAL_LIVE_GAP',
    default: '250',
    unit: 'milliseconds, 0 to 60000',
    description:
      'Least time between two messages of `/live`. What changes more often than four times a second, nobody reads.',
    schema: integer(0, 60_000),
  },
  liveListeners: {
    flag: 'live-listeners',
    env: 'CATHEDRAL_LIVE_LISTENERS',
    default: '5000',
    unit: 'a whole number, 0 to 1000000',
    description:
      'Connections that listen to `/live` at once; further ones get a 503. Each costs some twenty kB.',
    schema: integer(0, 1_000_000),
  },
  liveListenersPerClient: {
    flag: 'live-listeners-per-client',
    env: 'CATHEDRAL_LIVE_LISTENERS_PER_CLIENT',
    default: '50',
    unit: 'a whole number, 0 to 1000000',
    description:
      'Those of one address or IPv6 /64: enough for an office that shares one, too few to take all of them.',
    schema: integer(0, 1_000_000),
  },
  simulationOrigins: {
    flag: 'simulation-origins',
    env: 'CATHEDRAL_SIMULATION_ORIGINS',
    default: null,
    unit: 'origins, separated by commas: https://class.example.org,https://example.net:8443',
    description:
      'Sites whose pages may connect to the simulation from a browser, beside the service’s own. Each visitor of theirs counts as one of ours.',
    schema: origins,
  },
  simulationConnections: {
    flag: 'simulation-connections',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS',
    default: '2000',
    unit: 'a whole number, 0 to 1000000',
    description: 'Connections to the simulation at once; further ones get a 503. Each costs some hundred kB.',
    schema: integer(0, 1_000_000),
  },
  simulationConnectionsPerClient: {
    flag: 'simulation-connections-per-client',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS_PER_CLIENT',
    default: '24',
    unit: 'a whole number, 0 to 1000000',
    description: 'Those of one address or IPv6 /64: a class room behind one address.',
    schema: integer(0, 1_000_000),
  },
  exports: {
    flag: 'exports',
    env: 'CATHEDRAL_EXPORTS',
    default: '16',
    unit: 'a whole number, 0 to 1000',
    description: 'Exports of the audit trail at once; further ones get a 503. Each may hold a few MB.',
    schema: integer(0, 1_000),
  },
  exportsPerHolder: {
    flag: 'exports-per-holder',
    env: 'CATHEDRAL_EXPORTS_PER_HOLDER',
    default: '4',
    unit: 'a whole number, 0 to 1000',
    description: 'Those of one holder of keys, so that nobody takes all of them.',
    schema: integer(0, 1_000),
  },
  limits: {
    flag: 'limits',
    env: 'CATHEDRAL_LIMITS',
    default: 'var/limits/limits.db',
    unit: 'a file on a local disk',
    description: 'Where requests of the day are counted; several servers of one machine may share it.',
    path: true,
    schema: text,
  },
  accessLog: {
    flag: 'access-log',
    env: 'CATHEDRAL_ACCESS_LOG',
    default: 'var/access-log',
    unit: 'a folder on a local disk',
    description: 'Where every access to a restricted path is recorded; one server writes it.',
    path: true,
    schema: text,
  },
  accessLogSize: {
    flag: 'access-log-size',
    env: 'CATHEDRAL_ACCESS_LOG_SIZE',
    default: '64',
    unit: 'MiB, 1 to 4096',
    description:
      'When a file of the access log is full and the next one begins. Small enough to be copied; some hundred thousand entries.',
    schema: integer(1, 4_096),
  },
} as const satisfies Record<string, Setting>;

function isNetwork(item: string): boolean {
  const [address = '', prefix] = item.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}
