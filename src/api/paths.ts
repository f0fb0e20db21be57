import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Takes a document and returns a verdict. */
export const VERIFY_PATH = 'attestations/verify';
/** Takes a message of the Model Context Protocol. */
export const MCP_PATH = 'mcp';
/** With the id or UUID of an attestation. */
export const STATUS_PATH = /^attestations\/([^/]+)\/status$/;
/** Both count against the quota of this area. */
export const COUNTED_AS: Area = 'academics';

/** The service is read-only. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The value of the Allow header. */
export const ALLOW = METHODS.join(', ');

const POST: readonly string[] = ['POST', 'OPTIONS'];

/** Paths with other methods: both read a body, answer and store nothing. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([
  [VERIFY_PATH, POST],
  [MCP_PATH, POST],
]);

export function methodsAt(path: string | null): readonly string[] {
  return OTHERS.get(path ?? '') ?? METHODS;
}
