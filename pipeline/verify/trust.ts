import { isDeepStrictEqual } from 'node:util';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../ledger/note.ts';
import type { MirrorState } from './mirror-state.ts';
import type { SignedRelease } from './signed-release.ts';

/** The keys that may sign the next release; null: nobody has said, so whoever signs it. */
export function trustedKeys(state: MirrorState | null, given: readonly Verifier[] | null): Verifier[] | null {
  if (!state || hasNewAnchors(state, given)) return given && [...given];
  return state.keys.map(parseVerifierKey);
}

/** Other keys are given than ever: trust begins anew. With the same ones, what they have vouched for since goes on. */
export function hasNewAnchors(state: MirrorState, given: readonly Verifier[] | null): boolean {
  return given !== null && !isDeepStrictEqual(textsOf(given), state.anchors.keys.toSorted());
}

/** What is remembered of keys once a release is here. */
export function rememberedKeys(
  state: MirrorState | null,
  given: readonly Verifier[] | null,
  { keys }: Pick<SignedRelease, 'keys'>,
): Pick<MirrorState, 'anchors' | 'keys'> {
  const anchors = given ? { given: true, keys: textsOf(given) } : state?.anchors;
  const learned = keys.map(formatVerifierKey);
  return { anchors: anchors ?? { given: false, keys: learned }, keys: learned };
}

function textsOf(keys: readonly Verifier[]): string[] {
  return keys.map(formatVerifierKey).sort();
}
