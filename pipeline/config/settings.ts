import { isIP } from 'node:net';
import { z } from 'zod';
import {
  address,
  FILE_SOURCE,
  hasScheme,
  integer,
  objectAddress,
  origin,
  type Setting,
  SHARED_LEDGER,
  text,
  truth,
  type ValueOf,
  withoutPassword,
} from './setting.ts';

/** Where a ledger is: a folder, the database and bucket of many machines, or a source that is imported into a folder first. */
export type LedgerSource = { kind: 'directory'; path: string } | { kind: 'store' } | RemoteSource;
export type RemoteSource =
  | { kind: 'civic'; url: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'ndjson' | 'csv'; path: string };

/** The addresses of sources, each with what its `url` is. The source checks the rest. */
const REMOTE: readonly (readonly ['civic' | 'postgres', RegExp, z.ZodType<string>])[] = [
  ['civic', /^civic\+(https?:\/\/.+?)\/*$/, address],
  ['postgres', /^(postgres(?:ql)?:\/\/.+)$/, text.refine((value) => URL.canParse(value))],
];

export const ledgerSource = text.transform((value, context): LedgerSource => {
  if (value === SHARED_LEDGER) return { kind: 'store' };
  const [, kind, path] = FILE_SOURCE.exec(value) ?? [];
  if (path !== undefined) return { kind: kind as 'ndjson' | 'csv', path };
  if (!hasScheme(value)) return { kind: 'directory', path: value };
  for (const [kind, pattern, schema] of REMOTE) {
    const url = pattern.exec(value)?.[1];
    if (url !== undefined && schema.safeParse(url).success) return { kind, url };
  }
  context.addIssue({ code: 'custom', message: 'an address of another form' });
  return z.NEVER;
});

/** For messages: never with a password. */
export function nameOfSource(source: LedgerSource): string {
  if (source.kind === 'directory') return source.path;
  if (source.kind === 'store') return SHARED_LEDGER;
  return 'url' in source ? withoutPassword(source.url) : `${source.kind}+file:${source.path}`;
}

/** `10.0.0.7,2001:db8::/32` */
const networks = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every(isNetwork));

/** `https://class.example.org`, as browsers write it in `Origin`: lower case, no path. */
const webOrigins = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every((item) => URL.parse(item)?.origin === item));

/** `Authorization: Bearer …` */
const header = text.regex(/^[A-Za-z0-9-]+:[ \t]*[\x21-\x7e][\x20-\x7e]*$/);

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** An address becomes its part after `://`. */
export const keyName = text
  .transform((value) => value.replace(/^https?:\/\//, ''))
  .pipe(
    z
      .string()
      .max(200)
      .regex(/^[^\s+\p{Cc}]+$/u),
  );

/** A switch by flag and environment variable. */
const SWITCH = { default: 'false', unit: 'true or false', switch: true, schema: truth } as const;

const COUNT = { unit: 'a whole number, 0 to 1000000', schema: integer(0, 1_000_000) } as const;
const POSITIVE_COUNT = { unit: 'a whole number, 1 to 1000000', schema: integer(1, 1_000_000) } as const;

/**
 * Every setting with an environment variable. Values that only one command takes are flags of that command, in
 * `src/commands`. The help, docs/cli.md and the tests are derived from this table.
 */
export const SETTINGS = {
  ledger: {
    group: 'Ledger',
    flag: 'ledger',
    env: 'CATHEDRAL_LEDGER',
    default: 'var/ledger',
    unit: 'a folder, postgres://user@host/database?table=…, ndjson+file:PATH, csv+file:PATH, civic+http(s)://…, or store:',
    description:
      'The ledger to read, or the table of a database, the file that grows or the remote ledger to import it from; docs/sources.md describes these addresses. `store:` is the ledger that another machine shares through CATHEDRAL_STORE and CATHEDRAL_RELEASES. Passwords belong in PGPASSWORD or a password file, because every user of a machine sees flags. The default is where `sample` writes the demo ledger.',
    path: true,
    schema: ledgerSource,
  },
  ledgerKey: {
    group: 'Ledger',
    flag: 'ledger-key',
    env: 'CATHEDRAL_LEDGER_KEY',
    default: null,
    unit: 'a file of verifier keys, one per line',
    description:
      'Who may sign the ledger: one of these keys must have signed each checkpoint. Without it, the file LEDGER.vkey beside the folder of the ledger, where `ledger init` writes it, or, if there is none, the published key of demo ledgers.',
    path: true,
    schema: text,
  },
  ledgerSigningKey: {
    group: 'Ledger',
    flag: 'ledger-signing-key',
    env: 'CATHEDRAL_LEDGER_SIGNING_KEY',
    default: null,
    unit: 'a file of signing keys',
    description:
      'The secret of the ledger, which `ledger init` makes. With it, `start` and `build` seal the finished slots of a ledger in a folder before each run. Keep it outside the ledger, readable by its owner only.',
    path: true,
    schema: text,
  },
  importFolder: {
    group: 'Ledger',
    flag: 'import-folder',
    env: 'CATHEDRAL_IMPORT_FOLDER',
    default: 'var/imported',
    unit: 'a folder',
    description:
      'Where a remote ledger is imported to. Back it up: only this copy records the place of an event that arrived late. With --ledger store:, the replica of the shared ledger, which needs no back-up.',
    path: true,
    schema: text,
  },
  importKey: {
    group: 'Ledger',
    flag: 'import-key',
    env: 'CATHEDRAL_IMPORT_KEY',
    default: 'var/keys/import.key',
    unit: 'a file of 64 hex digits',
    description:
      'The secret that signs and salts imported ledger snapshots. The first import creates it. A different key gives the same events different hashes, so back it up.',
    path: true,
    schema: text,
  },
  importInterval: {
    group: 'Ledger',
    flag: 'import-interval',
    env: 'CATHEDRAL_IMPORT_INTERVAL',
    default: '60',
    unit: 'seconds, 1 to 86400',
    description:
      'How often the server asks a remote ledger for new events. It asks less often while the ledger does not answer.',
    schema: integer(1, 86_400),
  },
  mapping: {
    group: 'Ledger',
    flag: 'mapping',
    env: 'CATHEDRAL_MAPPING',
    default: null,
    unit: 'a JSON file',
    description:
      'What the columns of a table mean, for a ledger that is read from CSV, NDJSON or a database and for `ledger append`. docs/mapping.md describes the file. `ledger append` also takes a folder, with `votes.json` for `votes.csv`. Without it, the columns must be id, timestamp, type, agent, cycle, and data or data.<member>.',
    path: true,
    schema: text,
  },
  wait: {
    group: 'Ledger',
    flag: 'wait',
    env: 'CATHEDRAL_WAIT',
    default: '600',
    unit: 'seconds, 0 to 86400',
    description:
      'How long to wait for another run that uses the same folder, or for the turn of another publisher. The default, ten minutes, is longer than a run over a large ledger takes; 0 fails immediately.',
    schema: integer(0, 86_400),
  },

  out: {
    group: 'Publishing',
    flag: 'out',
    env: 'CATHEDRAL_OUT',
    default: 'var/data',
    unit: 'a folder',
    description:
      'The folder in which releases are published. Back up its folder `snapshots`; a run rebuilds everything else from that and the ledger.',
    path: true,
    schema: text,
  },
  documents: {
    group: 'Publishing',
    flag: 'documents',
    env: 'CATHEDRAL_DOCUMENTS',
    default: 'data/documents',
    unit: 'a folder',
    description:
      'The documents that people write: treaty framework, standards, protocols, papers, citations.',
    path: true,
    schema: text,
  },
  companions: {
    group: 'Publishing',
    flag: 'companions',
    env: 'CATHEDRAL_COMPANIONS',
    default: null,
    unit: 'a JSON file of companions and wallets',
    description:
      'Which companions may attest, with which keys, and the wallets of the entities in the ledger. All of it is published. Without it no companion is trusted; a demo ledger falls back to its own companions, whose secret keys are public. The format: {"companions": [{"companion": NAME, "keys": [{"algorithm": "ed25519", "public_key": HEX, "valid_from": DATE-TIME, "valid_until": DATE-TIME}]}], "wallets": [{"ledger_id": UUID, "address": 0x…}]}, with valid_until optional. `attest keygen` prints an entry for it, and a service publishes one as companions.json.',
    path: true,
    schema: text,
  },
  baseUrl: {
    group: 'Publishing',
    flag: 'base-url',
    env: 'CATHEDRAL_BASE_URL',
    default: 'http://localhost:{port}',
    unit: 'http(s)://host[:port], in lower case, without a path, a trailing slash or a default port',
    description:
      'The address at which readers reach the service. It appears in citations, pages, PDFs and mails. The service needs a host of its own, because pages link from the root. A change makes a new release.',
    schema: origin,
  },
  contact: {
    group: 'Publishing',
    flag: 'contact',
    env: 'CATHEDRAL_CONTACT',
    default: 'contact@data.example.org',
    unit: 'an e-mail address',
    description:
      'Where readers ask for keys and report errors and security problems. It is published, so a change makes a new release. The default is a placeholder; set your own address.',
    schema: z.email(),
  },
  sourceCode: {
    group: 'Publishing',
    flag: 'source-code',
    env: 'CATHEDRAL_SOURCE_CODE',
    default: null,
    unit: 'http(s)://…, without a query or a fragment',
    description:
      'Where readers find the source code of the software that you run: a repository, or a page that leads to it. Pages name it wherever they name a command. A change makes a new release. Without it, readers are told to ask at the contact address.',
    schema: address,
  },
  withoutSite: {
    group: 'Publishing',
    flag: 'without-site',
    env: 'CATHEDRAL_WITHOUT_SITE',
    description: 'Publishes data files only: no pages, charts or further formats, and no PDFs.',
    ...SWITCH,
  },
  withoutPdf: {
    group: 'Publishing',
    flag: 'without-pdf',
    env: 'CATHEDRAL_WITHOUT_PDF',
    description: 'Publishes no PDF reports. No Chromium is needed then.',
    ...SWITCH,
  },
  chromium: {
    group: 'Publishing',
    flag: 'chromium',
    env: 'CHROMIUM_PATH',
    default: null,
    unit: 'the path of an executable',
    description:
      'The browser that prints PDFs. Without it, the first Chromium on the PATH, or else the newest in `~/.cache/puppeteer`.',
    path: true,
    schema: text,
  },
  snapshotDays: {
    group: 'Publishing',
    flag: 'snapshot-days',
    env: 'CATHEDRAL_SNAPSHOT_DAYS',
    default: '366',
    unit: 'days, 0 to 36500',
    description:
      'How long every snapshot is kept; after that, only the last one of each month. A year has 1464 snapshots, each as large as the data files that changed with its release, without the histories.',
    schema: integer(0, 36_500),
  },
  witnesses: {
    group: 'Publishing',
    flag: 'witnesses',
    env: 'CATHEDRAL_WITNESSES',
    default: null,
    unit: 'a file, a policy of c2sp.org/tlog-policy',
    description:
      'The witnesses that cosign each checkpoint of the log: those “witness” lines that have an address. They are asked after a release is published, and again if they do not answer; no release waits for them. Readers can use the same file. See docs/witnesses.md.',
    path: true,
    schema: text,
  },
  purgeUrl: {
    group: 'Publishing',
    flag: 'purge-url',
    env: 'CATHEDRAL_PURGE_URL',
    default: null,
    unit: 'https://…',
    description:
      'Where a run sends a POST request after it has published a release, so that your CDN forgets the previous one. See docs/operations.md, "Behind a CDN".',
    schema: text.regex(/^https?:\/\/[^#\s@\\]+$/).refine((value) => URL.canParse(value)),
  },
  purgeHeader: {
    group: 'Publishing',
    flag: null,
    env: 'CATHEDRAL_PURGE_HEADER',
    default: null,
    unit: 'a header, Authorization: Bearer …',
    description:
      'The header of the purge request that authorises it. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: header,
  },
  purgeBody: {
    group: 'Publishing',
    flag: 'purge-body',
    env: 'CATHEDRAL_PURGE_BODY',
    default: null,
    unit: 'JSON, {"tags":["cathedral-release"]}',
    description: 'The body of the purge request, if your CDN needs one.',
    schema: text.refine(isJson),
  },
  sealDelay: {
    group: 'Publishing',
    flag: 'seal-delay',
    env: 'CATHEDRAL_SEAL_DELAY',
    default: '60',
    unit: 'seconds, 0 to 10800',
    description:
      'How long after 00, 06, 12 and 18 h UTC a run starts. The ledger needs this time to seal the ledger snapshot of the slot.',
    schema: integer(0, 10_800),
  },

  publisherKey: {
    group: 'Release signing',
    flag: 'publisher-key',
    env: 'CATHEDRAL_PUBLISHER_KEY',
    default: 'var/keys/publisher.key',
    unit: 'a file',
    description:
      'The signing keys of the publisher. The first run creates the file, readable by its owner only. A folder beside it, FILE.signed, records what was signed. Back up both: without the key, readers do not accept the next release without being told.',
    path: true,
    schema: text,
  },
  publisherName: {
    group: 'Release signing',
    flag: 'publisher-name',
    env: 'CATHEDRAL_PUBLISHER_NAME',
    default: '{baseUrl}',
    unit: 'a name without spaces and plus signs, at most 200 characters; of an address, the part after ://',
    description:
      'The name in a new publisher key. It is part of the key, so an existing key keeps its own name.',
    schema: keyName,
  },

  host: {
    group: 'Server',
    flag: 'host',
    env: 'CATHEDRAL_HOST',
    default: 'localhost',
    unit: 'a host name or an address of this machine',
    description:
      'The address to listen on. The default accepts connections from this machine only, as behind a reverse proxy; 0.0.0.0 or :: accepts them from everywhere.',
    schema: text,
  },
  port: {
    group: 'Server',
    flag: 'port',
    env: 'PORT',
    default: '8080',
    unit: 'a TCP port, 0 to 65535',
    description:
      'The port to listen on; 0 takes a free one. `npm start` honours it too: PORT=9000 npm start. The default of --base-url contains it.',
    schema: integer(0, 65_535),
  },
  trustedProxies: {
    group: 'Server',
    flag: 'trusted-proxies',
    env: 'CATHEDRAL_TRUSTED_PROXIES',
    default: null,
    unit: 'addresses or networks, separated by commas: 127.0.0.1,10.0.0.0/8',
    description:
      'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers the server believes. By default it ignores these headers, because clients could forge their address.',
    schema: networks,
  },
  requestTimeout: {
    group: 'Server',
    flag: 'request-timeout',
    env: 'CATHEDRAL_REQUEST_TIMEOUT',
    default: '30',
    unit: 'seconds, 1 to 600',
    description: 'How long a request and its headers may take to arrive. A slower one gets 408.',
    schema: integer(1, 600),
  },
  keepAlive: {
    group: 'Server',
    flag: 'keep-alive',
    env: 'CATHEDRAL_KEEP_ALIVE',
    default: '65',
    unit: 'seconds, 1 to 3600',
    description:
      'How long an idle connection stays open. The default is longer than the 60 s of most reverse proxies, so that the proxy closes it.',
    schema: integer(1, 3_600),
  },
  stallTimeout: {
    group: 'Server',
    flag: 'stall-timeout',
    env: 'CATHEDRAL_STALL_TIMEOUT',
    default: '60',
    unit: 'seconds, 1 to 3600',
    description: 'After how long the server drops a client that does not read the answer waiting for it.',
    schema: integer(1, 3_600),
  },
  cacheTagHeader: {
    group: 'Server',
    flag: 'cache-tag-header',
    env: 'CATHEDRAL_CACHE_TAG_HEADER',
    default: null,
    unit: 'the name of a header: Cache-Tag, Surrogate-Key, CDN-Tag, xkey, …',
    description:
      'Marks the responses that a new release replaces with the tag cathedral-release, in the header that your CDN reads, so that one purge request makes it forget them.',
    schema: text.regex(/^[A-Za-z0-9-]+$/),
  },
  drain: {
    group: 'Server',
    flag: 'drain',
    env: 'CATHEDRAL_DRAIN',
    default: '0',
    unit: 'seconds, 0 to 3600',
    description:
      'How long the server keeps accepting requests when the service stops, while /readyz says 503. Behind a load balancer, at least the time that this takes to notice; alone, 0.',
    schema: integer(0, 3_600),
  },
  grace: {
    group: 'Server',
    flag: 'grace',
    env: 'CATHEDRAL_GRACE',
    default: '10',
    unit: 'seconds, 0 to 3600',
    description: 'How long answers in progress may take when the service stops. Then they are cut off.',
    schema: integer(0, 3_600),
  },
  logLevel: {
    group: 'Server',
    flag: 'log-level',
    env: 'CATHEDRAL_LOG_LEVEL',
    default: 'warn',
    unit: 'one of debug, info, warn, error',
    description:
      'What the server logs to standard error, one JSON object per line. Level info logs every request, without addresses and keys.',
    schema: z.enum(['debug', 'info', 'warn', 'error']),
  },

  maxConnections: {
    group: 'Limits',
    flag: 'max-connections',
    env: 'CATHEDRAL_MAX_CONNECTIONS',
    default: '10000',
    description: 'Open connections. The server closes further ones. An idle connection costs a few kB.',
    ...POSITIVE_COUNT,
  },
  maxConnectionsPerClient: {
    group: 'Limits',
    flag: 'max-connections-per-client',
    env: 'CATHEDRAL_MAX_CONNECTIONS_PER_CLIENT',
    default: '500',
    description:
      'Open connections from one address or IPv6 /64. The server closes further ones. Behind a trusted proxy it counts the concurrent requests and streams of the address that the proxy reports, and answers further ones with 503. The default is enough for a university behind one address, and a twentieth of all connections.',
    ...POSITIVE_COUNT,
  },
  maxActive: {
    group: 'Limits',
    flag: 'max-active',
    env: 'CATHEDRAL_MAX_ACTIVE',
    default: '4000',
    description:
      'Concurrent requests above which load is high. The threshold is 1.5 times as high for requests with a key, and twice as high for government keys. Most requests wait for the network and cost tens of kB. One client may use a quarter of them for large files.',
    ...POSITIVE_COUNT,
  },
  maxDelay: {
    group: 'Limits',
    flag: 'max-delay',
    env: 'CATHEDRAL_MAX_DELAY',
    default: '150',
    unit: 'milliseconds, 10 to 60000',
    description:
      'Mean delay of the event loop, in two consecutive half seconds, above which load is high, provided that at least a twentieth of `--max-active` requests still wait for their answer. Both thresholds are 1.5 times as high for requests with a key, and twice as high for government keys. Above this delay responses feel slow; requests still succeed. The delay alone refuses nobody, because something else may keep the machine busy.',
    schema: integer(10, 60_000),
  },
  limits: {
    group: 'Limits',
    flag: 'limits',
    env: 'CATHEDRAL_LIMITS',
    default: 'var/limits/limits.db',
    unit: 'a file on a local disk',
    description:
      'The database that counts the requests of the day. Several servers on one machine may share it.',
    path: true,
    schema: text,
  },
  exports: {
    group: 'Limits',
    flag: 'exports',
    env: 'CATHEDRAL_EXPORTS',
    default: '16',
    unit: 'a whole number, 0 to 1000',
    description: 'Concurrent audited exports. Further ones get 503. Each may hold a few MB of memory.',
    schema: integer(0, 1_000),
  },
  exportsPerHolder: {
    group: 'Limits',
    flag: 'exports-per-holder',
    env: 'CATHEDRAL_EXPORTS_PER_HOLDER',
    default: '4',
    unit: 'a whole number, 0 to 1000',
    description: 'Concurrent audited exports for one holder of keys, so that no holder takes all of them.',
    schema: integer(0, 1_000),
  },

  livePoll: {
    group: 'Live data and simulation',
    flag: 'live-poll',
    env: 'CATHEDRAL_LIVE_POLL',
    default: '1000',
    unit: 'milliseconds, 50 to 60000',
    description:
      'How often the server looks for new events where the operating system does not report changes, as on network disks.',
    schema: integer(50, 60_000),
  },
  liveGap: {
    group: 'Live data and simulation',
    flag: 'live-gap',
    env: 'CATHEDRAL_LIVE_GAP',
    default: '250',
    unit: 'milliseconds, 0 to 60000',
    description:
      'Minimum time between two messages of `/live`. Nobody can read values that change more often than four times a second.',
    schema: integer(0, 60_000),
  },
  liveListeners: {
    group: 'Live data and simulation',
    flag: 'live-listeners',
    env: 'CATHEDRAL_LIVE_LISTENERS',
    default: '5000',
    description: 'Concurrent listeners of `/live`. Further ones get 503. Each costs about twenty kB.',
    ...COUNT,
  },
  liveListenersPerClient: {
    group: 'Live data and simulation',
    flag: 'live-listeners-per-client',
    env: 'CATHEDRAL_LIVE_LISTENERS_PER_CLIENT',
    default: '50',
    description:
      'Concurrent listeners of `/live` from one address or IPv6 /64: enough for an office behind one address, too few to take all of them.',
    ...COUNT,
  },
  simulationOrigins: {
    group: 'Live data and simulation',
    flag: 'simulation-origins',
    env: 'CATHEDRAL_SIMULATION_ORIGINS',
    default: null,
    unit: 'web origins, separated by commas: https://class.example.org,https://example.net:8443',
    description:
      'Sites other than the service itself whose pages may connect to the simulation. Their visitors count towards the same limits.',
    schema: webOrigins,
  },
  simulationConnections: {
    group: 'Live data and simulation',
    flag: 'simulation-connections',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS',
    default: '2000',
    description:
      'Concurrent connections to the simulation. Further ones get 503. Each costs about a hundred kB.',
    ...COUNT,
  },
  simulationConnectionsPerClient: {
    group: 'Live data and simulation',
    flag: 'simulation-connections-per-client',
    env: 'CATHEDRAL_SIMULATION_CONNECTIONS_PER_CLIENT',
    default: '60',
    description:
      'Concurrent connections to the simulation from one address or IPv6 /64: a class of forty behind one address, with some to spare for those who reconnect.',
    ...COUNT,
  },
  simulationStartsPerClient: {
    group: 'Live data and simulation',
    flag: 'simulation-starts-per-client',
    env: 'CATHEDRAL_SIMULATION_STARTS_PER_CLIENT',
    default: '2000',
    description:
      'Simulations that one address or IPv6 /64 may start a day, counted apart from its requests: forty people in two lessons, with 25 starts each. The holder of a key has at least the quota of its tier.',
    ...COUNT,
  },

  keys: {
    group: 'API keys',
    flag: 'keys',
    env: 'CATHEDRAL_KEYS',
    default: 'var/keys/keys.sqlite',
    unit: 'a file on a local disk',
    description:
      'The database of API keys: their hashes, holders and expiry times. Back it up: without it, the service knows no key.',
    path: true,
    schema: text,
  },
  webhooks: {
    group: 'Webhooks',
    flag: 'webhooks',
    env: 'CATHEDRAL_WEBHOOKS',
    default: 'var/webhooks/webhooks.db',
    unit: 'a file on a local disk',
    description:
      'The database of webhooks: subscriptions with their secrets, and what is to be delivered. Several servers on one machine may share it. Back it up with the keys.',
    path: true,
    schema: text,
  },
  webhookPrivate: {
    group: 'Webhooks',
    flag: 'webhook-private',
    env: 'CATHEDRAL_WEBHOOK_PRIVATE',
    description:
      'Lets receivers of webhooks be in private networks and use http, for intranets and tests. On the internet, it would let the holder of a key send requests to machines behind the firewall.',
    ...SWITCH,
  },

  smtpUrl: {
    group: 'API keys',
    flag: null,
    env: 'SMTP_URL',
    default: null,
    unit: 'smtps://user:password@host or smtp://…',
    description:
      'The mail server that sends keys and codes. It contains a password, so it is read from the environment only.',
    secret: true,
    schema: text,
  },
  mailFrom: {
    group: 'API keys',
    flag: 'mail-from',
    env: 'CATHEDRAL_MAIL_FROM',
    default: null,
    unit: 'an address, or a name with one: Cathedral <keys@data.example.org>',
    description: 'The sender of mails. Required together with SMTP_URL.',
    schema: text,
  },

  accessLog: {
    group: 'Access log',
    flag: 'access-log',
    env: 'CATHEDRAL_ACCESS_LOG',
    default: 'var/access-log',
    unit: 'a folder on a local disk',
    description: 'The access log: every request for a restricted file. Only one server may write it.',
    path: true,
    schema: text,
  },
  accessLogSize: {
    group: 'Access log',
    flag: 'access-log-size',
    env: 'CATHEDRAL_ACCESS_LOG_SIZE',
    default: '64',
    unit: 'MiB, 1 to 4096',
    description:
      'The size at which the access log continues in a new file. The default holds some hundred thousand entries and is small enough to copy.',
    schema: integer(1, 4_096),
  },

  mirrorOrigin: {
    group: 'Mirror and verification',
    flag: 'origin',
    env: 'CATHEDRAL_MIRROR_ORIGIN',
    default: null,
    unit: 'http(s)://host[:port][/path]',
    description: 'The address of the service to mirror, or of another mirror of it.',
    schema: address,
  },
  mirrorFolder: {
    group: 'Mirror and verification',
    flag: 'folder',
    env: 'CATHEDRAL_MIRROR_FOLDER',
    default: null,
    unit: 'a folder',
    description: 'The folder of the mirror. It must contain nothing else.',
    path: true,
    schema: text,
  },
  readerKeys: {
    group: 'Mirror and verification',
    flag: 'verifier-key',
    aliases: ['key'],
    env: 'CATHEDRAL_MIRROR_KEY',
    default: null,
    unit: 'a verifier key, or a file of them, one per line',
    description:
      'The publisher keys to trust. Without it, `mirror` trusts the keys that it saw first; `verify` trusts those that the manifest names, which proves that a copy is complete but not who published it.',
    schema: text,
  },
  policy: {
    group: 'Mirror and verification',
    flag: 'policy',
    env: 'CATHEDRAL_POLICY',
    default: null,
    unit: 'a file, as c2sp.org/tlog-policy describes it',
    description:
      "The logs and the witnesses to trust, and which of the witnesses must have cosigned the log's checkpoint. Only then do others see the same log. Without it, cosignatures are ignored. Where the policy names logs, their keys are the ledger's, and of --ledger-key those count that the policy names.",
    path: true,
    schema: text,
  },
  readerApiKey: {
    group: 'Mirror and verification',
    flag: null,
    env: 'CATHEDRAL_MIRROR_API_KEY',
    default: null,
    unit: 'an API key',
    description:
      'The API key to send to the origin, for a higher quota. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: text,
  },
  withoutLinks: {
    group: 'Mirror and verification',
    flag: 'without-links',
    env: 'CATHEDRAL_MIRROR_WITHOUT_LINKS',
    description:
      'Makes `current` a folder instead of a symbolic link, for file systems without links. It is missing for a moment during each update.',
    ...SWITCH,
  },
  parallelRequests: {
    group: 'Mirror and verification',
    flag: 'parallel',
    env: 'CATHEDRAL_MIRROR_PARALLEL',
    default: '6',
    unit: 'requests, 1 to 32',
    description: 'Concurrent requests to the origin. Browsers also make six.',
    schema: integer(1, 32),
  },
  transferStall: {
    group: 'Mirror and verification',
    flag: 'transfer-stall',
    env: 'CATHEDRAL_MIRROR_STALL',
    default: '30',
    unit: 'seconds, 1 to 3600',
    description: 'How long a transfer may stay below 8 kB per second before it is retried.',
    schema: integer(1, 3600),
  },
  timeLimit: {
    group: 'Mirror and verification',
    flag: 'time-limit',
    env: 'CATHEDRAL_MIRROR_TIME_LIMIT',
    default: '3600',
    unit: 'seconds, 1 to 604800',
    description:
      'How long the command may take. The default, an hour, keeps two runs of an hourly timer from overlapping.',
    schema: integer(1, 604_800),
  },
  governmentKey: {
    group: 'Mirror and verification',
    flag: null,
    env: 'CATHEDRAL_GOVERNMENT_KEY',
    default: null,
    unit: 'a government key',
    description:
      'The API key with which `verify-export --url` reads the entries of the log. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: text,
  },

  releases: {
    group: 'Many machines',
    flag: 'releases',
    env: 'CATHEDRAL_RELEASES',
    default: null,
    unit: 's3+https://host[:port]/bucket[/prefix][?region=…]',
    description:
      'The bucket of an S3-compatible object store through which several machines share releases. Without it, releases stay on this machine. The credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, because every user of a machine sees flags. s3+http:// reaches a store on this machine, and with the parameter unencrypted=true any other.',
    schema: objectAddress,
  },
  cacheSize: {
    group: 'Many machines',
    flag: 'cache-size',
    env: 'CATHEDRAL_CACHE_SIZE',
    default: '1024',
    unit: 'MiB, 64 to 1048576',
    description:
      'The space for files of the bucket that a server fetches when they are first requested: snapshots and the log. The least recently used ones go. The largest of these files has to fit; the default holds the snapshots of about a year.',
    schema: integer(64, 1_048_576),
  },
  switchDelay: {
    group: 'Many machines',
    flag: 'switch-delay',
    env: 'CATHEDRAL_SWITCH_DELAY',
    default: '10',
    unit: 'seconds, 0 to 60',
    description:
      'How long after a publisher has named a new release in the bucket all servers switch to it. Until then they fetch it. Raise it if some take longer and switch late.',
    schema: integer(0, 60),
  },
  accessKeyId: {
    group: 'Many machines',
    flag: null,
    env: 'AWS_ACCESS_KEY_ID',
    default: null,
    unit: 'an access key',
    description: 'The access key of the object store, read from the environment only, like its secret.',
    secret: true,
    schema: text,
  },
  secretAccessKey: {
    group: 'Many machines',
    flag: null,
    env: 'AWS_SECRET_ACCESS_KEY',
    default: null,
    unit: 'the secret of the access key',
    description: 'The secret of the access key, read from the environment only.',
    secret: true,
    schema: text,
  },
  sessionToken: {
    group: 'Many machines',
    flag: null,
    env: 'AWS_SESSION_TOKEN',
    default: null,
    unit: 'a session token',
    description: 'Part of temporary credentials of the object store, read from the environment only.',
    secret: true,
    schema: text,
  },

  attestationKey: {
    group: 'Attestations',
    flag: 'key-file',
    aliases: ['key'],
    env: 'CATHEDRAL_ATTESTATION_KEY',
    default: null,
    unit: 'a file',
    description: "The companion's encrypted key file, which `attest keygen` writes and `attest sign` reads.",
    path: true,
    schema: text,
  },
  attestationPassphrase: {
    group: 'Attestations',
    flag: null,
    env: 'CATHEDRAL_PASSPHRASE',
    default: null,
    unit: '12 characters or more',
    description:
      'The passphrase of the key file, unless --passphrase-file is given. Without either, the command asks on the terminal. It is a secret, so it is read from the environment only; other programs of the same user can read that, so prefer the file.',
    secret: true,
    schema: text,
  },
  attestationPassphraseFile: {
    group: 'Attestations',
    flag: 'passphrase-file',
    env: 'CATHEDRAL_PASSPHRASE_FILE',
    default: null,
    unit: 'a file that only its owner can read, or a pipe',
    description:
      'A file whose first line is the passphrase of the key file. It overrides CATHEDRAL_PASSPHRASE.',
    path: true,
    schema: text,
  },

  store: {
    group: 'Many machines',
    flag: null,
    env: 'CATHEDRAL_STORE',
    default: null,
    unit: 'postgres://user@host:port,host2:port2/database?sslmode=…',
    description:
      'The PostgreSQL database that several machines share: API keys, counts of requests and whatever else they have to agree on. Name the primary and its standbys; the one that takes writes is used. Everything is in the schema cathedral. A password belongs in PGPASSWORD or a password file. Without it, a single machine keeps these things in files.',
    schema: text.regex(/^postgres(?:ql)?:\/\//),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** The value of every setting; null where nothing was given and there is no default. */
export type Config = { [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> };

function isNetwork(item: string): boolean {
  const [host = '', prefix] = item.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(host)] ?? 0;
  return bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}
