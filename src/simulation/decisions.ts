import { applyChange, type Change } from './change.ts';
import { followOutcome, hearDissent, listed, overrideDissent } from './deliberation.ts';
import { SimulationFault } from './fault.ts';
import { briefSentinel, callVote } from './moves.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Choice, Decision, Parameter, Parameters, Scenario } from './scenario.ts';
import { isDecided } from './scenario.ts';
import type { World } from './world.ts';

/** An available action: a choice and its decision; the decision is null for moves that are always possible. */
export interface Available {
  choice: Pick<Choice, 'name' | 'label' | 'meaning' | 'parameters'>;
  decision: string | null;
  take: (world: World, parameters: Parameters) => World;
}

/** The dissent protocol, as a decision in every scenario. By default a dissent is heard. */
export const DISSENT = {
  name: 'dissent',
  title: 'A dissent',
  prompt: 'A decision was carried against a firm dissent. It is held up until the dissent is answered.',
  within: 3,
  otherwise: 'hear_dissent',
} as const;

const DISSENT_ANSWERS: readonly (Pick<Available, 'choice'> & { answer: typeof hearDissent })[] = [
  {
    choice: {
      name: 'hear_dissent',
      label: 'Hear the dissent',
      meaning:
        'One more round, in which those who dissent are listened to twice as much. Then the vote again.',
    },
    answer: hearDissent,
  },
  {
    choice: {
      name: 'override_dissent',
      label: 'Pass over it',
      meaning: 'In force at once, with the dissent on record. It strains the integrity index.',
    },
    answer: overrideDissent,
  },
];

/** In the order in which they are offered. */
export function available(world: World, scenario: Scenario): Available[] {
  if (world.ending !== null) return [];
  const ofDecisions = world.open.flatMap(({ name }) =>
    name === DISSENT.name ? dissentAnswers(scenario) : choicesOf(decisionOf(scenario, name), scenario),
  );
  return [...ofDecisions, ...(isDecided(world) ? [] : moves(world))];
}

function dissentAnswers(scenario: Scenario): Available[] {
  return DISSENT_ANSWERS.map(({ answer, choice }) => ({
    choice,
    decision: DISSENT.name,
    take: (world) => answer(world, scenario),
  }));
}

function choicesOf(decision: Decision, scenario: Scenario): Available[] {
  return decision.choices.map((choice) => ({
    choice,
    decision: decision.name,
    take(world, parameters) {
      const { change } = choice;
      const changed = applyChange(world, changeFrom(change, parameters, world));
      const isNewlyDecided = isDecided(changed) && !isDecided(world);
      return isNewlyDecided ? followOutcome(changed, scenario) : changed;
    },
  }));
}

function changeFrom(change: Choice['change'], parameters: Parameters, world: World): Change {
  return typeof change === 'function' ? change(parameters, world) : change;
}

function moves(world: World): Available[] {
  return [callVote, briefSentinel]
    .map((move) => move(world))
    .flatMap((move) => (move ? [{ ...move, decision: null }] : []));
}

/** Takes an action now. Throws a SimulationFault if it is not available or its parameters are invalid. */
export function takeAction(
  world: World,
  { name, parameters }: { name: string; parameters: Parameters },
  scenario: Scenario,
): World {
  if (world.ending !== null)
    throw new SimulationFault('simulation_over', 'The simulation has come to its end.');
  const all = available(world, scenario);
  const action = all.find(({ choice }) => choice.name === name);
  if (!action) {
    const names = all.map(({ choice }) => choice.name);
    const expected = names.length === 0 ? 'There is none now' : `Now there are ${listed(names)}`;
    throw new SimulationFault('action_unavailable', `${expected}; found ${JSON.stringify(name)}.`);
  }
  const { choice, decision } = action;
  const given = readParameters(choice.parameters ?? {}, parameters);
  const taken = action.take(world, given);
  return decision === null ? taken : close(taken, decision, name, false);
}

/** All parameters, with defaults for those not given. Throws a SimulationFault invalid_parameters. */
export function readParameters(expected: Readonly<Record<string, Parameter>>, given: Parameters): Parameters {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) {
    const names = Object.keys(expected);
    const allowed = names.length === 0 ? 'no parameters' : listed(names);
    throw new SimulationFault('invalid_parameters', `Expected ${allowed}, found ${JSON.stringify(unknown)}.`);
  }
  const read = Object.entries(expected).map(([name, parameter]) => [
    name,
    readParameter(name, parameter, Object.hasOwn(given, name) ? given[name]! : parameter.default),
  ]);
  return Object.fromEntries(read);
}

function readParameter(name: string, parameter: Parameter, value: number | string): number | string {
  const refuse = (expected: string) =>
    new SimulationFault(
      'invalid_parameters',
      `${name}: expected ${expected}, found ${JSON.stringify(value)}.`,
    );
  if (parameter.kind === 'one_of') {
    if (parameter.values.includes(value as string)) return value;
    throw refuse(`one of ${parameter.values.join(', ')}`);
  }
  const { minimum, maximum } = parameter;
  if (typeof value === 'number' && value >= minimum && value <= maximum) return roundTo6(value);
  throw refuse(`a number from ${minimum} to ${maximum}`);
}

/** Applies the default choice of decisions whose time has run out. */
export function expireDecisions(world: World, scenario: Scenario): World {
  let next = world;
  for (const { name, until } of world.open) {
    if (world.tick < until) continue;
    const { otherwise } = openedDecision(name, scenario);
    const action = available(next, scenario).find(({ choice }) => choice.name === otherwise)!;
    next = close(
      action.take(next, readParameters(action.choice.parameters ?? {}, {})),
      name,
      otherwise,
      true,
    );
  }
  return next;
}

/** Opens the decisions that are due: each one once, and the dissent whenever there is one. */
export function openDecisions(world: World, scenario: Scenario): World {
  const due: { name: string; within: number }[] = [];
  if (world.deliberation.status === 'held' && !world.open.some(({ name }) => name === DISSENT.name))
    due.push(DISSENT);
  for (const decision of scenario.decisions)
    if (!wasOpened(world, decision.name) && decision.opens(world)) due.push(decision);
  if (due.length === 0) return world;
  const opened = due.map(({ name, within }) => ({ name, since: world.tick, until: world.tick + within }));
  return { ...world, open: [...world.open, ...opened] };
}

function wasOpened({ open, taken }: World, decision: string): boolean {
  return open.some(({ name }) => name === decision) || taken.some((one) => one.decision === decision);
}

function close(world: World, decision: string, choice: string, isDefault: boolean): World {
  const taken = { tick: world.tick, decision, choice, isDefault };
  return {
    ...world,
    // A proposal in force by other means is no longer held up.
    open: world.open.filter(({ name }) => name !== decision && !(name === DISSENT.name && isDecided(world))),
    taken: [...world.taken, taken],
  };
}

/** An open decision of the scenario, or the dissent. */
export function openedDecision(name: string, scenario: Scenario): Decision | typeof DISSENT {
  return name === DISSENT.name ? DISSENT : decisionOf(scenario, name);
}

export function decisionOf(scenario: Scenario, name: string): Decision {
  return scenario.decisions.find((decision) => decision.name === name)!;
}
