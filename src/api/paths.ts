import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** Takes a document and gives the verdict on it. */
export const VERIFY_PATH = 'attestations/verify';
/** With the id or the UUID of an attestation. */
export const STATUS_PATH = /^attestations\/([^/]+)\/status$/;
/** As requests of research both count. */
export const COUNTED_AS: Area = 'academics';

/** What is answered; everything is read-only. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The header of that name. */
export const ALLOW = METHODS.join(', ');

/** Paths that take something else: a document to look at, of which nothing is kept. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([[VERIFY_PATH, ['POST', 'OPTIONS']]]);

export function methodsAt(path: string | null): readonly string[] {
  return OTHERS.get(path ?? '') ?? METHODS;
}
