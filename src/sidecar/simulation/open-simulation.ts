import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { Problem, problemOfFault } from '../../api/problem.ts';
import { type Tier, tierWithoutKey } from '../../api/quotas.ts';
import { authenticate } from '../keys/authenticate.ts';
import { clientNetwork } from '../limits/client-network.ts';
import type { Subject } from '../limits/limiter.ts';
import { rateLimited, requestNotCounted } from '../limits/rate-limited.ts';
import { requestIds } from '../request/request-context.ts';
import type { Services } from '../services.ts';
import { Connection } from './connection.ts';
import { Hall } from './connection-limiter.ts';
import { Metronome } from './metronome.ts';
import { Preparation } from './preparation.ts';
import { pathOf, refuseUpgrade, SIMULATION_PATH, UpgradeRefusal } from './refuse-upgrade.ts';
import { SharedRuns } from './shared-runs.ts';
import type { Simulation } from './simulation.ts';
import { countUp, newCounts } from './simulation-counts.ts';
import type { SimulationOptions } from './simulation-options.ts';

const AREA = 'philosophy';
/** A start that names no seed is given one from 1 to this: enough to be surprised, and few enough to be made once for all. */
const OWN_SEEDS = 16;

export type SimulationServices = Pick<Services, 'keys' | 'limiter' | 'gate' | 'logger' | 'now'>;

/** What a connection was opened with, and what it is counted by. */
interface Client {
  network: string;
  tier: Tier;
  subject: Subject;
  isKeyGood: (() => Promise<boolean>) | null;
}

/** `WebSocket /philosophy/simulation`. Opens nothing by itself; keeps nothing that must outlive a connection. */
export function openSimulation(
  services: SimulationServices,
  options: SimulationOptions,
  random: () => number = Math.random,
): Simulation {
  const counts = newCounts();
  const nextId = requestIds();
  const hall = new Hall(options, counts);
  const now = () => performance.now();
  const common = {
    limits: options.limits,
    counts,
    runs: new SharedRuns(),
    preparation: new Preparation(),
    metronome: new Metronome(now),
    newSeed: () => 1 + Math.floor(random() * OWN_SEEDS),
    now,
    report: (err: unknown) => services.logger.error({ err }, 'a simulation failed'),
  };
  const server = webSocketServer(options);
  const heartbeat = setInterval(() => hall.beat(), options.limits.heartbeatMs).unref();
  const refuse = (socket: Duplex, error: unknown) => {
    const refusal = refusalOf(error, services);
    countUp(counts.refused, refusal.code);
    refuseUpgrade(socket, refusal, { id: nextId(), now: services.now() });
  };
  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = await whoAsks(request, services, options);
    // Gone while its key was looked up: there will be no other sign of that.
    if (socket.destroyed) return;
    socket.once('close', hall.enter(client.network));
    const { isKeyGood } = client;
    const context = { ...common, countStart: () => countStart(client, services), isKeyGood };
    server.handleUpgrade(request, socket, head, (opened) =>
      hall.add(new Connection(opened, context), opened),
    );
  };
  server.on('wsClientError', (error, socket) =>
    refuse(socket, new UpgradeRefusal('bad_handshake', `${error.message}.`)),
  );
  return {
    upgrade(request, socket, head) {
      // A handshake whose body has not arrived yet comes as a stream around the connection, with errors of its own.
      socket.on('error', () => {});
      void admit(request, socket, head).catch((error: unknown) => refuse(socket, error));
    },
    counts: () => ({ ...counts, ...hall.now() }),
    close: async () => {
      clearInterval(heartbeat);
      await hall.close();
    },
  };
}

function webSocketServer({ limits }: SimulationOptions): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression would cost some hundred kB a connection, and updates are small.
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    maxFragments: limits.fragments,
  });
}

/** Throws a Problem or an UpgradeRefusal. */
async function whoAsks(
  request: IncomingMessage,
  { keys, gate, now, logger }: SimulationServices,
  options: SimulationOptions,
): Promise<Client> {
  const { url = '', rawHeaders } = request;
  if (pathOf(url) !== SIMULATION_PATH) throw new Problem('not_found', 'Nothing can be upgraded here.');
  assertHandshake(request);
  if (!isWelcome(request, options))
    throw new UpgradeRefusal('foreign_origin', 'Pages of this origin may not connect.');
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const authenticated = () => authenticate(keys, { rawHeaders, query }, AREA, now());
  const who = await authenticated();
  if (who.kind === 'refusal') throw new Problem(who.code, who.detail, who.headers);
  if (query !== '') throw new Problem('unknown_parameter', 'The simulation takes no parameters.');
  const isKey = who.kind === 'key';
  const failed = (err: unknown) => {
    logger.error({ err }, 'the key of a connection cannot be checked');
    throw problemOfFault(err);
  };
  // Only looked into: a connection is open for an hour, and most of that time there is nothing to do.
  gate.enter(isKey ? 'keyed' : 'anonymous').leave();
  const address = options.addressOf.ip(request);
  return {
    network: clientNetwork(address),
    tier: isKey ? who.tier : tierWithoutKey(AREA),
    subject: isKey ? { holder: who.holder } : { address },
    isKeyGood: isKey ? async () => (await authenticated().catch(failed)).kind === 'key' : null,
  };
}

/** What RFC 6455 §4.2.1 requires, as far as ws does not look: it takes version 8, too. */
function assertHandshake({ headers }: IncomingMessage): void {
  if (headers.host === undefined) throw new UpgradeRefusal('bad_handshake', 'Host is missing.');
  const { 'sec-websocket-version': version } = headers;
  if (version === '13') return;
  const found = version === undefined ? 'none' : JSON.stringify(version.slice(0, 20));
  const detail = `Sec-WebSocket-Version: expected 13, found ${found}.`;
  throw new UpgradeRefusal('bad_handshake', detail, { 'Sec-WebSocket-Version': '13' });
}

async function countStart(
  { tier, subject }: Client,
  { limiter, now, logger }: SimulationServices,
): Promise<void> {
  if (!limiter) return;
  const taken = await limiter.take({ area: AREA, tier, subject, now: now() }).catch((error: unknown) => {
    if (error instanceof Problem) throw error;
    logger.error({ err: error }, 'simulations cannot be counted');
    throw requestNotCounted();
  });
  if (!taken.allowed) throw rateLimited(AREA, taken);
}

function refusalOf(error: unknown, { logger }: SimulationServices): Problem | UpgradeRefusal {
  if (error instanceof Problem || error instanceof UpgradeRefusal) return error;
  logger.error({ err: error }, 'an upgrade failed');
  return problemOfFault(error);
}

/**
 * Whether a page of the request's origin may connect (RFC 6455 §10.2): those of the service by its address or by the host
 * that was asked, and those that are listed. Browsers name it and cannot be made to lie; other clients need not.
 */
function isWelcome(
  { headers: { origin, host } }: Pick<IncomingMessage, 'headers'>,
  { baseUrl, origins }: { baseUrl: string; origins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const parsed = URL.parse(origin);
  if (!parsed) return false;
  return parsed.host === host || parsed.origin === new URL(baseUrl).origin || origins.includes(parsed.origin);
}
