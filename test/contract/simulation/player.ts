import { conversation } from './seam.ts';
import { type Parameter, Story, type Update } from './story.ts';

/** What a player does in a run, by its seed. */
const PLANS = ['nobody chooses', 'first choices', 'last choices', 'any choices', 'late and often'] as const;
export type Plan = (typeof PLANS)[number];

/** Half of all runs take any choices: most of the endings are there. */
function planOf(seed: number): Plan {
  return PLANS[[0, 1, 2, 3, 3, 3, 3, 3, 4, 4][seed % 10]!]!;
}

/** Settings that a player may change before a run. */
const SETTINGS = [
  {},
  { stubbornness: 2 },
  { quorum: 0.9 },
  { consensus: 0.95, reach: 1 },
  { burn_rate: 0.01, lock_share: 0.3 },
  { mint_share: 0 },
  { strain_rate: 0.03 },
  { patience: 4, unlock_rate: 0.1 },
];

export interface Played {
  story: Story;
  /** Everything that was answered, in order: as text, and parsed. */
  texts: string[];
  updates: Update[];
}

/** Plays a run to its end: its messages follow from the scenario, the seed and the plan alone. */
export function play(scenario: string, seed: number, plan: Plan = planOf(seed)): Played {
  const random = randomOf(seed);
  const say = conversation();
  const texts: string[] = [];
  const updates: Update[] = [];
  const ask = (message: object): Update => {
    const text = say(message);
    const update = JSON.parse(text) as Update;
    if (update.type !== 'simulation_update')
      throw new Error(`${JSON.stringify(message)} is answered with ${text}`);
    texts.push(text);
    updates.push(update);
    return update;
  };
  const settings = plan === 'late and often' ? SETTINGS[Math.floor(random() * SETTINGS.length)] : {};
  let now = ask({ action: 'start_simulation', scenario, seed, settings, paused: true });
  while (!now.current_state.is_over) {
    const action = chosen(now, plan, random);
    now = action === null ? ask({ action: 'step' }) : ask({ action: 'take_action', ...action });
    // One action a day is enough, or a player would brief three sentinels at once.
    if (action !== null && !now.current_state.is_over) now = ask({ action: 'step' });
  }
  return { story: new Story(updates), texts, updates };
}

function chosen({ next_actions }: Update, plan: Plan, random: () => number) {
  if (plan === 'nobody chooses') return null;
  const choices = next_actions.filter(({ decision }) => decision !== null);
  const offered = plan === 'late and often' ? next_actions : choices;
  if (offered.length === 0 || (plan === 'late and often' && random() < 0.75)) return null;
  const own = offered.filter(({ decision }) => decision === offered[0]!.decision);
  const pick =
    plan === 'first choices'
      ? own[0]!
      : plan === 'last choices'
        ? own.at(-1)!
        : plan === 'any choices'
          ? own[Math.floor(random() * own.length)]!
          : offered[Math.floor(random() * offered.length)]!;
  const parameters = Object.entries(pick.parameters).flatMap(([name, parameter]) => {
    const value = parameterAt(parameter, plan === 'any choices' || plan === 'late and often' ? random() : 0);
    return value === null ? [] : [[name, value]];
  });
  return { name: pick.name, parameters: Object.fromEntries(parameters) };
}

/** The default, the ends of a range, and values between them. */
function parameterAt(parameter: Parameter, share: number): number | string | null {
  if (share < 0.3) return null;
  if (parameter.kind === 'one_of') return parameter.values[Math.floor(share * parameter.values.length)]!;
  const { kind, minimum, maximum } = parameter;
  if (share < 0.5) return minimum;
  if (share < 0.7) return maximum;
  const between = minimum + share * (maximum - minimum);
  return kind === 'whole_number' ? Math.round(between) : Math.round(100 * between) / 100;
}

/** mulberry32: the plan’s own chance, which nothing of the service knows. */
function randomOf(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
