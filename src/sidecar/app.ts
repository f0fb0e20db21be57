import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { COMMON_HEADERS } from '../../pipeline/publish/headers.ts';
import type { Status } from '../../pipeline/publish/status.ts';
import { answerUnreadable } from './answer-unreadable.ts';
import { findFile, isGated, parsePath } from './find-file.ts';
import { formatProblem, PROBLEM_MEDIA_TYPE, Problem } from './problem.ts';
import type { Releases, ServedRelease } from './releases.ts';
import { sendFile, sendPage } from './send-file.ts';

export interface AppOptions {
  releases: Pick<Releases, 'current'>;
  /** What `/status.json` says; null before the first run. */
  readStatus: () => Promise<Status | null>;
  logger: FastifyBaseLogger;
}

/** For a whole request with its headers, ms; a slow one holds a connection, not more. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the 60 s for which reverse proxies keep a connection, so that the proxy is the one to close it. */
const KEEP_ALIVE_MS = 65_000;
const METHODS = ['GET', 'HEAD', 'OPTIONS'];
const ALLOW = METHODS.join(', ');

/** Serves the current release: a file by its exact name in the manifest, never by a path of the disk. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerUnreadable,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    // `GET http://host/path HTTP/1.1` is a right way to ask, too (RFC 9112 §3.2.2).
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)\/?/i, '/'),
  });
  app.addHook('onRequest', refuseOtherMethods);
  app.addHook('onResponse', logResponse);
  app.setErrorHandler(answerError);
  app.route({ method: METHODS, url: '*', handler: (request, reply) => answer(request, reply, options) });
  app.setNotFoundHandler(() => {
    throw new Problem('not_found', 'No file of this name is published.');
  });
  return app;
}

/** Before a body is read. */
async function refuseOtherMethods(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(COMMON_HEADERS);
  if (METHODS.includes(request.method)) return;
  throw new Problem('method_not_allowed', `${request.method} is not one of ${ALLOW}.`, { Allow: ALLOW });
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { releases, readStatus }: AppOptions,
): Promise<FastifyReply> {
  const [path, query] = parseUrl(request);
  if (request.method === 'OPTIONS') return answerOptions(reply);
  if (path === 'healthz') return reply.header('Cache-Control', 'no-store').send({ status: 'ok' });
  if (path === 'status.json') return answerStatus(reply, await readStatus());
  const release = await releases.current();
  if (isGated(path, release?.files ?? new Map())) throw withoutKey(request);
  if (!release) throw new Problem('unavailable', 'The first one is being made.', { 'Retry-After': '30' });
  const found = findFile(path, release.files);
  if (!found) return answerMissing(request, reply, release);
  if ('movedTo' in found) return reply.redirect(found.movedTo + (query && `?${query}`), 308);
  if (query && found.kind === 'data') {
    throw new Problem('unknown_parameter', 'A data file takes no parameters.');
  }
  return sendFile(request, reply, release.dir, found);
}

/** A reader in a browser gets the site's own page, everybody else a problem document. */
function answerMissing(
  request: FastifyRequest,
  reply: FastifyReply,
  release: ServedRelease,
): Promise<FastifyReply> {
  const page = release.files.get('404.html');
  const isReader = /\btext\/html\b/.test(request.headers.accept ?? '');
  if (!page || !isReader)
    throw new Problem('not_found', 'No file of this name is published.', { Vary: 'Accept' });
  return sendPage(
    reply.code(404).headers({ 'Cache-Control': 'no-store', Vary: 'Accept' }),
    release.dir,
    page,
  );
}

/** The path without its slash, and the query without its question mark. */
function parseUrl(request: FastifyRequest): [path: string, query: string] {
  const [, path = '/', query = ''] = /^([^?#]*)\??([^#]*)/.exec(request.raw.url ?? '/') ?? [];
  return [parsePath(path), query];
}

/** Also for the question that a browser asks before a script of another site may read a file. */
function answerOptions(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      Allow: ALLOW,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': ALLOW,
      'Access-Control-Allow-Headers':
        'Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, Range',
      'Access-Control-Max-Age': '86400',
    })
    .send();
}

function answerStatus(reply: FastifyReply, status: Status | null): FastifyReply {
  if (!status) throw new Problem('unavailable', 'There was no run yet.', { 'Retry-After': '30' });
  return reply.headers({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' }).send(status);
}

/** RFC 6750 §3.1: who sent no key gets no error code with the challenge. */
function withoutKey({ headers }: FastifyRequest): Problem {
  const challenge = 'Bearer realm="cathedral"';
  if (headers.authorization === undefined) {
    return new Problem('key_required', 'Send a key: Authorization: Bearer <key>.', {
      'WWW-Authenticate': challenge,
    });
  }
  const refused = `${challenge}, error="invalid_token"`;
  return new Problem('invalid_token', 'No such key was issued.', { 'WWW-Authenticate': refused });
}

/** Errors are never cached, and scripts of other sites may read them. */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error);
  if (problem.code === 'internal_error') request.log.error({ err: error }, 'request failed');
  for (const name of ['etag', 'last-modified', 'content-length', 'content-encoding'])
    reply.removeHeader(name);
  return (
    reply
      .code(problem.status)
      .headers({ ...COMMON_HEADERS, 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' })
      .headers(problem.headers)
      .header('Content-Type', PROBLEM_MEDIA_TYPE)
      // As bytes: to text, Fastify adds a charset, which this media type does not have.
      .send(Buffer.from(formatProblem(problem, pathOf(request))))
  );
}

/** What Fastify itself refuses is the client's fault up to 499. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status < 500) return new Problem('bad_request', 'The request is not well-formed.');
  return new Problem('internal_error', 'The fault is ours; it was logged.');
}

async function logResponse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { statusCode, elapsedTime } = reply;
  request.log.info({
    method: request.method,
    path: pathOf(request),
    status: statusCode,
    ms: Math.round(elapsedTime),
  });
}

function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '/').split('?', 1)[0]!;
}
