import { Problem, problemOfFault } from '../../api/problem.ts';
import { readQuery } from '../../api/query/query.ts';
import type { LiveQuery } from '../../api/routes/service.ts';
import { queryOf } from '../../api/routes/table.ts';
import { answerVerify } from '../attestations/answer-verify.ts';
import type { ServedRelease } from '../files/releases.ts';
import { plainPage, problemPage, wantsPage } from '../pages/plain-page.ts';
import type { Services } from '../services.ts';
import { authenticateRequest, enterLoadGate, identifyRequest, isAnonymousWithoutQuery } from './admit.ts';
import { type Answer, discard, optionsAnswer, problemAnswer } from './answer.ts';
import { ANSWERS, findFile, SERVICE_ANSWERS } from './answers.ts';
import { countAnswer, recordAccess } from './count-and-record.ts';
import { clientOf, onFinish, parseRequest, type RequestContext, redactedPath } from './request-context.ts';
import { cutOff, headersOf, send } from './send.ts';
import { StreamedBody } from './streamed-body.ts';

export interface RequestEvents {
  /** The response is over, whether it was sent or cut off. */
  onEnd: () => void;
  /** The response is a stream without an end. */
  onStream: () => void;
}

/**
 * Handles one request: parse, route, authenticate, admit, answer, count, record, send. Never rejects; an error while sending
 * closes the connection.
 */
export async function handleRequest(
  context: RequestContext,
  services: Services,
  { onEnd, onStream }: RequestEvents,
): Promise<void> {
  const { response } = context;
  const started = performance.now();
  // Emitted for what is written after the client has disconnected.
  response.on('error', ignore);
  response.on('close', () => {
    onEnd();
    for (const release of context.cleanups) release();
    report(context, (performance.now() - started) / 1000, services);
  });
  try {
    const answer = await answerOrRefuse(context, services);
    context.onRendered?.();
    if (answer === null) return response.writableEnded ? undefined : onStream();
    const sent = context.restricted ? recordAndSend(answer, context, services) : send(answer, context);
    if (sent instanceof Promise) await sent;
  } catch (err) {
    services.logger.error({ err, request: context.id }, 'a response was cut off');
    cutOff(response);
  }
}

/** Null if the connection was taken over for a stream. Never throws: a refusal is an answer, too. */
function answerOrRefuse(context: RequestContext, services: Services): Answer | null | Promise<Answer | null> {
  const refuse = (error: unknown) => {
    const problem = toProblem(error, context, services);
    const instance = redactedPath(context);
    const isFramed = instance.startsWith('/embed/') && wantsPage(context.request);
    return isFramed ? problemPage(problem, instance) : problemAnswer(problem, instance);
  };
  try {
    parseRequest(context);
    const release = context.all.clients.take(context.request);
    if (release) onFinish(context, release);
    const { method = '' } = context.request;
    const methods: readonly string[] = context.routed!.route.methods;
    if (method === 'OPTIONS') return optionsAnswer(methods);
    if (!methods.includes(method)) throw methodNotAllowed(method, methods.join(', '));
    return answerRequest(context, services).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

/** The complete answer, counted and not yet sent. Null if the connection was taken over for a stream. Throws a Problem. */
async function answerRequest(context: RequestContext, services: Services): Promise<Answer | null> {
  const routed = context.routed!;
  const { route } = routed;
  const now = services.now();
  if (route.kind === 'service') {
    if (!isAnonymousWithoutQuery(context)) await authenticateRequest(context, services.keys, now);
    return SERVICE_ANSWERS[route.handler as keyof typeof SERVICE_ANSWERS](services);
  }
  const current = services.releases.current();
  // Mostly known already, and each request saves a turn of the event loop.
  const release = current instanceof Promise ? await current : current;
  noteArea(context, release);
  if (!isAnonymousWithoutQuery(context)) await authenticateRequest(context, services.keys, now);
  const declared = queryOf(routed);
  const query = declared && readQuery(declared, context.query);
  // Neither passes the load gate here: a stream lasts for hours, and a request body may arrive slowly.
  if (route.handler === 'live' && services.live) return listen(context, query as LiveQuery, services.live);
  if (route.handler === 'verify') return answerVerify(context, release, services, now);
  enterLoadGate(context, services);
  if (!release) return noRelease(context);
  const handler = ANSWERS[route.handler as keyof typeof ANSWERS];
  const pending = handler({ ...routed, context, release, query, services });
  const answer = pending instanceof Promise ? await pending : pending;
  if (answer.body instanceof StreamedBody) takeDownloadSlot(answer, context, services);
  // Most requests are not counted, and a promise for each would be noticeable.
  return context.counted && services.limiter ? countAnswer(answer, context, services, now) : answer;
}

/**
 * Notes in which area a request is, whether it is restricted and whether it counts: as the file of the release says, and otherwise the
 * route. Pages are free and need no key, whatever their area. A file of all areas belongs to none, and no quota applies to it.
 */
function noteArea(context: RequestContext, release: ServedRelease | null): void {
  const { area, access, handler } = context.routed!.route;
  const found = handler === 'file' && release ? findFile(context.path!, release.files) : null;
  if (found && !('movedTo' in found)) {
    if (found.kind !== 'data' && !found.restricted) return;
    context.area = found.area;
    context.restricted ||= found.restricted;
    context.counted = found.area !== null;
  } else if (access === 'counted' && handler !== 'file') {
    context.area = area;
    context.counted = true;
  }
}

/** Throws a Problem to whoever reads no pages. */
function noRelease({ request, path }: RequestContext): Answer {
  if (!wantsPage(request)) throw new Problem('unavailable');
  return plainPage({ release: null, organisation: null, status: null, path: path! });
}

function listen(context: RequestContext, query: LiveQuery, live: NonNullable<Services['live']>): null {
  const { request, response, address } = context;
  const headers = (own: Readonly<Record<string, string>>) => headersOf(context, own);
  live.listen(request, response, { headers, address, query });
  return null;
}

/** A client that reads a file slowly keeps its slot, so one client may have only some of them. */
function takeDownloadSlot(answer: Answer, context: RequestContext, { downloads }: Services): void {
  try {
    onFinish(context, downloads.take(clientOf(context)));
  } catch (error) {
    discard(answer);
    throw error;
  }
}

/** The answer to a restricted request is sent once it is on record; if it cannot be recorded, a refusal is sent. */
async function recordAndSend(answer: Answer, context: RequestContext, services: Services): Promise<void> {
  const { accessLog, keys, now } = services;
  if (context.request.method === 'OPTIONS') return send(answer, context);
  try {
    await identifyRequest(context, keys);
    await recordAccess(context, { status: answer.status, now: now() }, accessLog);
  } catch (problem) {
    discard(answer);
    return send(problemAnswer(toProblem(problem, context, services), redactedPath(context)), context);
  }
  return send(answer, context);
}

function methodNotAllowed(method: string, Allow: string): Problem {
  return new Problem('method_not_allowed', `${method} is not one of ${Allow}.`, { Allow });
}

function toProblem(error: unknown, context: RequestContext, { logger }: Services): Problem {
  const problem = error instanceof Problem ? error : problemOfFault(error);
  context.refusal = problem.code;
  if (problem !== error || problem.cause !== undefined)
    logger.error(
      { err: problem.cause ?? error, request: context.id, path: redactedPath(context) },
      'request failed',
    );
  return problem;
}

function report(context: RequestContext, seconds: number, { metrics, logger, logsRequests }: Services): void {
  const { request, response, area, id, refusal: code, key } = context;
  const { method = '' } = request;
  const { statusCode: status } = response;
  metrics.count({ method, status, area: area ?? 'none', seconds, code, tier: key?.tier });
  if (!logsRequests) return;
  const ms = Math.round(seconds * 1000);
  logger.info({
    request: id,
    method,
    path: redactedPath(context),
    status,
    ms,
    cut: !response.writableFinished,
  });
}

function ignore(): void {}
