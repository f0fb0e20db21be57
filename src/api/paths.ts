import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Takes a document and returns a verdict. */
export const VERIFY_PATH = 'attestations/verify';
/** Takes a message of the Model Context Protocol. */
export const MCP_PATH = 'mcp';
/** With the id or UUID of an attestation. */
export const STATUS_PATH = /^attestations\/([^/]+)\/status$/;
/** Both count against the quota of this area. */
export const COUNTED_AS: Area = 'academics';

/** Subscriptions, one of them, and what is below it. */
export const WEBHOOKS_PATH = /^webhooks(?:\/(w_[0-9A-Za-z]+)(?:\/(test|deliveries))?)?$/;

/** Everything published is read-only. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The value of the Allow header. */
export const ALLOW = METHODS.join(', ');

const POST: readonly string[] = ['POST', 'OPTIONS'];

/** Paths with other methods: both read a body, answer and store nothing. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([
  [VERIFY_PATH, POST],
  [MCP_PATH, POST],
]);

const WEBHOOK_METHODS: Readonly<Record<string, readonly string[]>> = {
  all: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  one: ['GET', 'HEAD', 'DELETE', 'OPTIONS'],
  test: ['POST', 'OPTIONS'],
  deliveries: METHODS,
};

export function methodsAt(path: string | null): readonly string[] {
  const webhooks = WEBHOOKS_PATH.exec(path ?? '');
  if (webhooks) return WEBHOOK_METHODS[webhooks[2] ?? (webhooks[1] === undefined ? 'all' : 'one')]!;
  return OTHERS.get(path ?? '') ?? METHODS;
}
