import { authenticate, findPresentedKey, refusal } from '../keys/authenticate.ts';
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

/** Finds out who sends the request, and refuses those who may not. Throws a Problem. */
export async function authenticateRequest(context: RequestContext, keys: Keys, now: number): Promise<void> {
  const { query, area, restricted, request } = context;
  const key = await authenticate(keys, { rawHeaders: request.rawHeaders, query }, area, now);
  if (key === null && restricted) throw refusal('key_required');
  context.key = key;
  context.keyId = key?.keyId ?? null;
  context.holder = key?.holder ?? null;
}

/**
 * Notes whose key came with a restricted request that is refused, also for how the key was sent. If the key store cannot be read it
 * notes nothing; the refusal is recorded all the same.
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
