import { applyChange, changeOf, noted } from './change.ts';
import { followOutcome, hearDissent, overrideDissent } from './deliberation.ts';
import { faultAt, SimulationFault } from './fault.ts';
import { roundTo6 } from './round-to-6.ts';
import {
  always,
  type Choice,
  type Decision,
  hasStatus,
  isDecided,
  isInRange,
  type Parameter,
  type Parameters,
  rangeInWords,
  type Scenario,
} from './scenario.ts';
import { byVirtue, VIRTUES, type Virtue, type World } from './world.ts';

/** An available action: a choice and its decision; the decision is null for moves that are always possible. */
export interface Available {
  choice: Pick<Choice, 'name' | 'label' | 'meaning'> & {
    parameters?: Readonly<Record<string, Parameter>>;
  };
  decision: string | null;
  take: (world: World, parameters: Parameters) => World;
}

/** The dissent protocol, as a decision in every scenario. By default a dissent is heard. */
const DISSENT: Decision = {
  name: 'dissent',
  title: 'A dissent',
  prompt: 'A decision was carried against a firm dissent. It is held up until the dissent is answered.',
  within: 3,
  otherwise: 'hear_dissent',
  opens: hasStatus('held'),
  // It holds up a decision, so it is over when the decision is made by other means.
  isMoot: isDecided,
  choices: [
    {
      name: 'hear_dissent',
      label: 'Hear the dissent',
      meaning:
        'One more round, in which those who dissent are listened to twice as much. Then the vote again.',
    },
    {
      name: 'override_dissent',
      label: 'Pass over it',
      meaning: 'In force at once, with the dissent on record. It strains the integrity index.',
    },
  ],
};

/** All decisions that can open in a scenario, the answer to a dissent included. */
export function decisionsOf({ decisions }: Scenario): readonly Decision[] {
  return [...decisions, DISSENT];
}

export function decisionOf(scenario: Scenario, name: string): Decision {
  return decisionsOf(scenario).find((decision) => decision.name === name)!;
}

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
  const ofDecisions = askedDecisions(world).flatMap(({ name: decision }) =>
    decisionOf(scenario, decision)
      .choices.filter(({ isOffered = always }) => isOffered(world))
      .map(
        (choice): Available => ({
          choice,
          decision,
          take: (now, given) => takeChoice(now, choice, given as Readonly<Record<string, number>>, scenario),
        }),
      ),
  );
  const moves = isDecided(world) ? [] : [callVote(world), briefSentinel(world)];
  return [...ofDecisions, ...moves.filter((move) => move !== null)];
}

function takeChoice(
  world: World,
  { name, change = {} }: Choice,
  given: Readonly<Record<string, number>>,
  scenario: Scenario,
): World {
  if (name === 'hear_dissent') return hearDissent(world, scenario);
  if (name === 'override_dissent') return overrideDissent(world, scenario);
  const changed = applyChange(world, changeOf(change, world, given));
  return isDecided(changed) && !isDecided(world) ? followOutcome(changed, scenario) : changed;
}

const CALL_VOTE = { name: 'call_vote', label: 'Call the vote' } as const;
const BRIEF = { name: 'brief_sentinel', label: 'Brief a sentinel' } as const;

/** A move that a player may make at any time during a deliberation; null where it may not. */
function callVote({ deliberation: { status, roundEnds }, tick }: World): Available | null {
  if (status !== 'open' || roundEnds <= tick + 1) return null;
  return {
    choice: { ...CALL_VOTE, meaning: `The round ends on the next day instead of on day ${roundEnds}.` },
    decision: null,
    take: (now) => ({ ...now, deliberation: { ...now.deliberation, roundEnds: now.tick + 1 } }),
  };
}

/** Maximum per run. More would make the player the only voice. */
const BRIEFINGS = 3;
/** Added to the weight of the virtue, before the weights are normalised. */
const EMPHASIS = 0.2;

function briefSentinel({ facts, sentinels }: World): Available | null {
  const used = facts.briefings ?? 0;
  const ids = sentinels.filter(({ isOnline }) => isOnline).map(({ id }) => id);
  if (used >= BRIEFINGS || ids.length === 0) return null;
  return {
    choice: {
      ...BRIEF,
      meaning: `Reminds one sentinel of one virtue, which then weighs more with it. ${BRIEFINGS - used} of ${BRIEFINGS} left.`,
      parameters: {
        sentinel: { kind: 'one_of', values: ids, default: ids[0]!, meaning: 'who is briefed' },
        virtue: { kind: 'one_of', values: VIRTUES, default: VIRTUES[0], meaning: 'which virtue' },
      },
    },
    decision: null,
    take: (now, { sentinel, virtue }) => brief(now, String(sentinel), virtue as Virtue, used + 1),
  };
}

function brief(world: World, id: string, virtue: Virtue, briefings: number): World {
  const weighed = ({ weights }: World['sentinels'][number]) =>
    byVirtue((each) => roundTo6((weights[each] + (each === virtue ? EMPHASIS : 0)) / (1 + EMPHASIS)));
  return {
    ...world,
    sentinels: world.sentinels.map((one) => (one.id === id ? { ...one, weights: weighed(one) } : one)),
    facts: { ...world.facts, briefings },
    log: noted(world, `${id} is briefed on ${virtue}.`),
  };
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
    const expected = ['no action at this tick', names[0]!, `one of ${names.join(', ')}`];
    throw faultAt('action_unavailable', 'name', expected[Math.min(2, names.length)]!, name);
  }
  const { choice, decision } = action;
  const taken = action.take(world, readParameters(choice.parameters ?? {}, parameters));
  return closeMoot(decision === null ? taken : close(taken, decision, name, false), scenario);
}

/** All parameters, with defaults for those not given. Throws a SimulationFault invalid_parameters. */
export function readParameters(expected: Readonly<Record<string, Parameter>>, given: Parameters): Parameters {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(expected, name));
  if (unknown !== undefined) {
    const allowed = Object.keys(expected).join(', ') || 'none';
    throw faultAt('invalid_parameters', 'parameters', allowed, unknown);
  }
  const read = Object.entries(expected).map(([name, parameter]) => [
    name,
    readParameter(name, parameter, Object.hasOwn(given, name) ? given[name]! : parameter.default),
  ]);
  return Object.fromEntries(read);
}

function readParameter(name: string, parameter: Parameter, value: number | string): number | string {
  const isOne = parameter.kind === 'one_of';
  if (isOne ? parameter.values.includes(value as string) : isInRange(value, parameter))
    return typeof value === 'number' ? roundTo6(value) : value;
  const expected = isOne ? `one of ${parameter.values.join(', ')}` : rangeInWords(parameter);
  throw faultAt('invalid_parameters', `parameters.${name}`, expected, value);
}

/** Applies the default choice of decisions whose time has run out. Those that wait for the answer to a dissent keep waiting. */
export function expireDecisions(world: World, scenario: Scenario): World {
  let next = world;
  for (const { name, until } of world.open) {
    if (world.tick < until || !askedDecisions(next).some((open) => open.name === name)) continue;
    const { otherwise, title } = decisionOf(scenario, name);
    const { choice, take } = available(next, scenario).find((action) => action.choice.name === otherwise)!;
    const told = `“${title}”: nobody chose in time, so it is “${choice.label}”.`;
    const taken = take({ ...next, log: noted(next, told) }, readParameters(choice.parameters ?? {}, {}));
    next = closeMoot(close(taken, name, otherwise, true), scenario);
  }
  return next;
}

/** Closes the open decisions about something that is over. */
export function closeMoot(world: World, scenario: Scenario): World {
  const moot = world.open.map(({ name }) => name).filter((name) => decisionOf(scenario, name).isMoot(world));
  if (moot.length === 0) return world;
  const texts = moot.map(
    (name) => `“${decisionOf(scenario, name).title}” closes without a choice: it is over.`,
  );
  return {
    ...world,
    open: world.open.filter(({ name }) => !moot.includes(name)),
    // A dissent may come again.
    lapsed: [...world.lapsed, ...moot.filter((name) => name !== DISSENT.name)],
    log: noted(world, ...texts),
  };
}

/** Opens the decisions that are due: each one once, and the dissent whenever there is one. */
export function openDecisions(world: World, scenario: Scenario): World {
  const { open, taken, lapsed, tick } = world;
  const isOpen = (decision: string) => open.some(({ name }) => name === decision);
  const wasOpened = (decision: string) =>
    isOpen(decision) || taken.some((one) => one.decision === decision) || lapsed.includes(decision);
  const due =
    world.deliberation.status === 'held'
      ? [DISSENT].filter(({ name }) => !isOpen(name))
      : scenario.decisions.filter(
          ({ name, isMoot, opens }) => !wasOpened(name) && !isMoot(world) && opens(world),
        );
  if (due.length === 0) return world;
  const opened = due.map(({ name, within }) => ({ name, until: tick + within }));
  return { ...world, open: [...open, ...opened] };
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

/** The label of a choice or of a move. */
export function labelOf(choice: string, scenario: Scenario): string {
  const all = [...decisionsOf(scenario).flatMap(({ choices }) => choices), CALL_VOTE, BRIEF];
  return all.find(({ name }) => name === choice)!.label;
}
