import type { Status, World } from '../../simulation/world.ts';

/** What may be said of the proposal before its deliberation has ended, and what it is when it has. */
export const OUTCOMES = {
  in_force: { label: 'In force', said: 'is in force' },
  turned_down: { label: 'Turned down', said: 'is turned down' },
  undecided: { label: 'No decision', said: 'is not decided' },
} as const;

export type Outcome = keyof typeof OUTCOMES;

export const OUTCOME_NAMES = Object.keys(OUTCOMES) as Outcome[];

const OUTCOME_OF: Readonly<Record<Status, Outcome>> = {
  open: 'undecided',
  held: 'undecided',
  adopted: 'in_force',
  adopted_with_dissent: 'in_force',
  imposed: 'in_force',
  rejected: 'turned_down',
  withdrawn: 'turned_down',
  lapsed: 'undecided',
};

export function outcomeOf(status: Status): Outcome {
  return OUTCOME_OF[status];
}

/** The state of the proposal in a sentence. */
export const STATUS_SENTENCES: Readonly<Record<Status, string>> = {
  open: 'The proposal is open.',
  held: 'The proposal was carried, and a dissent holds it up.',
  adopted: 'The proposal is adopted.',
  adopted_with_dissent: 'The proposal is adopted, with a dissent on record.',
  imposed: 'The proposal is in force without a vote.',
  rejected: 'The proposal is rejected.',
  withdrawn: 'The proposal is withdrawn.',
  lapsed: 'Time ran out: the proposal lapsed without a decision.',
};

/** The result of a vote in two sentences. */
export function voteSentences({
  support,
  oppose,
  abstain,
  result,
}: World['deliberation']['votes'][number]): string {
  const counts = `${support || 'nobody'} for and ${oppose || 'nobody'} against.`;
  const silent = abstain === 0 ? '' : ` ${abstain} took no position.`;
  return `${RESULTS[result]} ${counts}${silent}`;
}

const RESULTS = {
  carried: 'The vote carries the proposal:',
  rejected: 'The vote rejects the proposal:',
  divided: 'The vote is divided, so the debate goes on:',
  no_quorum: 'Too few took a position, so the vote does not count:',
} as const;

/** The result of a vote in a few words. */
export const VOTE_RESULTS: Readonly<Record<keyof typeof RESULTS, string>> = {
  carried: 'the vote carries the proposal',
  rejected: 'the vote rejects the proposal',
  divided: 'the vote is divided',
  no_quorum: 'too few take a position',
};
