import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { HeldRelease } from '../../mcp/held-release.ts';
import { readBody } from '../attestations/read-body.ts';
import { noReleaseProblem } from '../files/releases.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { authenticateRequest, enterLoadGate } from '../request/admit.ts';
import { type Answer, EXPOSED_HEADERS } from '../request/answer.ts';
import { countAnswer } from '../request/count-and-record.ts';
import { clientOf, onFinish, type RequestContext } from '../request/request-context.ts';
import type { Services } from '../services.ts';
import { ServiceOrigin } from './service-origin.ts';

/** A question is short; the longest argument is a row. */
const LIMITS = { maxBytes: 65_536, timeoutMs: 10_000 };
/** Any path with data: its requests count towards the day’s quota. */
const DATA: Answer = { status: 200, headers: {}, body: null };

interface Kept {
  held: HeldRelease;
  calls: ConcurrencyLimit;
}
const KEPT = new WeakMap<Services, Kept>();

/** What outlives a request: the manifest that was verified, and how many calls are in progress. */
function keptFor(services: Services): Kept {
  let kept = KEPT.get(services);
  if (!kept) {
    const open = async () => {
      const release = await services.releases.current();
      if (!release) throw noReleaseProblem();
      return new ServiceOrigin(release, services);
    };
    const held = new HeldRelease({ open, keys: null, ledgerKeys: null, now: services.now });
    // A call may hold a file of 32 MiB and its rows.
    const calls = new ConcurrencyLimit({ what: 'calls are being answered', parallel: 8, perHolder: 4 });
    kept = { held, calls };
    KEPT.set(services, kept);
  }
  return kept;
}

/**
 * Answers a message of the Model Context Protocol over streamable HTTP, without a session: each request stands alone. Throws a Problem
 * for what is wrong before the protocol begins.
 */
export async function answerMcp(context: RequestContext, services: Services): Promise<Answer> {
  const { request, response, query } = context;
  if (query) throw new Problem('unknown_parameter', 'This path takes no parameters.');
  assertOwnOrigin(request.headers.origin, services.baseUrl);
  // Before the load gate, so that a slowly arriving body does not occupy a place.
  const body = await readBody(request, response, LIMITS);
  context.bodyRead = true;
  enterLoadGate(context, services);
  const { held, calls } = keptFor(services);
  onFinish(context, calls.take(clientOf(context)));
  const stop = new AbortController();
  onFinish(context, () => stop.abort());
  // With the first request only: few services are asked.
  const { answerMessage } = await import('../../mcp/http.ts');
  const answer = await answerMessage(
    { body, headers: headersOf(request.headers), signal: stop.signal },
    {
      held,
      count: (area) => countCall(area, context, services),
      version: services.version ?? '0.0.0',
      onFault: (err) => services.logger.error({ err, request: context.id }, 'a call failed'),
    },
  );
  const { status, type, bytes } = answer;
  const headers = {
    'Cache-Control': 'no-store',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    ...(type !== null && { 'Content-Type': type }),
  };
  return { status, headers, body: bytes };
}

/** A page of another site must not reach a service that only this machine or network can (DNS rebinding). Programs send no Origin. */
function assertOwnOrigin(origin: string | undefined, baseUrl: string | undefined): void {
  if (origin === undefined || (baseUrl !== undefined && origin === new URL(baseUrl).origin)) return;
  throw new Problem('foreign_origin', `Pages of ${origin.slice(0, 200)} may not use this path.`);
}

/** Only those that the protocol gives a meaning. */
function headersOf(given: RequestContext['request']['headers']): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(given))
    if (/^mcp-/.test(name) && typeof value === 'string') headers.set(name, value);
  return headers;
}

/** Each call for data counts as one request for its area, with the key that came with it. */
async function countCall(area: Area, context: RequestContext, services: Services): Promise<void> {
  context.area = area;
  context.counted = true;
  await authenticateRequest(context, services.keys, services.now());
  await countAnswer(DATA, context, services, services.now());
}
