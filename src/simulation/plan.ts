import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { askedDecisions, available, decisionOf, decisionsOf } from './decisions.ts';
import { type Draws, drawsOfDecision } from './draws.ts';
import { LEVER_NAMES, LEVERS, type Lever, type Settings } from './levers.ts';
import { clamp, roundTo6 } from './round-to-6.ts';
import { actInRun, type Run, startRun, stepRun } from './run.ts';
import {
  type Amount,
  type Decision,
  isInRange,
  type Parameters,
  type Range,
  rangeInWords,
  type Scenario,
} from './scenario.ts';

/**
 * In place of a choice: one of those that are offered, each as likely as the others, with parameters drawn evenly from their ranges. The
 * draws follow from the run’s seed.
 */
export const AT_RANDOM = 'at_random';

/** A number in an argument. */
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

interface Planned {
  choice: string;
  parameters: Parameters;
}

/** What to do about each decision, by its name. Unlike actions with their ticks, a plan can be followed with any seed. */
export type Plan = Readonly<Record<string, Planned | typeof AT_RANDOM>>;

/**
 * A whole run in which each decision of the plan is taken as soon as it is open and its choice is offered; the others go by default at
 * their time. Throws the SimulationFaults of startRun and takeAction.
 */
export function playPlan(
  scenario: string,
  seed: number,
  settings: Readonly<Record<string, unknown>>,
  plan: Plan,
): Run {
  let run = decided(startRun(scenario, seed, settings), plan);
  while (run.world.ending === null) run = decided(stepRun(run), plan);
  return run;
}

function decided(run: Run, plan: Plan): Run {
  let next = run;
  for (const { name } of run.world.open) {
    const planned = Object.hasOwn(plan, name) ? plan[name] : undefined;
    // An earlier choice may have closed it, or it waits for the answer to a dissent.
    if (!planned || !askedDecisions(next.world).some((open) => open.name === name)) continue;
    const taken = planned === AT_RANDOM ? drawn(next, name) : offeredOf(next, name, planned);
    if (taken) next = actInRun(next, taken.choice, taken.parameters);
  }
  return next;
}

/** Null if it is a choice of the decision, but not offered now. */
function offeredOf({ world, scenario }: Run, decision: string, planned: Planned): Planned | null {
  if (available(world, scenario).some(({ choice }) => choice.name === planned.choice)) return planned;
  return decisionOf(scenario, decision).choices.some(({ name }) => name === planned.choice) ? null : planned;
}

function drawn({ world, scenario, seed }: Run, decision: string): Planned | null {
  const offered = available(world, scenario).filter((action) => action.decision === decision);
  if (offered.length === 0) return null;
  const draws = drawsOfDecision(
    seed,
    decisionsOf(scenario).findIndex(({ name }) => name === decision),
  );
  const { name, parameters = {} } = offered[Math.floor(draws() * offered.length)]!.choice;
  const values = Object.entries(parameters).map(([key, about]) => [key, drawnAmount(about as Amount, draws)]);
  return { choice: name, parameters: Object.fromEntries(values) };
}

/** Only moves, which no plan has, take anything but numbers. */
function drawnAmount({ kind, minimum, maximum }: Amount, draws: Draws): number {
  const drawn = minimum + draws() * (maximum - minimum);
  return kind === 'whole_number' ? Math.round(drawn) : clamp(roundTo6(drawn), minimum, maximum);
}

/** The settings of `--set name=value`. Throws config_invalid. */
export function readSettings(given: readonly string[] | null): Settings {
  const pairs = readPairs('--set', given ?? [], LEVER_NAMES);
  const settings = [...pairs].map(([name, value]) => {
    const { least, most } = LEVERS[name as Lever];
    return [name, readNumber(`--set ${name}`, value, { kind: 'number', minimum: least, maximum: most })];
  });
  return Object.fromEntries(settings);
}

/** The plan of `--choices`: none, random, or `decision=choice,…`. Throws config_invalid. */
export function readChoices(given: string, scenario: Scenario): Plan {
  const decisions = decisionsOf(scenario);
  if (given === 'none') return {};
  if (given === 'random') return Object.fromEntries(decisions.map(({ name }) => [name, AT_RANDOM]));
  if (!given.includes('=')) throw unknownName('--choices', given, ['none', 'random', 'decision=choice,…']);
  const parameters = decisions.flatMap(({ name, choices }) =>
    choices.flatMap((choice) => Object.keys(choice.parameters ?? {}).map((key) => `${name}.${key}`)),
  );
  const names = [...decisions.map(({ name }) => name), ...new Set(parameters)];
  const pairs = readPairs('--choices', given.split(','), names);
  const plan = Object.fromEntries(
    decisions
      .filter(({ name }) => pairs.has(name))
      .map((decision) => [decision.name, readChoice(decision, pairs)]),
  );
  for (const name of pairs.keys()) {
    const [decision = '', key] = name.split('.');
    const planned = plan[decision];
    if (key === undefined || (planned && planned !== AT_RANDOM && Object.hasOwn(planned.parameters, key)))
      continue;
    throw wrong(`--choices ${name}`, `a choice for ${decision} that has it`, pairs.get(decision) ?? 'none');
  }
  return plan;
}

function readChoice({ name, choices }: Decision, pairs: ReadonlyMap<string, string>): Plan[string] {
  const chosen = pairs.get(name)!;
  if (chosen === 'random') return AT_RANDOM;
  const choice = choices.find((one) => one.name === chosen);
  if (!choice) throw unknownName(`--choices ${name}`, chosen, [...choices.map((one) => one.name), 'random']);
  const parameters = Object.entries(choice.parameters ?? {}).flatMap(([key, about]) => {
    const value = pairs.get(`${name}.${key}`);
    return value === undefined ? [] : [[key, readNumber(`--choices ${name}.${key}`, value, about)]];
  });
  return { choice: chosen, parameters: Object.fromEntries(parameters) };
}

function readNumber(place: string, value: string, about: Range): number {
  const number = NUMBER.test(value) ? Number(value) : Number.NaN;
  if (isInRange(number, about)) return number;
  throw wrong(place, rangeInWords(about), value);
}

/** `quorum=0.8`: each name once, and one of `names`. */
function readPairs(place: string, given: readonly string[], names: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of given) {
    const [name = '', value = '', ...rest] = pair.split('=');
    if (name === '' || value === '' || rest.length > 0) throw wrong(place, 'name=value', pair);
    if (!names.includes(name)) throw unknownName(place, name, names);
    if (pairs.has(name)) throw wrong(`${place} ${name}`, `one value`, `${pairs.get(name)} and ${value}`);
    pairs.set(name, value);
  }
  return pairs;
}

export function unknownName(place: string, name: string, names: readonly string[]): CathedralError {
  const nearest = nearestName(name, names);
  const others = names.filter((one) => one !== nearest);
  return wrong(place, `${nearest === null ? '' : `${nearest}, or `}one of ${others.join(', ')}`, name);
}

function wrong(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found: JSON.stringify(found) });
}
