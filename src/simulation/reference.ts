import { formatTable } from '../../pipeline/artifacts/data-dictionary.ts';
import { SENTINEL_PROFILES, type SentinelId } from '../../pipeline/model/sentinel-profiles.ts';
import { applyChange, changeOf } from './change.ts';
import { available } from './decisions.ts';
import { LEVERS } from './levers.ts';
import { AT_RANDOM, playPlan } from './plan.ts';
import { roundTo6 } from './round-to-6.ts';
import { type Run, replay, startRun } from './run.ts';
import { type Choice, hazardOf, rangeInWords, type Scenario, textOf } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { startWorld, WEIGHTS } from './start-world.ts';
import { VIRTUES, type World } from './world.ts';

/** docs/simulation-reference.md: every number of the model that the equations need. */
export function formatSimulationReference(): string {
  return `${[
    '# The numbers of the simulation',
    'These are the numbers that the engine uses: this page is generated from the scenarios, by `npm run dictionary`. [The governance simulation](simulation.md) has the equations.',
    'A change is given by the names of `Change` in `src/simulation/change.ts`: what the choice does at once, with its default parameters, at the first moment at which a run offers it. Effects, stakes, strain, risks and rounds are added, and effects and stakes stay between −1 and 1; the rest is set. Burn and unlock are shares of what circulates or is locked. Facts matter later. Where a change depends on the state, the meaning of the choice says how. The probability of an event is that of a tick in which its condition holds; a range comes from the runs that were tried.',
    ...scenarioList(),
    ...parameterParts(),
    ...sentinelParts(),
    ...SCENARIOS.flatMap(scenarioParts),
  ].join('\n\n')}\n`;
}

function scenarioList(): string[] {
  const rows = SCENARIOS.map((scenario) => [
    `\`${scenario.name}\``,
    textOf(scenario.question, startWorld(scenario, 1)),
    scenario.endings.map(({ name }) => `\`${name}\``).join(', '),
  ]);
  return ['## Scenarios', table(['scenario', 'the question', 'its endings'], rows)];
}

function parameterParts(): string[] {
  const rows = Object.entries(LEVERS).map(([name, { least, most, start, meaning }]) => [
    `\`${name}\``,
    ...[least, most, start, meaning],
  ]);
  return ['## Parameters', table(['name', 'minimum', 'maximum', 'default', 'what it is'], rows)];
}

function sentinelParts(): string[] {
  const { sentinels } = startRun(SCENARIOS[0]!.name, 0).world;
  return [
    '## Sentinels',
    'The weights are those of the role. The seed changes each by at most 0.02 before they are scaled to sum to 1, and gives each sentinel a temper; `model.sentinels` of an update has the values of the run.',
    table(
      ['sentinel', 'cathedral', ...VIRTUES, 'stubbornness'],
      sentinels.map((one) => [one.id, one.cathedral, ...WEIGHTS[one.id as SentinelId], one.stubbornness]),
    ),
    'What each maintains, for the score, and its usual drift and `gi`:',
    table(
      ['sentinel', 'apps', 'packages', 'workflows', 'usual drift', 'usual gi'],
      Object.entries(SENTINEL_PROFILES).map(([id, one]) => {
        const { apps, packages, workflows, drift, gi } = one;
        return [id, apps, packages, workflows, drift, gi];
      }),
    ),
  ];
}

function scenarioParts(scenario: Scenario): string[] {
  const { name, title, rounds, roundTicks, horizon, effects, stakes = {}, start } = scenario;
  const seen = explore(scenario);
  const parts = [
    `## ${title}`,
    `\`${name}\`: ${rounds} rounds of ${roundTicks} ticks, at most ${horizon} ticks.`,
    table(
      ['effect on', ...VIRTUES],
      [['the proposal as it is at the start', ...VIRTUES.map((virtue) => effects[virtue] ?? 0)]],
    ),
    `What differs from the defaults at the start: ${sayChange({ stakes, ...start }).join('; ')}.`,
    table(
      ['decision', 'choice', 'meaning', 'changes'],
      scenario.decisions.flatMap((decision) =>
        decision.choices.map((choice) => [
          `\`${decision.name}\`: ${decision.title}`,
          `\`${choice.name}\`${rangesOf(choice)}`,
          seen.choices.get(choice.name)?.meaning ?? '',
          seen.choices.get(choice.name)?.changes ?? 'not offered in the runs that were tried',
        ]),
      ),
    ),
    table(
      ['event', 'probability per tick', 'what is told'],
      [...seen.events].map(([event, { low, high, told }]) => [
        `\`${event}\``,
        low === high ? low : `${low} to ${high}`,
        told,
      ]),
    ),
  ];
  return parts.filter((part) => part !== '');
}

/** `, \`cycles\` a whole number from 1 to 14` */
function rangesOf({ parameters = {} }: Choice): string {
  const ranges = Object.entries(parameters).map(([name, about]) => `, \`${name}\` ${rangeInWords(about)}`);
  return ranges.join('');
}

interface Seen {
  choices: Map<string, { meaning: string; changes: string }>;
  events: Map<string, { low: number; high: number; told: string }>;
}

/** Enough for every choice to be offered and every event to happen, which a test checks. */
const TRIES = 75;

/** Plays runs with choices at random, and notes what it sees. */
function explore({ name: scenario, decisions }: Scenario): Seen {
  const seen: Seen = { choices: new Map(), events: new Map() };
  const plan = Object.fromEntries(decisions.map(({ name }) => [name, AT_RANDOM] as const));
  for (let seed = 0; seed < TRIES; seed += 1) {
    const { actions, world } = playPlan(scenario, seed, {}, plan);
    replay({ scenario, seed, actions, tick: world.tick }, (run) => note(run, seen));
  }
  return seen;
}

function note({ world, scenario }: Run, { choices, events }: Seen): void {
  const offered = available(world, scenario).map(({ choice }) => choice.name);
  for (const choice of scenario.decisions.flatMap((decision) => decision.choices))
    if (offered.includes(choice.name) && !choices.has(choice.name))
      choices.set(choice.name, { meaning: textOf(choice.meaning, world), changes: changesOf(choice, world) });
  for (const event of scenario.events) {
    if (!event.when(world)) continue;
    const probability = roundTo6(hazardOf(event, world));
    const { low = 1, high = 0, told } = events.get(event.name) ?? {};
    events.set(event.name, {
      low: Math.min(probability, low),
      high: Math.max(probability, high),
      told: told || (changeOf(event.change, world).told ?? ''),
    });
  }
}

function changesOf({ change = {}, parameters = {} }: Choice, world: World): string {
  const given = Object.entries(parameters).map(([name, about]) => [name, about.default] as const);
  const made = changeOf(change, world, Object.fromEntries(given));
  const follows = made.follows ? changeOf(made.follows, applyChange(world, made)) : {};
  const values = given.map(([name, value]) => `with ${name} ${value}: `);
  const depends = made.follows || (typeof change === 'function' && given.length === 0);
  const said = [made, follows].flatMap((one) => sayChange(one)).join('; ') || 'nothing';
  return `${values.join('')}${said}${depends ? ' (depends on the state)' : ''}`;
}

/** A change by the names of its members: `effects justice −0.1`. */
function sayChange(change: object): string[] {
  return Object.entries(change).flatMap(([name, value]) => {
    if (name === 'told' || name === 'follows') return [];
    if (typeof value === 'object') return sayChange(value).map((inner) => `${name} ${inner}`);
    return [`${name} ${typeof value === 'number' ? String(roundTo6(value)).replace('-', '−') : value}`];
  });
}

/** A table in Markdown; nothing for no rows. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return rows.length === 0
    ? ''
    : formatTable(
        head,
        rows.map((cells) => cells.map(String)),
      ).join('\n');
}
