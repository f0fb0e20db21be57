import { beforeAll, describe, expect, test } from 'vitest';
import { AFTERMATH, advance, forecast } from '../../src/simulation/advance.ts';
import { available, decisionOf, takeAction } from '../../src/simulation/decisions.ts';
import { type Draws, drawsOf } from '../../src/simulation/draws.ts';
import { LEVER_NAMES, LEVERS, type Lever, readSettings, type Settings } from '../../src/simulation/levers.ts';
import { meanOpinion } from '../../src/simulation/opinions.ts';
import { OUTLOOK_TICKS, prospectOf } from '../../src/simulation/outlooks.ts';
import {
  hazardOf,
  isDecided,
  type Scenario,
  type ScenarioEvent,
  textOf,
} from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import type { World } from '../../src/simulation/world.ts';
import { type Ends, type Everything, everyWay, type Fork, variantsOf } from './every-way.ts';

/** Other seeds than those that the numbers of the scenarios were chosen with: `FIRST_SEED=1001`. */
const FIRST_SEED = Number(process.env.FIRST_SEED ?? 1);
const SEEDS = Array.from({ length: 20 }, (_, i) => FIRST_SEED + i);
/** Runs per seed in which something is done late, or not at all, and votes are called and sentinels briefed. */
const LATE_RUNS = 100;
/** Bounds of the probability of an ending for someone who chooses at random. */
const [RAREST, COMMONEST] = [0.03, 0.45];

describe.each(SCENARIOS)('$name', (scenario) => {
  let walked: Everything[];
  let ends: World[];
  let seen: Seen;
  beforeAll(() => {
    ({ walked, ends, seen } = walkAll(scenario));
  });

  test('notes what happened and nothing else', () => expect([...seen.falseNotes]).toEqual([]));

  test('has short sentences of at most two numbers', () => expect([...seen.crowded]).toEqual([]));

  test('has no open decision about something that is over, and none that changes the text afterwards', () =>
    expect([...seen.late]).toEqual([]));

  test('ends soon after nothing more can happen', () => {
    const wrong = new Set<string>();
    for (const end of ends) {
      const { settled, tick } = end;
      const expected = settled === null ? scenario.horizon : Math.min(scenario.horizon, settled + AFTERMATH);
      if (tick !== expected) wrong.add(`ended at tick ${tick} instead of ${expected}`);
      const change = changeAfter(end, scenario);
      if (change) wrong.add(`${end.ending}: after tick ${tick} ${change}`);
    }
    expect([...wrong]).toEqual([]);
  });

  test('ends in each of its ways by the player’s choices', () => {
    const shares = mean(walked.map((one) => one.ends));
    for (const { name } of scenario.endings) {
      expect(shares[name] ?? 0, `the share of ${name}`).toBeGreaterThanOrEqual(RAREST);
      expect(shares[name] ?? 0, `the share of ${name}`).toBeLessThanOrEqual(COMMONEST);
    }
  });

  test('has choices and values of which each changes the ending or a measure', () => {
    expect(
      idle(
        scenario,
        walked.flatMap(({ forks }) => forks),
      ),
    ).toEqual([]);
  });

  test('ends otherwise with another seed, often enough', () => {
    const byWay = new Map<string, string[]>();
    for (const { steps, end } of walked.flatMap(({ ways }) => ways)) {
      const key = JSON.stringify(steps);
      byWay.set(key, [...(byWay.get(key) ?? []), end.ending!]);
    }
    const common = [...byWay.values()].filter((endings) => endings.length >= SEEDS.length / 2);
    const mixed = common.filter((endings) => new Set(endings).size > 1);
    expect(mixed.length / common.length).toBeGreaterThan(0.2);
  });

  test('forecasts what its futures are', () => {
    for (const { decision, before } of firstOf(walked[0]!.forks))
      for (const action of available(before, scenario).filter((one) => one.decision === decision))
        for (const parameters of variantsOf(action.choice)) {
          const { outlook } = prospectOf(before, scenario, action, parameters);
          const taken = takeAction(before, { name: action.choice.name, parameters }, scenario);
          const futures = Array.from({ length: outlook.runs }, (_, future) =>
            forecast(taken, scenario, OUTLOOK_TICKS, future),
          );
          const means = futures.map(meanOpinion);
          expect(outlook.minting).toBe(futures.filter(({ economy }) => economy.isMinting).length);
          expect(outlook.mean_opinion).toMatchObject({ low: Math.min(...means), high: Math.max(...means) });
          const statuses = futures.map(({ deliberation }) => deliberation.status);
          for (const [status, count] of Object.entries(outlook.deliberation))
            expect(statuses.filter((one) => one === status).length).toBe(count);
        }
  });
});

/** What was wrong on the way. */
interface Seen {
  falseNotes: Set<string>;
  late: Set<string>;
  crowded: Set<string>;
}

function walkAll(scenario: Scenario): { walked: Everything[]; ends: World[]; seen: Seen } {
  const seen: Seen = { falseNotes: new Set(), late: new Set(), crowded: new Set() };
  const see = (world: World) => {
    checkDecisions(world, scenario, seen.late);
    checkTexts(world, scenario, seen.crowded);
  };
  const walked = SEEDS.map((seed) => everyWay(scenario, seed, see));
  const late = SEEDS.flatMap((seed) =>
    Array.from({ length: LATE_RUNS }, (_, run) => lateRun(scenario, seed, run, see)),
  );
  for (const { forks } of walked) for (const fork of forks) checkText(fork, seen.late);
  const ends = [...walked.flatMap(({ ways }) => ways.map(({ end }) => end)), ...late];
  for (const end of ends) checkNotes(end, scenario, seen.falseNotes);
  return { walked, ends, seen };
}

/** Run 0 is the one in which nobody chooses; in the others some things are done, most of them late, and in a third the player has set a lever. */
function lateRun(scenario: Scenario, seed: number, run: number, see: (world: World) => void): World {
  const draw = drawsOf(seed, run, 7);
  let world = startWorld(scenario, seed, run % 3 === 2 ? settingsBy(draw) : {});
  while (world.ending === null) {
    const all = available(world, scenario);
    if (run > 0 && all.length > 0 && draw() < 0.2) {
      const { choice } = all[Math.floor(draw() * all.length)]!;
      const values = variantsOf(choice);
      const parameters = values[Math.floor(draw() * values.length)]!;
      world = takeAction(world, { name: choice.name, parameters }, scenario);
      see(world);
    }
    world = advance(world, scenario, seed);
    see(world);
  }
  return world;
}

/** One lever or two, each at an end of its range or anywhere between. */
function settingsBy(draw: Draws): Settings {
  const names = Array.from(
    { length: draw() < 0.5 ? 1 : 2 },
    () => LEVER_NAMES[Math.floor(draw() * LEVER_NAMES.length)]!,
  );
  const valueFor = (name: Lever) => {
    const { least, most } = LEVERS[name];
    const share = draw();
    return share < 0.25 ? least : share < 0.5 ? most : least + draw() * (most - least);
  };
  return readSettings(Object.fromEntries(names.map((name) => [name, valueFor(name)])));
}

function endingOf({ endings }: Scenario, { ending }: World) {
  return endings.find(({ name }) => name === ending)!;
}

function checkDecisions(world: World, scenario: Scenario, late: Set<string>): void {
  for (const { name } of world.open)
    if (name !== 'dissent' && decisionOf(scenario, name).isMoot?.(world))
      late.add(`${name} is open though it is moot`);
  if (world.deliberation.status !== 'held') return;
  for (const { decision } of available(world, scenario))
    if (decision !== 'dissent' && decision !== null)
      late.add(`${decision} can be decided while a dissent waits`);
}

/** Numbers in figures: `1.5`, `3,000`; not those in names. */
const NUMBER = /(?<![\w-])\d+(?:[.,]\d+)*/g;

/** A missing value, an amount of nothing, and a plural with a singular. */
const CARELESS = /undefined|NaN|\b0 MIC|[A-Z] and [A-Z]+ had .* and is /;

function checkTexts(world: World, scenario: Scenario, crowded: Set<string>): void {
  const { open, ending, log, tick } = world;
  const decisions = open
    .filter(({ name }) => name !== 'dissent')
    .map(({ name }) => decisionOf(scenario, name));
  const texts = [
    scenario.question,
    ...decisions.flatMap(({ prompt, choices }) => [prompt, ...choices.map(({ meaning }) => meaning)]),
    ...(ending === null ? [] : endingOf(scenario, world).claims),
    ...log.filter((entry) => entry.tick === tick).map(({ text }) => text),
  ];
  for (const text of texts)
    for (const sentence of textOf(text, world).split(/(?<=[.?!:]) /))
      if (
        (sentence.match(NUMBER)?.length ?? 0) > 2 ||
        sentence.split(' ').length > 35 ||
        CARELESS.test(sentence)
      )
        crowded.add(sentence);
}

/** After the deliberation, a choice may change the world but not the text that was voted on. On what was imposed, nobody voted. */
function checkText({ decision, before, branches }: Fork, late: Set<string>): void {
  if (!isDecided(before) || before.deliberation.status === 'imposed') return;
  for (const { choice, after } of branches)
    if (after.effects !== before.effects || after.stakes !== before.stakes)
      late.add(`${decision}: ${choice} changes the text after ${before.deliberation.status}`);
}

const NOTED_AT_END = {
  'The proposal is adopted.': ['adopted'],
  'The proposal is adopted, with a dissent on record.': ['adopted_with_dissent'],
  'The proposal is in force without a vote.': ['imposed'],
  'The proposal is rejected.': ['rejected'],
  'Time has run out: the proposal lapses without a decision.': ['lapsed'],
};

function checkNotes(end: World, { events = [] }: Scenario, wrong: Set<string>): void {
  const noted = new Set(end.log.map(({ text }) => text));
  for (const [note, statuses] of Object.entries(NOTED_AT_END))
    if (noted.has(note) !== statuses.includes(end.deliberation.status))
      wrong.add(`${note} (${end.deliberation.status})`);
  for (const { name, change } of events) {
    const told = typeof change === 'function' ? undefined : change.told;
    if (told !== undefined && noted.has(told) !== end.past.includes(name)) wrong.add(told);
  }
  for (const { text } of end.log) if (/undefined|NaN|null|Infinity/.test(text)) wrong.add(text);
}

/** Whatever may happen does. */
function certain(event: ScenarioEvent): (world: World) => number {
  return (world) => (hazardOf(event, world) > 0 ? 1 : 0);
}

/** What could happen if the run went on to its horizon. */
function changeAfter(end: World, scenario: Scenario): string | null {
  const events = (scenario.events ?? []).map((event) => ({ ...event, hazard: certain(event) }));
  const open = { ...scenario, events, isSettled: () => false };
  let world: World = { ...end, ending: null, settled: null };
  while (world.ending === null) {
    if (world.tick >= scenario.horizon) return null;
    world = advance(world, open, 1);
    if (world.past.length > end.past.length) return `${world.past.at(-1)} happens`;
    if (world.open.length > 0) return `${world.open[0]!.name} opens`;
  }
  return world.ending === end.ending ? null : `it ends with ${world.ending}`;
}

function mean(all: readonly Ends[]): Ends {
  const sums: Record<string, number> = {};
  for (const ends of all)
    for (const [ending, share] of Object.entries(ends))
      sums[ending] = (sums[ending] ?? 0) + share / all.length;
  return sums;
}

/** The first fork of each decision. */
function firstOf(forks: readonly Fork[]): Fork[] {
  return [...new Map(forks.toReversed().map((fork) => [fork.decision, fork])).values()];
}

/** Choices, or values of one, that end alike wherever they are taken. */
function idle({ decisions }: Scenario, forks: readonly Fork[]): string[] {
  return decisions.flatMap(({ name, choices }) => {
    const own = forks.filter(({ decision }) => decision === name);
    const variants = choices.flatMap((choice) =>
      variantsOf(choice).map((parameters) => ({ choice: choice.name, parameters })),
    );
    return variants.flatMap((one, i) =>
      variants
        .slice(i + 1)
        .filter((other) => !own.some((fork) => differs(fork, one, other)))
        .map((other) => `${JSON.stringify(one)} = ${JSON.stringify(other)}`),
    );
  });
}

type Variant = Pick<Fork['branches'][number], 'choice' | 'parameters'>;

function differs({ branches }: Fork, one: Variant, other: Variant): boolean {
  const [a, b] = [one, other].map(({ choice, parameters }) =>
    branches.find(
      (branch) =>
        branch.choice === choice && JSON.stringify(branch.parameters) === JSON.stringify(parameters),
    ),
  );
  return a !== undefined && b !== undefined && JSON.stringify(a.ends) !== JSON.stringify(b.ends);
}
