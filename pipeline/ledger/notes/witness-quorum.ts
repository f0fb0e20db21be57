import { CathedralError } from '../../errors.ts';
import { formatAge } from '../../words/duration.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { counted, formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { verifySignature } from './cosignature.ts';
import { formatSignature, isBy, noteText, readSignatures } from './note.ts';
import type { PolicyWitness, WitnessPolicy } from './witness-policy.ts';

/** How far the clock of a witness may be ahead of the reader's, ms. A cosignature with a later time does not count. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000;
/** In a message. */
const MOST_NAMES = 8;

/** What a witness of the policy says about a checkpoint. */
interface WitnessStatement {
  witness: PolicyWitness;
  state: 'signed' | 'not signed' | 'in the future';
  /** Of its newest cosignature, ms since 1970; null: it has none, or states no time. */
  signedAt: number | null;
}

/** A checkpoint as the witnesses of a policy see it. */
export interface Witnessing {
  checkpoint: Checkpoint;
  /** In the order of the policy. */
  statements: readonly WitnessStatement[];
  isQuorum: boolean;
  /** How many witnesses a quorum has at the least. */
  fewest: number;
}

export interface WitnessOptions {
  /** Names the note in errors. */
  place: string;
  /** ms since 1970. */
  now: number;
  /** Other checkpoints of this log that the reader has, as notes: a cosignature that does not verify may be of one of them. */
  others?: readonly string[];
}

/**
 * Which witnesses of a policy cosigned the checkpoint in a note, and whether they are enough. Says nothing about the log's own signature.
 * Signatures by other keys are ignored. Of several by one witness, each must verify and the newest counts. An old one is as good as a new
 * one: the checkpoint is what it was. Throws ledger_corrupt for a malformed note, and witness_signature for a cosignature that does not
 * verify, which invalidates the note as c2sp.org/signed-note has it.
 */
export async function readWitnesses(
  note: string | Uint8Array,
  policy: WitnessPolicy,
  options: WitnessOptions,
): Promise<Witnessing> {
  const { text, signatures } = readSignatures(note, options.place);
  const statements: WitnessStatement[] = [];
  for (const witness of policy.witnesses) {
    const own = signatures.filter((signature) => isBy(witness.key, signature));
    statements.push(await statementOf(witness, own, text, options));
  }
  const cosigned = statements.filter(({ state }) => state === 'signed').map(({ witness }) => witness);
  return {
    checkpoint: parseCheckpoint(text, options.place),
    statements,
    isQuorum: policy.isQuorum(new Set(cosigned)),
    fewest: policy.fewest,
  };
}

/** A note without cosignatures in the name of the policy's witnesses that do not verify. Throws ledger_corrupt. */
export async function withoutInvalidCosignatures(
  note: string,
  { witnesses }: { witnesses: readonly Pick<PolicyWitness, 'key'>[] },
  place: string,
): Promise<string> {
  const { text, signatures } = readSignatures(note, place);
  const lines: string[] = [];
  for (const signature of signatures) {
    const witness = witnesses.find(({ key }) => isBy(key, signature));
    const verdict = witness && (await verifySignature(witness.key, text, signature)).verdict;
    if (verdict !== 'invalid') lines.push(formatSignature(signature));
  }
  return `${text}\n${lines.join('')}`;
}

type Signatures = ReturnType<typeof readSignatures>['signatures'];

async function statementOf(
  witness: PolicyWitness,
  signatures: Signatures,
  text: string,
  options: WitnessOptions,
): Promise<WitnessStatement> {
  let statement: WitnessStatement = { witness, state: 'not signed', signedAt: null };
  for (const signature of signatures) {
    const result = await verifySignature(witness.key, text, signature);
    if (result.verdict !== 'valid') throw await invalidCosignature(witness, signature, options);
    const signedAt = result.timestamp ? result.timestamp * 1000 : null;
    const isAhead = (signedAt ?? 0) > options.now + CLOCK_TOLERANCE_MS;
    const found: WitnessStatement = { witness, state: isAhead ? 'in the future' : 'signed', signedAt };
    if (rank(found) > rank(statement)) statement = found;
  }
  return statement;
}

/** A later time is better than an earlier one, unless it is in the future. */
function rank({ state, signedAt }: WitnessStatement): number {
  return { signed: 1 + (signedAt ?? 0), 'in the future': 0.5, 'not signed': 0 }[state];
}

/** The error for a cosignature that does not verify. It names the checkpoint that was signed instead, if it is one of the others. */
export async function invalidCosignature(
  { name, key }: Pick<PolicyWitness, 'name' | 'key'>,
  signature: Signatures[number],
  { place, others = [] }: Pick<WitnessOptions, 'place' | 'others'>,
): Promise<CathedralError> {
  let found = 'one that does not verify: it is of another checkpoint, or forged';
  for (const other of others) {
    const text = noteText(other, place);
    if ((await verifySignature(key, text, signature)).verdict !== 'valid') continue;
    const { size, root } = parseCheckpoint(text, place);
    found = `its cosignature of another checkpoint, of ${counted(size, 'event')} with the root ${root}`;
  }
  const expected = `a cosignature of this checkpoint by the witness ${name} (${key.name}+${key.id})`;
  return new CathedralError('witness_signature', { place, expected, found });
}

/** Throws witness_quorum if too few witnesses cosigned the checkpoint. `place` names the note. */
export function assertQuorum(witnessing: Witnessing, place: string): void {
  const missing = missingQuorum(witnessing, place);
  if (missing) throw missing;
}

/** The error if too few witnesses cosigned the checkpoint, else null. */
export function missingQuorum(
  { statements, isQuorum, fewest }: Witnessing,
  place: string,
): CathedralError | null {
  if (isQuorum) return null;
  const of = formatCount(statements.length, 'witness', 'witnesses');
  const expected = `cosignatures by a quorum of the policy, which needs at least ${fewest} of ${of}`;
  return new CathedralError('witness_quorum', { place, expected, found: foundWords(statements) });
}

/** A clause: `2 of 3 witnesses of the policy signed this checkpoint, the oldest 5 minutes ago`. `now` in ms since 1970. */
export function formatWitnessing({ statements, fewest }: Witnessing, now: number): string {
  if (statements.length === 0) return 'the policy has no witnesses';
  const signed = statements.filter(({ state }) => state === 'signed');
  const times = signed.flatMap(({ signedAt }) => signedAt ?? []);
  const words = `${signed.length} of ${formatCount(statements.length, 'witness', 'witnesses')} of the policy signed this checkpoint`;
  const ago = times.length === 0 ? '' : agoOf(now - Math.min(...times));
  const when = ago && (signed.length > 1 ? `, the oldest ${ago}` : `, ${ago}`);
  return `${words}${when}${fewest === 0 ? '; the policy requires none' : ''}`;
}

/** A clock that is a little ahead states a time to come. */
function agoOf(ms: number): string {
  return ms < 1000 ? 'just now' : `${formatAge(ms)} ago`;
}

const STATE_WORDS: Readonly<Record<WitnessStatement['state'], string>> = {
  signed: 'by',
  'in the future': 'dated in the future by',
  'not signed': 'none by',
};

/** `1: by X1; none by X2 and X3`. */
function foundWords(statements: readonly WitnessStatement[]): string {
  const clauses = Object.entries(STATE_WORDS).flatMap(([state, words]) => {
    const of = statements.filter((statement) => statement.state === state);
    if (of.length === 0) return [];
    const names = of
      .slice(0, MOST_NAMES)
      .map(({ witness: { name }, signedAt }) =>
        state === 'in the future' ? `${name} (${formatTimestamp(signedAt!)})` : name,
      );
    const rest = of.length > MOST_NAMES ? [`${of.length - MOST_NAMES} more`] : [];
    return [`${words} ${formatList([...names, ...rest])}`];
  });
  const signed = statements.filter(({ state }) => state === 'signed').length;
  return `${signed}${clauses.length > 0 ? `: ${clauses.join('; ')}` : ''}`;
}
