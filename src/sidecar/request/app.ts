import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Problem } from '../../api/problem.ts';
import type { Services } from '../services.ts';
import { isSimulationUpgrade } from '../simulation/reject-upgrade.ts';
import { ClientLimits, clientAddress } from './clients.ts';
import { handleRequest } from './handle-request.ts';
import { Pipelining } from './pipelining.ts';
import { answerConnect, answerUnreadable } from './raw-response.ts';
import { RequestContext, requestIds } from './request-context.ts';

/** Times in seconds. */
export interface AppLimits {
  /** Whose X-Forwarded-* headers are believed; null: nobody's. */
  trustedProxies: readonly string[] | null;
  /** For receiving a request with its headers. A slow one occupies a connection and nothing else. */
  requestTimeout: number;
  keepAlive: number;
  /** Without a byte in either direction. Default: STALL_TIMEOUT_S. */
  stallTimeout?: number;
  maxConnections: number;
  /** Per address or IPv6 /64; behind a trusted proxy, concurrent requests. Default: MAX_CONNECTIONS_PER_CLIENT. */
  maxConnectionsPerClient?: number;
  /** The header that a CDN reads tags from. */
  cacheTagHeader?: string | null;
}

/** After how long a client is dropped that reads nothing of its answer. Even the slowest one takes some bytes in a minute. */
const STALL_TIMEOUT_S = 60;
/** Enough for a university behind one address, and a twentieth of all connections by default. */
const MAX_CONNECTIONS_PER_CLIENT = 500;
/** How often node:http looks for late requests, ms: timeouts are accurate to the second. */
const CHECK_MS = 1000;

/**
 * The HTTP server for the current release, and for what static files cannot do: keys, quotas, the export, live data. It does
 * not listen yet. It uses node:http alone: a map finds most paths and one path takes a body, and a framework would take as
 * long as everything else together.
 */
export function createApp(services: Services, limits: AppLimits): Server {
  const {
    stallTimeout = STALL_TIMEOUT_S,
    maxConnectionsPerClient = MAX_CONNECTIONS_PER_CLIENT,
    cacheTagHeader = null,
  } = limits;
  const pipelining = new Pipelining();
  const server = createServer({
    requestTimeout: limits.requestTimeout * 1000,
    headersTimeout: limits.requestTimeout * 1000,
    keepAliveTimeout: limits.keepAlive * 1000,
    connectionsCheckingInterval: CHECK_MS,
    // Checked by parseRequest, which answers with a problem document.
    requireHostHeader: false,
    // Behind another request, an upgrade is a request like any other: a server may ignore Upgrade (RFC 9110 §7.8).
    shouldUpgradeCallback: (request) =>
      Boolean(services.simulation) && isSimulationUpgrade(request) && !pipelining.isBusy(request.socket),
  });
  server.timeout = stallTimeout * 1000;
  server.maxConnections = limits.maxConnections;
  surviveErrors(server, services);
  const address = clientAddress(limits.trustedProxies, reportUnreadable(services));
  const clients = new ClientLimits(maxConnectionsPerClient, address);
  server.on('connection', (socket) => clients.admit(socket));
  const nextId = requestIds();
  const all = { address, clients, stallMs: stallTimeout * 1000, cacheTagHeader };
  const receive = (request: IncomingMessage, response: ServerResponse) =>
    pipelining.add(request, response, (onEnd) => {
      const context = new RequestContext(request, response, nextId(), all);
      void handleRequest(context, services, { onEnd, onStream: () => pipelining.markStream(request) });
    });
  server.on('request', receive);
  // A client need not send a body to be refused; unknown expectations are ignored (RFC 9110 §10.1.1).
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  if (services.simulation) server.on('upgrade', services.simulation.upgrade);
  answerNonRequests(server, services, pipelining, nextId);
  return server;
}

/** Answers CONNECT, and bytes that node:http cannot parse as a request. */
function answerNonRequests(
  server: Server,
  services: Services,
  pipelining: Pipelining,
  nextId: () => string,
): void {
  const respond = (answer: (facts: { id: string; now: number }) => Problem | null) => {
    const problem = answer({ id: nextId(), now: services.now() });
    if (!problem) return;
    const { status, code } = problem;
    services.metrics.count({ method: 'other', status, area: 'none', seconds: 0, code });
  };
  server.on('connect', ({ socket }, stream) => {
    // node:http has released the connection, and with it the responses that are due.
    if (pipelining.isBusy(socket)) socket.destroy();
    else respond((facts) => answerConnect(stream, facts));
  });
  server.on('clientError', (error, socket) =>
    pipelining.afterUnreadable(socket, () => respond((facts) => answerUnreadable(error, socket, facts))),
  );
}

/** Counts each such request, and logs the first: the readers behind that proxy share one quota. */
function reportUnreadable({ metrics, logger }: Services): (proxy: string) => void {
  let isLogged = false;
  return (proxy) => {
    metrics.countUnreadableClient();
    if (!isLogged)
      logger.error(
        { proxy },
        'a trusted proxy names its client with no IP address in X-Forwarded-For: its readers count as one client',
      );
    isLogged = true;
  };
}

/** An `error` event without a listener ends the process, and any client can cause one on its own connection. */
function surviveErrors(server: Server, { logger }: Services): void {
  // node:http removes its own listener from a connection that it hands over or cannot parse.
  server.on('connection', (socket) => socket.on('error', () => {}));
  // The system may be out of descriptors or memory now, and have some for the next connection.
  const logError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
  // Before this event, an error means that the address cannot be used, which the caller handles.
  server.once('listening', () => server.on('error', logError));
}
