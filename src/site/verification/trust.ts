import { CathedralError } from '../../../pipeline/errors.ts';
import { MOST_KEYS, parseVerifierKey, type Verifier } from '../../../pipeline/ledger/notes/note.ts';
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
import { PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import { formatCount } from '../../../pipeline/words/number.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import { NothingToCheck, readGiven, type Steps } from '../layout/steps.ts';

/** What a field of the page holds, or why it can be no use. */
type Given<T> = T | NothingToCheck;

/** What the reader trusts, and the host that is verified. */
export interface Means {
  origin: PageOrigin;
  publisherKeys: Given<readonly Verifier[]>;
  /** Those that the policy names, where there is one that can be read. */
  ledgerKeys: Given<readonly Verifier[]>;
  /** Null: none is given. */
  policy: Given<WitnessPolicy | null>;
  /** ms since 1970. */
  now: number;
  wait: (ms: number) => Promise<void>;
}

/** The fields with what the reader trusts. */
export interface TrustFields {
  publisherKeys: string;
  ledgerKeys: string;
  policy: string;
  /** ms since 1970. */
  now: number;
}

export const WITNESSES = 'Witnesses';
const POLICY = 'the field “Policy”';
/** Characters. */
const LONGEST_KEYS = 400 * MOST_KEYS;

export function meansOf({ publisherKeys, ledgerKeys, policy: text, now }: TrustFields): Means {
  const policy = given(() => policyIn(text));
  const keys = given(() => keysIn(ledgerKeys, 'The ledger’s keys'));
  // The step about the witnesses says what is wrong with a policy.
  const isNamed = isGiven(keys) && isGiven(policy);
  return {
    origin: new PageOrigin(),
    publisherKeys: given(() => keysIn(publisherKeys, 'The publisher’s keys')),
    ledgerKeys: isNamed ? given(() => readGiven(() => ledgerKeysOf(policy, keys, POLICY)!)) : keys,
    policy,
    now,
    // A release is swapped in an instant, an upload to a static host takes seconds; a reader should not wait long.
    wait: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms / 4);
      }),
  };
}

export function isGiven<T>(value: Given<T>): value is T {
  return !(value instanceof NothingToCheck);
}

/** Throws NothingToCheck. */
export function needGiven<T>(value: Given<T>): T {
  if (isGiven(value)) return value;
  throw value;
}

/** What `read` gives, or why it cannot. */
function given<T>(read: () => T): Given<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof NothingToCheck) return error;
    throw error;
  }
}

/**
 * The keys in a field of the page, one per line: the only ones that are trusted. Throws NothingToCheck with config_invalid for a
 * malformed key, and for an empty field.
 */
function keysIn(text: string, name: string): Verifier[] {
  const lines = text
    .slice(0, LONGEST_KEYS)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const place = `the field “${name}”`;
  const refused = (expected: string, found: string) =>
    new NothingToCheck(new CathedralError('config_invalid', { place, expected, found }));
  if (lines.length === 0) throw refused('a key, name+id+base64', 'nothing');
  return lines.map((line) => {
    try {
      return parseVerifierKey(line);
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      throw refused(error.expected, error.found);
    }
  });
}

/** Null: the field is empty. Throws NothingToCheck with config_invalid for what is no policy. */
function policyIn(text: string): WitnessPolicy | null {
  if (text.trim() === '') return null;
  return readGiven(() => parseWitnessPolicy(new TextEncoder().encode(text), POLICY));
}

/** The keys of the ledger, as the first step: without them nothing is fetched. Throws Failed and Uncheckable. */
export function needLedgerKeys(steps: Steps, { ledgerKeys }: Means): Promise<readonly Verifier[]> {
  return steps.need('Keys', async () => {
    const value = needGiven(ledgerKeys);
    return { words: `${formatCount(value.length, 'key')} of the ledger, shown above.`, value };
  });
}

/** Says which witnesses of the policy cosigned this checkpoint, as a step of its own. */
export async function showWitnesses(
  steps: Steps,
  note: string,
  place: string,
  { policy, now }: Pick<Means, 'policy' | 'now'>,
): Promise<void> {
  if (!isGiven(policy)) return steps.cannotCheck(WITNESSES, policy);
  if (!policy) return;
  await steps.attempt(WITNESSES, async () => {
    const witnessing = await readWitnesses(note, policy, { place, now });
    assertQuorum(witnessing, place);
    return { words: `${capitalise(formatWitnessing(witnessing, now))}.`, value: null };
  });
}
