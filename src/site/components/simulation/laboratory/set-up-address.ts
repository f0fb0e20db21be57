import {
  BATCH_LIMITS,
  EACH,
  ownLevers,
  type SetUp,
  type Sweep,
  seedCount,
  sweptRanges,
  type Variant,
  wholeSweep,
} from '../../../../simulation/laboratory/set-up.ts';
import { LEVERS, type Lever, type Settings } from '../../../../simulation/levers.ts';
import { AT_RANDOM, decisionsOf, type Plan, type Planned } from '../../../../simulation/plan.ts';
import { roundTo6 } from '../../../../simulation/round-to-6.ts';
import { SEEDS } from '../../../../simulation/run.ts';
import type { Parameter, Parameters } from '../../../../simulation/scenario.ts';
import { SCENARIOS, scenarioNamed } from '../../../../simulation/scenarios.ts';
import { VERSIONS } from '../../../../simulation/versions.ts';

/** What is wrong in an address, and what is used instead. */
export interface AddressFault {
  place: string;
  expected: string;
  found: string;
  used: string;
}

export interface ParsedAddress {
  setUp: SetUp;
  faults: AddressFault[];
  /** The scenario's version for which the link was made, if it is not this one. */
  otherVersion: string | null;
  /** Whether it names seeds: then its batch is to be played at once. */
  isComplete: boolean;
}

const KEPT = 'kept_';
const NAMES = new Set([
  'scenario',
  'v',
  'set',
  'plan',
  'seeds',
  'sweep',
  'compare',
  `${KEPT}set`,
  `${KEPT}plan`,
]);
/** Decimal notation, so that `1e3`, `0x10` and an empty text are no numbers. */
const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;

export function newSetUp(scenario: string): SetUp {
  const seeds = { from: 1, to: BATCH_LIMITS.seeds.start };
  return { scenario, settings: {}, plan: {}, seeds, sweep: null, compared: null };
}

/**
 * `?scenario=model_drift&v=e48b48bc&set=quorum+0.5&plan=detection+audit&seeds=1-200&sweep=reach+0.05+2+7`. Each `set` is a parameter that
 * differs from the scenario's own, each `plan` a decision with its choice and parameters, or `at_random`. `sweep=each` sweeps all. A
 * comparison follows as `kept_set` and `kept_plan`, or as `compare=own` if it has neither. An address without seeds sets a batch up but does
 * not play it.
 */
export function formatSetUpAddress(setUp: SetUp, { withSeeds = true } = {}): string {
  const { scenario, settings, plan, seeds, sweep, compared } = setUp;
  const kept = compared ? variantOf(compared).map(([name, value]) => [KEPT + name, value]) : [];
  const swept =
    sweep === EACH ? EACH : sweep && [sweep.parameter, sweep.from, sweep.to, sweep.values].join(' ');
  return `?${new URLSearchParams([
    ['scenario', scenario],
    ['v', VERSIONS[scenario]!],
    ...variantOf({ settings, plan }),
    ...(withSeeds
      ? [['seeds', seeds.from === seeds.to ? `${seeds.from}` : `${seeds.from}-${seeds.to}`]]
      : []),
    ...(swept ? [['sweep', swept]] : []),
    ...(compared && kept.length === 0 ? [['compare', 'own']] : (kept as string[][])),
  ])}`;
}

function variantOf({ settings, plan }: Variant): string[][] {
  return [
    ...Object.entries(settings).map(([name, value]) => ['set', `${name} ${value}`]),
    ...Object.entries(plan).map(([decision, planned]) => [
      'plan',
      planned === AT_RANDOM
        ? `${decision} ${AT_RANDOM}`
        : [decision, planned.choice, ...Object.entries(planned.parameters).flat()].join(' '),
    ]),
  ];
}

/** Uses what is valid, and says what is not. */
export function parseSetUpAddress(query: URLSearchParams): ParsedAddress {
  const faults: AddressFault[] = [];
  const refuse = (place: string, expected: string, found: string, used: string) =>
    void faults.push({ place, expected, found, used });
  for (const name of new Set(query.keys()))
    if (!NAMES.has(name)) refuse(name, `one of ${[...NAMES].join(', ')}`, name, 'It is ignored.');
  for (const name of ['scenario', 'v', 'seeds', 'sweep', 'compare'])
    if (query.getAll(name).length > 1)
      refuse(name, 'it once', `${query.getAll(name).length} times`, 'The first one is used.');
  const scenario = parseScenario(query.get('scenario'), refuse);
  const variant = (prefix: string): Variant => ({
    settings: parseSettings(scenario, query.getAll(`${prefix}set`), `${prefix}set`, refuse),
    plan: parsePlan(scenario, query.getAll(`${prefix}plan`), `${prefix}plan`, refuse),
  });
  const own = variant('');
  const seeds = parseSeeds(query.get('seeds'), refuse);
  const compare = query.get('compare');
  if (compare !== null && compare !== 'own') refuse('compare', 'own', compare, 'Nothing is compared.');
  const hasKept = query.has(`${KEPT}set`) || query.has(`${KEPT}plan`);
  const compared = hasKept ? variant(KEPT) : compare === 'own' ? { settings: {}, plan: {} } : null;
  const sweep = parseSweep({ scenario, plan: own.plan }, query.get('sweep'), refuse);
  const version = query.get('v');
  const isOther = version !== null && query.has('scenario') && version !== VERSIONS[scenario];
  return {
    setUp: { scenario, ...own, seeds, sweep, compared },
    faults,
    otherVersion: isOther ? version : null,
    isComplete: query.has('seeds'),
  };
}

type Refuse = (place: string, expected: string, found: string, used: string) => void;

function parseScenario(name: string | null, refuse: Refuse): string {
  const [first] = SCENARIOS;
  if (name === null) return first!.name;
  if (SCENARIOS.some((one) => one.name === name)) return name;
  const names = SCENARIOS.map((one) => one.name).join(', ');
  refuse('scenario', `one of ${names}`, name, `“${first!.title}” is used.`);
  return first!.name;
}

function parseSettings(scenario: string, texts: readonly string[], place: string, refuse: Refuse): Settings {
  const own = ownLevers(scenario);
  const settings: Partial<Record<Lever, number>> = {};
  for (const text of texts) {
    const [name = '', value = '', ...rest] = text.split(' ');
    if (!Object.hasOwn(LEVERS, name) || rest.length > 0) {
      refuse(
        place,
        `a parameter of the model and a number, like “${Object.keys(LEVERS)[0]} 0.5”`,
        text,
        'It is ignored.',
      );
      continue;
    }
    const { least, most } = LEVERS[name as Lever];
    const used = `The scenario’s own value, ${own[name as Lever]}, is used.`;
    const number = numberIn(value, least, most);
    if (number === null) refuse(`${place} ${name}`, `a number from ${least} to ${most}`, value, used);
    else if (number !== own[name as Lever]) settings[name as Lever] = number;
  }
  return settings;
}

function numberIn(text: string, least: number, most: number): number | null {
  if (!NUMBER.test(text)) return null;
  const value = roundTo6(Number(text));
  return value >= least && value <= most ? value : null;
}

function parsePlan(scenario: string, texts: readonly string[], place: string, refuse: Refuse): Plan {
  const decisions = decisionsOf(scenarioNamed(scenario));
  const plan: Record<string, Planned | typeof AT_RANDOM> = {};
  for (const text of texts) {
    const [name = '', chosen = '', ...given] = text.split(' ');
    const decision = decisions.find((one) => one.name === name);
    if (!decision) {
      const names = decisions.map((one) => one.name).join(', ');
      refuse(place, `one of the decisions ${names}, then a choice`, text, 'It is ignored.');
      continue;
    }
    if (chosen === AT_RANDOM) {
      plan[name] = AT_RANDOM;
      continue;
    }
    const choice = decision.choices.find((one) => one.name === chosen);
    if (!choice) {
      const names = [...decision.choices.map((one) => one.name), AT_RANDOM].join(', ');
      refuse(`${place} ${name}`, `one of ${names}`, chosen, 'Nobody chooses.');
      continue;
    }
    const parameters = parseParameters(choice.parameters ?? {}, given, `${place} ${name} ${chosen}`, refuse);
    plan[name] = { choice: chosen, parameters };
  }
  return plan;
}

function parseParameters(
  known: Readonly<Record<string, Parameter>>,
  given: readonly string[],
  place: string,
  refuse: Refuse,
): Parameters {
  const values: Record<string, number | string> = Object.fromEntries(
    Object.entries(known).map(([name, about]) => [name, about.default]),
  );
  for (let at = 0; at < given.length; at += 2) {
    const [name, value = ''] = [given[at]!, given[at + 1]];
    const about = Object.hasOwn(known, name) ? known[name]! : null;
    if (about === null) {
      const names = Object.keys(known);
      const expected = names.length === 0 ? 'no parameters' : `one of ${names.join(', ')}`;
      refuse(place, expected, name, 'It is ignored.');
      continue;
    }
    const number = about.kind === 'number' ? numberIn(value, about.minimum, about.maximum) : null;
    if (number !== null) values[name] = number;
    else if (about.kind === 'one_of' && about.values.includes(value)) values[name] = value;
    else refuse(`${place} ${name}`, parameterRange(about), value, `The default, ${about.default}, is used.`);
  }
  return values;
}

function parameterRange(about: Parameter): string {
  if (about.kind === 'one_of') return `one of ${about.values.join(', ')}`;
  return `a number from ${about.minimum} to ${about.maximum}`;
}

const WHOLE = /^\d{1,10}$/;

function parseSeeds(text: string | null, refuse: Refuse): SetUp['seeds'] {
  const { most, start } = BATCH_LIMITS.seeds;
  if (text === null) return { from: 1, to: start };
  const [first = '', last = first, ...rest] = text.split('-');
  const [from, to] = [Number(first), Number(last)];
  const areSeeds = [first, last].every((one) => WHOLE.test(one) && Number(one) < SEEDS);
  if (!areSeeds || rest.length > 0 || to < from) {
    const expected = `whole numbers from 0 to ${SEEDS - 1}, the first and the last, like “1-${start}”`;
    refuse('seeds', expected, text, `Seeds 1 to ${start} are used.`);
    return { from: 1, to: start };
  }
  if (seedCount({ seeds: { from, to } }) > most) {
    refuse('seeds', `at most ${most} seeds`, text, `Seeds ${from} to ${from + most - 1} are used.`);
    return { from, to: from + most - 1 };
  }
  return { from, to };
}

function parseSweep(
  about: Pick<SetUp, 'scenario' | 'plan'>,
  text: string | null,
  refuse: Refuse,
): SetUp['sweep'] {
  if (text === null) return null;
  if (text === EACH) return EACH;
  const [parameter = '', ...given] = text.split(' ');
  const range = sweptRanges(about).find((one) => one.parameter === parameter);
  if (!range) {
    const expected = `“${EACH}”, a parameter of the model, or decision.parameter of a choice in the plan`;
    refuse('sweep', expected, text, 'Nothing is swept.');
    return null;
  }
  return parseSweepValues(range, given, refuse);
}

function parseSweepValues(
  { parameter, least, most }: { parameter: string; least: number; most: number },
  given: readonly string[],
  refuse: Refuse,
): Sweep {
  const { start } = BATCH_LIMITS.values;
  const whole = wholeSweep({ parameter, least, most });
  if (given.length === 0) return whole;
  const [from, to] = [given[0] ?? '', given[1] ?? ''].map((one) => numberIn(one, least, most));
  const values = given[2] === undefined ? start : Number(given[2]);
  const fits =
    Number.isInteger(values) && values >= BATCH_LIMITS.values.least && values <= BATCH_LIMITS.values.most;
  if (from == null || to == null || to <= from || !fits || given.length > 3) {
    const counts = `${BATCH_LIMITS.values.least} to ${BATCH_LIMITS.values.most}`;
    const expected = `two rising numbers from ${least} to ${most}, and ${counts} values`;
    refuse(`sweep ${parameter}`, expected, given.join(' '), 'Its whole range is used.');
    return whole;
  }
  return { parameter, from, to, values };
}
