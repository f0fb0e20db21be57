import { readParameters } from '../../../../simulation/decisions.ts';
import { AT_RANDOM, decisionsOf, type Plan, playPlan } from '../../../../simulation/plan.ts';
import type { Choice, Decision, Ending, Scenario } from '../../../../simulation/scenario.ts';
import { formatSetUpAddress } from '../laboratory/set-up-address.ts';

/** Runs per choice, with the seeds 1 to this. */
export const RUNS = 200;
/** Random players who must have taken a choice before it is compared. */
const LEAST_PLAYERS = 20;

/** Two choices of one decision, and how often each ending follows: all other decisions are made at random. */
export interface Contrast {
  decision: Decision;
  choices: readonly [Choice, Choice];
  /** By ending, in the scenario’s order, those that occur: how many of RUNS with each of the two. */
  endings: readonly { ending: Ending; counts: readonly [number, number] }[];
  /** The query with which the laboratory plays the same runs. */
  laboratory: string;
}

/** Cached by scenario: it takes hundreds of runs. */
const KNOWN = new WeakMap<Scenario, Contrast>();

/** The pair of choices whose endings differ most among RUNS random players. */
export function contrastOf(scenario: Scenario): Contrast {
  const known = KNOWN.get(scenario);
  if (known) return known;
  const players = Array.from({ length: RUNS }, (_, i) => randomPlayer(scenario, i + 1));
  const { decision, choices } = widestPair(scenario, players);
  const [one, other] = choices.map((choice) => countsOf(scenario, players, decision, choice)) as [
    ReadonlyMap<string, number>,
    ReadonlyMap<string, number>,
  ];
  const endings = scenario.endings
    .map((ending) => ({ ending, counts: [one.get(ending.name) ?? 0, other.get(ending.name) ?? 0] as const }))
    .filter(({ counts: [a, b] }) => a + b > 0);
  const [plan, compared] = choices.map((choice) => planWith(scenario, decision, choice)) as [Plan, Plan];
  const laboratory = formatSetUpAddress({
    scenario: scenario.name,
    settings: {},
    plan,
    seeds: { from: 1, to: RUNS },
    sweep: null,
    compared: { settings: {}, plan: compared },
  });
  const contrast = { decision, choices, endings, laboratory };
  KNOWN.set(scenario, contrast);
  return contrast;
}

interface Player {
  seed: number;
  ending: string;
  /** By decision; none for a decision that the run never came to. */
  taken: ReadonlyMap<string, string>;
}

function randomPlayer(scenario: Scenario, seed: number): Player {
  const { world } = playPlan(scenario.name, seed, {}, randomPlan(scenario));
  const taken = new Map(world.taken.map(({ decision, choice }) => [decision, choice]));
  return { seed, ending: world.ending!, taken };
}

export function randomPlan(scenario: Scenario): Plan {
  return Object.fromEntries(decisionsOf(scenario).map(({ name }) => [name, AT_RANDOM]));
}

/** One decision made, with default parameters, and the others at random. */
export function planWith(scenario: Scenario, { name }: Decision, choice: Choice): Plan {
  const parameters = readParameters(choice.parameters ?? {}, {});
  return { ...randomPlan(scenario), [name]: { choice: choice.name, parameters } };
}

/** The pair of choices whose endings differ most among the players who happened to take them. */
function widestPair(
  { decisions }: Scenario,
  players: readonly Player[],
): { decision: Decision; choices: readonly [Choice, Choice] } {
  const pairs = decisions.flatMap((decision) => {
    const options = decision.choices
      .map((choice) => ({
        choice,
        endings: players
          .filter(({ taken }) => taken.get(decision.name) === choice.name)
          .map(({ ending }) => ending),
      }))
      .filter(({ endings }) => endings.length >= LEAST_PLAYERS);
    return options.flatMap((one, i) =>
      options.slice(i + 1).map((other) => ({
        decision,
        choices: [one.choice, other.choice] as const,
        distance: distance(sharesOf(one.endings), sharesOf(other.endings)),
      })),
    );
  });
  return pairs.reduce((widest, pair) => (pair.distance > widest.distance ? pair : widest));
}

function sharesOf(endings: readonly string[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const ending of endings) shares.set(ending, (shares.get(ending) ?? 0) + 1 / endings.length);
  return shares;
}

/** Total variation: half the sum of the differences; 1 if the two have no ending in common. */
function distance(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const names = new Set([...a.keys(), ...b.keys()]);
  let sum = 0;
  for (const name of names) sum += Math.abs((a.get(name) ?? 0) - (b.get(name) ?? 0));
  return sum / 2;
}

/** The endings if every player had taken this choice, and otherwise drawn as they did. */
function countsOf(
  scenario: Scenario,
  players: readonly Player[],
  decision: Decision,
  choice: Choice,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const plan = planWith(scenario, decision, choice);
  for (const { seed, ending, taken } of players) {
    const its = taken.get(decision.name);
    // The same run: its player never came to the decision, or made it so.
    const isSame = its === undefined || (its === choice.name && !choice.parameters);
    const reached = isSame ? ending : playPlan(scenario.name, seed, {}, plan).world.ending!;
    counts.set(reached, (counts.get(reached) ?? 0) + 1);
  }
  return counts;
}
