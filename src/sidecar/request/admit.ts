import { Problem } from '../../api/problem.ts';
import { authenticate, findPresentedKey, type Refusal, refuseAnonymous } from '../keys/authenticate.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { priorityOf } from '../limits/load-gate.ts';
import type { Services } from '../services.ts';
import { tierOf } from './count-and-record.ts';
import { onFinish, type RequestContext } from './request-context.ts';

type Keys = Pick<KeyStore, 'keyByHash'>;

/** Most requests have neither a key nor a query that could contain one. */
export function isAnonymousWithoutQuery({ request, query, restricted }: RequestContext): boolean {
  return query === '' && !restricted && request.headers.authorization === undefined;
}

/**
 * Finds out who sends the request, and refuses those who may not. Throws a Problem; the context then has the key's id for
 * the access log.
 */
export async function authenticateRequest(context: RequestContext, keys: Keys, now: number): Promise<void> {
  const { query, area, restricted, request } = context;
  const who = await authenticate(keys, { rawHeaders: request.rawHeaders, query }, area, now);
  if (who.kind === 'refusal') throw refused(context, who);
  if (who.kind === 'key') {
    context.key = who;
    context.keyId = who.keyId;
    context.holder = who.holder;
  } else if (restricted) throw refused(context, refuseAnonymous());
}

/**
 * Notes whose key came with a restricted request that is refused before it is authenticated, or for how the key was sent. If
 * the key store cannot be read it notes nothing; the refusal is recorded all the same.
 */
export async function identifyRequest(context: RequestContext, keys: Keys): Promise<void> {
  if (context.keyId !== null) return;
  const { query, request } = context;
  const record = await findPresentedKey(keys, { rawHeaders: request.rawHeaders, query }).catch(() => null);
  context.keyId = record?.id ?? null;
  context.holder = record?.holder ?? null;
}

/** Lets the request in unless the server is overloaded. Throws a Problem overloaded. */
export function enterLoadGate(context: RequestContext, { gate }: Pick<Services, 'gate'>): void {
  const { area } = context;
  const entry = gate.enter(area === null ? 'anonymous' : priorityOf(area, tierOf(area, context)));
  context.onRendered = entry.made;
  onFinish(context, entry.leave);
}

function refused(context: RequestContext, { code, detail, headers, keyId, holder }: Refusal): Problem {
  context.keyId = keyId;
  context.holder = holder;
  return new Problem(code, detail, headers);
}
