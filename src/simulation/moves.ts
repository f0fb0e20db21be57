import { noted } from './change.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Choice, Parameters } from './scenario.ts';
import { byVirtue, VIRTUES, type Virtue } from './virtues.ts';
import type { World } from './world.ts';

interface Move {
  choice: Pick<Choice, 'name' | 'label' | 'meaning' | 'parameters'>;
  take: (world: World, parameters: Parameters) => World;
}

/** Cached choices that differ by the state of the world: a few dozen, which thousands of runs offer in each tick. */
const CHOICES = new Map<string, Move['choice']>();
const MOST_CHOICES = 500;

function remembered(key: string, make: () => Move['choice']): Move['choice'] {
  const known = CHOICES.get(key);
  if (known) return known;
  if (CHOICES.size === MOST_CHOICES) CHOICES.clear();
  const choice = make();
  CHOICES.set(key, choice);
  return choice;
}

const CALL_VOTE = { name: 'call_vote', label: 'Call the vote' } as const;
const BRIEF = { name: 'brief_sentinel', label: 'Brief a sentinel' } as const;
export const MOVE_LABELS = [CALL_VOTE, BRIEF] as const;

/** Moves that a player may make at any time during a deliberation; null where it may not. */
export function callVote(world: World): Move | null {
  const { deliberation, tick } = world;
  if (deliberation.status !== 'open' || deliberation.roundEnds <= tick + 1) return null;
  return {
    choice: remembered(`${deliberation.roundEnds}`, () => ({
      ...CALL_VOTE,
      meaning: `The round ends on the next day instead of on day ${deliberation.roundEnds}.`,
    })),
    take: (now) => ({ ...now, deliberation: { ...now.deliberation, roundEnds: now.tick + 1 } }),
  };
}

/** Maximum per run. More would make the player the only voice. */
const BRIEFINGS = 3;
/** Added to the weight of the virtue, before the weights are normalised. */
const EMPHASIS = 0.2;

export function briefSentinel(world: World): Move | null {
  const used = world.facts.briefings ?? 0;
  if (used >= BRIEFINGS) return null;
  const ids = world.sentinels.filter(({ isOnline }) => isOnline).map(({ id }) => id);
  if (ids.length === 0) return null;
  const choice = (): Move['choice'] => ({
    ...BRIEF,
    meaning: `Puts one virtue before the eyes of one sentinel, whose weight for it grows. ${BRIEFINGS - used} of ${BRIEFINGS} left.`,
    parameters: {
      sentinel: { kind: 'one_of', values: ids, default: ids[0]!, meaning: 'who is briefed' },
      virtue: { kind: 'one_of', values: VIRTUES, default: VIRTUES[0], meaning: 'what is put first' },
    },
  });
  return {
    choice: remembered(`${used} ${ids.join(' ')}`, choice),
    take: (now, { sentinel, virtue }) => brief(now, String(sentinel), virtue as Virtue, used + 1),
  };
}

function brief(world: World, id: string, virtue: Virtue, briefings: number): World {
  return {
    ...world,
    sentinels: world.sentinels.map((one) =>
      one.id === id
        ? {
            ...one,
            weights: byVirtue((each) =>
              roundTo6((one.weights[each] + (each === virtue ? EMPHASIS : 0)) / (1 + EMPHASIS)),
            ),
          }
        : one,
    ),
    facts: { ...world.facts, briefings },
    log: noted(world, `${id} is briefed on ${virtue}.`),
  };
}
