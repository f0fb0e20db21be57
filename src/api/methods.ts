import { VERIFY_PATH } from './attestation-paths.ts';

/** What is answered; everything is read-only. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** The header of that name. */
export const ALLOW = METHODS.join(', ');

/** Paths that take something else: a document to look at, of which nothing is kept. */
const OTHERS: ReadonlyMap<string, readonly string[]> = new Map([[VERIFY_PATH, ['POST', 'OPTIONS']]]);

export function methodsAt(path: string | null): readonly string[] {
  return OTHERS.get(path ?? '') ?? METHODS;
}
