import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Takes a document and returns a verdict. */
export const VERIFY_PATH = 'attestations/verify';
/** With the id or UUID of an attestation. */
export const STATUS_PATH = /^attestations\/([^/]+)\/status$/;
/** Both count against the quota of this area. */
export const COUNTED_AS: Area = 'academics';

/** The service is read-only. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The value of the Allow header. */
export const ALLOW = METHODS.join(', ');

/** Paths with other methods: this one verifies a document and stores nothing. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([[VERIFY_PATH, ['POST', 'OPTIONS']]]);

export function methodsAt(path: string | null): readonly string[] {
  return OTHERS.get(path ?? '') ?? METHODS;
}
