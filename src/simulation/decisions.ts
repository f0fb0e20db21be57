import { applyChange, type Change, noted } from './change.ts';
import { followOutcome, hearDissent, listed, overrideDissent } from './deliberation.ts';
import { SimulationFault } from './fault.ts';
import { briefSentinel, callVote, MOVE_LABELS } from './moves.ts';
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

export const DISSENT_CHOICES = DISSENT_ANSWERS.map(({ choice }) => choice);

/**
 * The open decisions that can be made now. While a dissent holds a decision up, that is the dissent alone: what was carried must not be
 * rewritten before it takes effect.
 */
export function askedDecisions({ open, deliberation }: World): World['open'] {
  return deliberation.status === 'held' ? open.filter(({ name }) => name === DISSENT.name) : open;
}

/** In the order in which they are offered. */
export function available(world: World, scenario: Scenario): Available[] {
  if (world.ending !== null) return [];
  const ofDecisions = askedDecisions(world).flatMap(({ name }) =>
    name === DISSENT.name ? dissentAnswers(scenario) : choicesOf(decisionOf(scenario, name), world, scenario),
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

function choicesOf(decision: Decision, now: World, scenario: Scenario): Available[] {
  const offered = decision.choices.filter(({ isOffered }) => isOffered?.(now) ?? true);
  return offered.map((choice) => ({
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
    const expected =
      names.length === 0
        ? 'Expected no action at this tick'
        : names.length === 1
          ? `Expected ${names[0]}`
          : `Expected one of ${listed(names)}`;
    throw new SimulationFault('action_unavailable', `${expected}, found ${JSON.stringify(name)}.`);
  }
  const { choice, decision } = action;
  const given = readParameters(choice.parameters ?? {}, parameters);
  const taken = action.take(world, given);
  return closeMoot(decision === null ? taken : close(taken, decision, name, false), scenario);
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

/** Applies the default choice of decisions whose time has run out. Those that wait for the answer to a dissent keep waiting. */
export function expireDecisions(world: World, scenario: Scenario): World {
  let next = world;
  for (const { name, until } of world.open) {
    if (world.tick < until || !askedDecisions(next).some((open) => open.name === name)) continue;
    const { otherwise, title } = openedDecision(name, scenario);
    const { choice, take } = available(next, scenario).find((action) => action.choice.name === otherwise)!;
    const told = `“${title}”: nobody chose in time, so it is “${choice.label}”.`;
    const taken = take({ ...next, log: noted(next, told) }, readParameters(choice.parameters ?? {}, {}));
    next = closeMoot(close(taken, name, otherwise, true), scenario);
  }
  return next;
}

/** Closes the open decisions about something that is over. */
export function closeMoot(world: World, scenario: Scenario): World {
  const moot = world.open.map(({ name }) => name).filter((name) => isMoot(name, world, scenario));
  if (moot.length === 0) return world;
  const texts = moot.map(
    (name) => `“${openedDecision(name, scenario).title}” closes without a choice: it is over.`,
  );
  return {
    ...world,
    open: world.open.filter(({ name }) => !moot.includes(name)),
    // A dissent may come again.
    lapsed: [...world.lapsed, ...moot.filter((name) => name !== DISSENT.name)],
    log: noted(world, ...texts),
  };
}

/** A dissent holds up a decision, so it is over when the decision is made by other means. */
function isMoot(decision: string, world: World, scenario: Scenario): boolean {
  return decision === DISSENT.name ? isDecided(world) : decisionOf(scenario, decision).isMoot(world);
}

/** Opens the decisions that are due: each one once, and the dissent whenever there is one. */
export function openDecisions(world: World, scenario: Scenario): World {
  const due: { name: string; within: number }[] = [];
  const isHeld = world.deliberation.status === 'held';
  if (isHeld && !world.open.some(({ name }) => name === DISSENT.name)) due.push(DISSENT);
  for (const decision of isHeld ? [] : scenario.decisions)
    if (!wasOpened(world, decision.name) && !decision.isMoot(world) && decision.opens(world))
      due.push(decision);
  if (due.length === 0) return world;
  const opened = due.map(({ name, within }) => ({ name, since: world.tick, until: world.tick + within }));
  return { ...world, open: [...world.open, ...opened] };
}

function wasOpened({ open, taken, lapsed }: World, decision: string): boolean {
  return (
    open.some(({ name }) => name === decision) ||
    taken.some((one) => one.decision === decision) ||
    lapsed.includes(decision)
  );
}

function close(world: World, decision: string, choice: string, isDefault: boolean): World {
  const taken = { tick: world.tick, decision, choice, isDefault };
  // A proposal in force by other means is no longer held up.
  const open = world.open.filter(
    ({ name }) => name !== decision && !(name === DISSENT.name && isDecided(world)),
  );
  return {
    ...world,
    // What waited for the answer to a dissent can be decided for at least one more tick.
    open:
      decision === DISSENT.name
        ? open.map((one) => ({ ...one, until: Math.max(one.until, world.tick + 2) }))
        : open,
    taken: [...world.taken, taken],
  };
}

/** An open decision of the scenario, or the dissent. */
export function openedDecision(name: string, scenario: Scenario): Decision | typeof DISSENT {
  return name === DISSENT.name ? DISSENT : decisionOf(scenario, name);
}

/** The label of a choice of the scenario, of an answer to a dissent or of a move. */
export function labelOf(choice: string, { decisions }: Scenario): string {
  const all: readonly Pick<Choice, 'name' | 'label'>[] = [
    ...decisions.flatMap(({ choices }) => choices),
    ...DISSENT_ANSWERS.map((answer) => answer.choice),
    ...MOVE_LABELS,
  ];
  return all.find(({ name }) => name === choice)!.label;
}

export function decisionOf(scenario: Scenario, name: string): Decision {
  return scenario.decisions.find((decision) => decision.name === name)!;
}
