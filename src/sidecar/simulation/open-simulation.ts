import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { counted } from '../../../pipeline/words/number.ts';
import { Problem, problemOfFault } from '../../api/problem.ts';
import { NONE, readQuery } from '../../api/query/query.ts';
import { quotaOf, type Tier, tierWithoutKey } from '../../api/quotas.ts';
import { SimulationFault } from '../../simulation/fault.ts';
import { CLOSE_CODES, errorMessage } from '../../simulation/protocol/problems.ts';
import { endEvenly } from '../end-evenly.ts';
import { authenticate } from '../keys/authenticate.ts';
import { clientNetwork } from '../limits/client-network.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import type { Subject } from '../limits/limiter.ts';
import type { ClientAddress } from '../request/clients.ts';
import { hostsIn, requestIds } from '../request/request-context.ts';
import type { Services } from '../services.ts';
import { type Connection, encode, openConnection } from './connection.ts';
import { type SimulationLimits, TokenBucket } from './limits.ts';
import { pathOf, rejectUpgrade, SIMULATION_PATH, UpgradeRefusal } from './reject-upgrade.ts';
import type { SimulationState } from './simulation-metrics.ts';

const AREA = 'philosophy';
/** A start without a seed gets one from 1 to this number: enough for variety, few enough to tell others of. */
const OWN_SEEDS = 16;
/** Pages that are told at once that there is no place for them; further ones get the answer of other clients. */
const MAX_FAREWELLS = 100;
/** Time that such a page gets to close its connection, ms. */
const FAREWELL_MS = 2_000;

/** Clients may close with any code from 3000, and each would create its own metric. */
const KNOWN_CODES = new Set([1000, 1005, 1006, ...Object.keys(CLOSE_CODES).map(Number)]);

export interface SimulationOptions {
  /** The public web origin of the service, whose pages may connect. */
  baseUrl: string;
  /** Other web origins whose pages may connect, `https://example.org`. Clients other than browsers send no origin and may connect. */
  origins: readonly string[];
  addressOf: ClientAddress;
  limits: SimulationLimits;
}

export interface SimulationServices extends Pick<Services, 'keys' | 'limiter' | 'gate' | 'logger' | 'now'> {
  metrics: Pick<Services['metrics'], 'simulation'>;
}

/** What a connection was opened with, and what its limits count by. */
interface Client {
  network: string;
  tier: Tier;
  subject: Subject;
  isKeyGood: (() => Promise<boolean>) | null;
}

export type Simulation = ReturnType<typeof openSimulation>;

/** `WebSocket /philosophy/simulation`. Keeps no state beyond open connections, and what networks have computed. */
export function openSimulation(
  services: SimulationServices,
  options: SimulationOptions,
  random: () => number = Math.random,
) {
  const { limits } = options;
  const { simulation: counters } = services.metrics;
  const nextId = requestIds();
  const now = () => performance.now();
  const places = new ConcurrencyLimit({
    what: (whose) => {
      const open =
        whose === 'own'
          ? `${limits.connectionsPerClient} connections are open from this network`
          : `${limits.connections} connections are open`;
      return tooMany(`${open}, which is the maximum. Try again later.`);
    },
    parallel: limits.connections,
    perHolder: limits.connectionsPerClient,
  });
  const connections = new Set<Connection>();
  /** The computing time that each network has left, an IPv4 address or IPv6 /64. */
  const work = new Map<string, TokenBucket>();
  let isClosed = false;
  let farewells = 0;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression would cost hundreds of kB per connection, and updates are small.
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    maxFragments: limits.fragments,
  });
  server.on('wsClientError', (error, socket) =>
    refuse(socket, new UpgradeRefusal('bad_handshake', `${error.message}.`)),
  );
  const heartbeat = setInterval(() => {
    for (const connection of connections) connection.beat();
    // Those that have all their computing time are as new ones.
    for (const [network, left] of work) if (left.isFull(now())) work.delete(network);
  }, limits.heartbeatMs).unref();

  async function admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const client = await whoAsks(request, services, options);
    // The client left while its key was looked up. No other event reports that.
    if (socket.destroyed) return;
    if (isClosed) throw tooMany('The service is shutting down.');
    socket.once('close', places.take(client.network));
    server.handleUpgrade(request, socket, head, (opened) => {
      counters.cathedral_simulation_opened_total.inc();
      const connection = openConnection(opened, {
        limits,
        counters,
        newSeed: () => 1 + Math.floor(random() * OWN_SEEDS),
        now,
        report: (err) => services.logger.error({ err }, 'a simulation failed'),
        work: () =>
          work.getOrInsertComputed(
            client.network,
            () => new TokenBucket(limits.workPerSecond, limits.workBurst, now()),
          ),
        countStart: () => countStart(client, services, limits),
        isKeyGood: client.isKeyGood,
      });
      connections.add(connection);
      void connection.ended.then((code) => {
        connections.delete(connection);
        const known = KNOWN_CODES.has(code) ? String(code) : 'other';
        counters.cathedral_simulation_closed_total.inc({ code: known });
      });
    });
  }

  function refuse(socket: Duplex, error: unknown): void {
    const refusal = refusalOf(error, services);
    counters.cathedral_simulation_refused_total.inc({ code: refusal.code });
    rejectUpgrade(socket, refusal, { id: nextId(), now: services.now() });
  }

  /** A script in a browser learns nothing of an answer to a handshake, so it is told on an open connection. */
  function turnAway(request: IncomingMessage, socket: Duplex, head: Buffer, refusal: UpgradeRefusal): void {
    counters.cathedral_simulation_refused_total.inc({ code: refusal.code });
    farewells += 1;
    socket.once('close', () => {
      farewells -= 1;
    });
    server.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      const told = errorMessage(new SimulationFault('too_many_connections', refusal.message))!;
      opened.send(encode(told), { binary: false });
      opened.close(1013, CLOSE_CODES[1013]);
      setTimeout(() => opened.terminate(), FAREWELL_MS).unref();
    });
  }

  /** Tells the clients, evenly over a time, ms, that the service is shutting down. */
  async function drain(overMs: number): Promise<void> {
    isClosed = true;
    await endEvenly(connections, overMs, (connection) => connection.close(1001));
  }

  return {
    /** For the server's `upgrade` event: takes over the connection or answers with a problem. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      // A handshake with an incomplete body arrives as a wrapper stream that emits its own errors.
      socket.on('error', () => {});
      void admit(request, socket, head).catch((error: unknown) => {
        const isFull = error instanceof UpgradeRefusal && error.code === 'too_many_connections';
        const isPage = request.headers.origin !== undefined;
        if (isFull && isPage && farewells < MAX_FAREWELLS) turnAway(request, socket, head, error);
        else refuse(socket, error);
      });
    },
    state: (): SimulationState => ({
      connections: connections.size,
      running: [...connections].filter(({ isRunning }) => isRunning()).length,
    }),
    drain,
    /** Tells all clients that the service is shutting down. Resolves when their connections are closed. */
    close: async () => {
      clearInterval(heartbeat);
      const ended = [...connections].map((connection) => connection.ended);
      await drain(0);
      await Promise.all(ended);
    },
  };
}

function tooMany(detail: string): UpgradeRefusal {
  return new UpgradeRefusal('too_many_connections', detail, { 'Retry-After': '30' });
}

/** Throws a Problem or an UpgradeRefusal. */
async function whoAsks(
  request: IncomingMessage,
  { keys, gate, now, logger }: SimulationServices,
  options: SimulationOptions,
): Promise<Client> {
  const { url = '', rawHeaders } = request;
  if (pathOf(url) !== SIMULATION_PATH) throw new Problem('not_found', 'This path has no WebSocket.');
  assertHandshake(request);
  if (!isAllowedOrigin(request, options))
    throw new UpgradeRefusal('foreign_origin', 'Pages of this web origin may not connect.');
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const authenticated = () => authenticate(keys, { rawHeaders, query }, AREA, now());
  const who = await authenticated();
  readQuery(NONE, query);
  const isKeyGood = async () => {
    try {
      return (await authenticated()) !== null;
    } catch (err) {
      if (err instanceof Problem) return false;
      logger.error({ err }, 'the key of a connection cannot be checked');
      throw problemOfFault(err);
    }
  };
  // The quota is only read here. A connection stays open for an hour, mostly idle; only starts count.
  gate.enter(who ? 'keyed' : 'anonymous').leave();
  const address = options.addressOf.ip(request);
  return {
    network: clientNetwork(address),
    tier: who ? who.tier : tierWithoutKey(AREA),
    subject: who ? { holder: who.holder } : { address },
    isKeyGood: who && isKeyGood,
  };
}

/** RFC 6455 §4.2.1, as far as ws does not check it: ws also accepts version 8. */
function assertHandshake({ headers, rawHeaders }: IncomingMessage): void {
  const hosts = hostsIn(rawHeaders);
  if (hosts !== 1) throw new UpgradeRefusal('bad_handshake', `Send one Host header, not ${hosts}.`);
  const { 'sec-websocket-version': version } = headers;
  if (version === '13') return;
  const found = version === undefined ? 'none' : JSON.stringify(version.slice(0, 20));
  const detail = `Sec-WebSocket-Version: expected 13, found ${found}.`;
  throw new UpgradeRefusal('bad_handshake', detail, { 'Sec-WebSocket-Version': '13' });
}

/** Starts are counted apart from requests: a class behind one address downloads little and starts much. */
async function countStart(
  { tier, subject }: Client,
  { limiter, now, logger }: SimulationServices,
  { startsPerClient }: SimulationLimits,
): Promise<void> {
  if (!limiter) return;
  const quota = quotaOf(AREA, tier);
  const limit = quota === 'unlimited' ? quota : Math.max(startsPerClient, 'holder' in subject ? quota : 0);
  const extra = { name: 'simulation', limit };
  const taken = await limiter
    .take({ area: AREA, tier, subject, now: now() }, extra)
    .catch((error: unknown) => {
      if (error instanceof Problem) throw error;
      logger.error({ err: error }, 'cannot count simulations');
      throw new Problem('request_not_counted');
    });
  if (taken.allowed) return;
  const whose = 'holder' in subject ? 'The holder of this key' : 'This network';
  const detail = `${whose} has used its ${counted(Number(limit), 'start')} of this day; the next day begins at 00:00 UTC.`;
  throw new SimulationFault('rate_limited', detail);
}

function refusalOf(error: unknown, { logger }: SimulationServices): Problem | UpgradeRefusal {
  if (error instanceof Problem || error instanceof UpgradeRefusal) return error;
  logger.error({ err: error }, 'a WebSocket upgrade failed');
  return problemOfFault(error);
}

/**
 * Whether a page of the request's web origin may connect (RFC 6455 §10.2): pages of the service under its public address or the
 * requested host, and listed origins. Browsers always send a truthful origin; other clients need none.
 */
function isAllowedOrigin(
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
  { baseUrl, origins }: { baseUrl: string; origins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const parsed = URL.parse(origin);
  if (!parsed) return false;
  return parsed.host === host || parsed.origin === new URL(baseUrl).origin || origins.includes(parsed.origin);
}
