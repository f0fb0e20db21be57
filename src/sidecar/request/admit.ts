import { Problem } from '../../api/problem.ts';
import { authenticate, findSentKey } from '../keys/authenticate.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { type Refusal, refuseAnonymous } from '../keys/refusal.ts';
import type { Visit } from './visit.ts';

/** Finds out who asks, and refuses who may not. Throws a Problem; the visit has the key's id all the same. */
export async function admit(visit: Visit, keys: Pick<KeyStore, 'keyByHash'>, now: number): Promise<void> {
  const { query, area, gated, request } = visit;
  const who = await authenticate(keys, { rawHeaders: request.rawHeaders, query }, area, now);
  if (who.kind === 'refusal') throw refused(visit, who);
  if (who.kind === 'key') {
    visit.key = who;
    visit.keyId = who.keyId;
    visit.holder = who.holder;
  } else if (gated) throw refused(visit, refuseAnonymous());
}

/**
 * Notes whose key came with a request to a gated path that is refused before anybody asks for it, or for how it was sent. Where
 * the key store cannot be read, nobody's: the refusal is on record all the same.
 */
export async function identify(visit: Visit, keys: Pick<KeyStore, 'keyByHash'>): Promise<void> {
  if (visit.keyId !== null) return;
  const { query, request } = visit;
  const record = await findSentKey(keys, { rawHeaders: request.rawHeaders, query }).catch(() => null);
  visit.keyId = record?.id ?? null;
  visit.holder = record?.holder ?? null;
}

/** Most requests have neither a key nor a query that could hold one. */
export function isPlain({ request, query, gated }: Visit): boolean {
  return query === '' && !gated && request.headers.authorization === undefined;
}

function refused(visit: Visit, { code, detail, headers, keyId, holder }: Refusal): Problem {
  visit.keyId = keyId;
  visit.holder = holder;
  return new Problem(code, detail, headers);
}
