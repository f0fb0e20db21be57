import type { Verifier } from '../../../pipeline/ledger/notes/note.ts';
import {
  ledgerKeysOf,
  parseWitnessPolicy,
  type WitnessPolicy,
} from '../../../pipeline/ledger/notes/witness-policy.ts';
import {
  assertQuorum,
  formatWitnessing,
  readWitnesses,
} from '../../../pipeline/ledger/notes/witness-quorum.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import { NothingToCheck, readGiven, type Steps } from '../layout/steps.ts';

export const WITNESSES = 'Witnesses';
export const NO_POLICY = 'No policy is given above, so witnesses were not looked for.';
const PLACE = 'the field “Policy”';

/** The policy in its field; null: the field is empty. Throws NothingToCheck with config_invalid for anything else. */
export function policyIn(text: string): WitnessPolicy | null {
  if (text.trim() === '') return null;
  return readGiven(() => parseWitnessPolicy(new TextEncoder().encode(text), PLACE));
}

/** The keys of the ledger that count where there is a policy: those above that it names. Throws NothingToCheck. */
export function keysOfPolicy(keys: readonly Verifier[], policy: () => WitnessPolicy | null): Verifier[] {
  let read: WitnessPolicy | null;
  try {
    read = policy();
  } catch (error) {
    // The step about the witnesses says what is wrong with it.
    if (error instanceof NothingToCheck) return [...keys];
    throw error;
  }
  return readGiven(() => ledgerKeysOf(read, keys, PLACE)) as Verifier[];
}

/** Says which witnesses of the policy cosigned this checkpoint, as a step of its own. */
export async function showWitnesses(
  steps: Steps,
  note: string,
  place: string,
  { policy, now }: { policy: () => WitnessPolicy | null; now: () => number },
): Promise<void> {
  let given: WitnessPolicy | null;
  try {
    given = policy();
  } catch (error) {
    if (!(error instanceof NothingToCheck)) throw error;
    return steps.cannotCheck(WITNESSES, error);
  }
  if (!given) return;
  await steps.attempt(WITNESSES, async () => {
    const witnessing = await readWitnesses(note, given, { place, now: now() });
    assertQuorum(witnessing, place);
    return { words: `${capitalise(formatWitnessing(witnessing, now()))}.`, value: null };
  });
}
