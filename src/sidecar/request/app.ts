import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { methodsAt } from '../../api/paths.ts';
import { Problem, problemOfFault } from '../../api/problem.ts';
import type { Services } from '../services.ts';
import { wantsSimulation } from '../simulation/refuse-upgrade.ts';
import { identify } from './admit.ts';
import { type Answer, discard, optionsAnswer, problemAnswer } from './answer.ts';
import { answerRequest } from './answer-request.ts';
import { answerConnect, answerUnreadable } from './answer-unreadable.ts';
import { clientAddress } from './client-address.ts';
import { ClientSlots } from './client-slots.ts';
import { record } from './record.ts';
import { requestIds } from './request-ids.ts';
import { send } from './send.ts';
import { Turns } from './turns.ts';
import { hold, newVisit, parseVisit, shownPath, type Visit } from './visit.ts';

/** Times in seconds. */
export interface AppLimits {
  /** Whose X-Forwarded-* headers are believed; null: nobody's. */
  trustedProxies: readonly string[] | null;
  /** For a whole request with its headers; a slow one holds a connection, not more. */
  requestTimeout: number;
  keepAlive: number;
  /** Without a byte going through. */
  stallTimeout: number;
  maxConnections: number;
  /** Of one address or IPv6 /64; behind a trusted proxy, its requests at once. */
  maxConnectionsPerClient: number;
}

/** How often requests that are late are looked for, ms: time-outs hold to the second. */
const CHECK_MS = 1000;

/**
 * Serves the current release, and what needs a server: keys, limits, the export, what changes with every event. It does not
 * listen yet. On node:http alone, since there are no routes and one path takes a body, and a framework costs as much as all the rest.
 */
export function createApp(services: Services, limits: AppLimits): Server {
  const turns = new Turns();
  const server = createServer({
    requestTimeout: limits.requestTimeout * 1000,
    headersTimeout: limits.requestTimeout * 1000,
    keepAliveTimeout: limits.keepAlive * 1000,
    connectionsCheckingInterval: CHECK_MS,
    // Its answer would be without a problem document; see parseVisit.
    requireHostHeader: false,
    // Behind another request it is one like any other: a server may ignore Upgrade (RFC 9110 §7.8).
    shouldUpgradeCallback: (request) =>
      Boolean(services.simulation) && wantsSimulation(request) && !turns.isBusy(request.socket),
  });
  server.timeout = limits.stallTimeout * 1000;
  server.maxConnections = limits.maxConnections;
  surviveFaults(server, services);
  const address = clientAddress(limits.trustedProxies);
  const clients = new ClientSlots(limits.maxConnectionsPerClient, address);
  server.on('connection', (socket) => clients.admit(socket));
  const nextId = requestIds();
  const common = { address, clients, stallMs: limits.stallTimeout * 1000 };
  const receive = (request: IncomingMessage, response: ServerResponse) =>
    turns.take(request, response, (end) => {
      void attend(newVisit(request, response, { ...common, id: nextId() }), services, turns, end);
    });
  server.on('request', receive);
  // Nobody need send a body to be told that none is taken; of other expectations none is known (RFC 9110 §10.1.1).
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  if (services.simulation) server.on('upgrade', services.simulation.upgrade);
  refuseOthers(server, services, turns, nextId);
  return server;
}

/** Answers what never becomes a request. */
function refuseOthers(server: Server, services: Services, turns: Turns, nextId: () => string): void {
  const refuse = (answer: (about: { id: string; now: number }) => number | null) => {
    const status = answer({ id: nextId(), now: services.now() });
    if (status !== null) services.metrics.count({ method: 'other', status, area: 'none', seconds: 0 });
  };
  server.on('connect', ({ socket }, stream) => {
    // node:http has let go of the connection, and with it of the answers that are due.
    if (turns.isBusy(socket)) socket.destroy();
    else refuse((about) => answerConnect(stream, about));
  });
  server.on('clientError', (error, socket) =>
    turns.afterAnswers(socket, () => refuse((about) => answerUnreadable(error, socket, about))),
  );
}

/** An `error` event without a listener ends the process, and any client can cause one on its own connection. */
function surviveFaults(server: Server, { logger }: Services): void {
  // node:http takes its own listener off a connection that it hands over, and off one whose request it cannot read.
  server.on('connection', (socket) => socket.on('error', ignore));
  // The system may have no descriptor or no memory left for a connection; it may have for the next one.
  const survive = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
  // Before, an error means that the address cannot be listened on, which is for the caller.
  server.once('listening', () => server.on('error', survive));
}

function ignore(): void {}

/** Never rejects: what goes wrong with an answer ends with it. */
async function attend(visit: Visit, services: Services, turns: Turns, end: () => void): Promise<void> {
  const { request, response } = visit;
  const started = performance.now();
  // What is written after the client has gone.
  response.on('error', ignore);
  response.on('close', () => {
    end();
    for (const giveBack of visit.held) giveBack();
    report(visit, (performance.now() - started) / 1000, services);
  });
  try {
    const answer = await decide(visit, services);
    visit.made?.();
    if (answer === null) return response.writableEnded ? undefined : turns.endless(request);
    const sent = deliver(answer, visit, services);
    if (sent instanceof Promise) await sent;
  } catch (err) {
    services.logger.error({ err, request: visit.id }, 'an answer was broken off');
    response.destroy();
  }
}

/** Null where the connection was taken over. Never throws: what is refused has an answer, too. */
function decide(visit: Visit, services: Services): Answer | null | Promise<Answer | null> {
  const refuse = (error: unknown) => problemAnswer(toProblem(error, visit, services), shownPath(visit));
  try {
    parseVisit(visit);
    const giveBack = visit.clients.take(visit.request);
    if (giveBack) hold(visit, giveBack);
    const { method = '' } = visit.request;
    const methods = methodsAt(visit.path);
    if (method === 'OPTIONS') return optionsAnswer(methods);
    if (!methods.includes(method)) throw notAllowed(method, methods.join(', '));
    return answerRequest(visit, services).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function notAllowed(method: string, Allow: string): Problem {
  return new Problem('method_not_allowed', `${method} is not one of ${Allow}.`, { Allow });
}

/** Sends an answer; one to a gated path when it is on record, or a refusal where that fails. */
function deliver(answer: Answer, visit: Visit, services: Services): void | Promise<void> {
  if (!visit.gated || visit.request.method === 'OPTIONS') return send(answer, visit);
  return deliverOnRecord(answer, visit, services);
}

async function deliverOnRecord(answer: Answer, visit: Visit, services: Services): Promise<void> {
  const { accessLog, keys, now } = services;
  try {
    await identify(visit, keys);
    await record(visit, { status: answer.status, now: now() }, accessLog);
  } catch (problem) {
    discard(answer);
    return send(problemAnswer(toProblem(problem, visit, services), shownPath(visit)), visit);
  }
  return send(answer, visit);
}

function toProblem(error: unknown, visit: Visit, { logger }: Services): Problem {
  if (error instanceof Problem) return error;
  logger.error({ err: error, request: visit.id, path: shownPath(visit) }, 'request failed');
  return problemOfFault(error);
}

function report(visit: Visit, seconds: number, { metrics, logger, logsRequests }: Services): void {
  const { request, response, area, id } = visit;
  const { method = '' } = request;
  const { statusCode: status } = response;
  metrics.count({ method, status, area: area ?? 'none', seconds });
  if (!logsRequests) return;
  const ms = Math.round(seconds * 1000);
  logger.info({ request: id, method, path: shownPath(visit), status, ms, cut: !response.writableFinished });
}
