import { SENTINEL_PROFILES, type SentinelId } from '../../pipeline/model/sentinel-profiles.ts';
import { applyChange, type Change, changeOf } from './change.ts';
import { type Available, askedDecisions, available, DISSENT, decisionOf } from './decisions.ts';
import { LEVER_NAMES, LEVERS } from './levers.ts';
import { roundTo6 } from './round-to-6.ts';
import { actInRun, type Run, startRun, stepRun } from './run.ts';
import { type Choice, hazardOf, type Scenario, type ScenarioEvent, textOf } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { WEIGHTS } from './start-world.ts';
import { VIRTUES, type World } from './world.ts';

/** docs/simulation-reference.md: every number of the model that the equations need. */
export function formatSimulationReference(): string {
  return `${[
    '# The numbers of the simulation',
    'These are the numbers that the engine uses: `npm run dictionary` generates this page from the scenarios. [The governance simulation](simulation.md) has the equations.',
    ...sentinelParts(),
    ...SCENARIOS.flatMap(scenarioParts),
  ].join('\n\n')}\n`;
}

function sentinelParts(): string[] {
  const { sentinels } = startRun(SCENARIOS[0]!.name, 0).world;
  return [
    '## Sentinels',
    'The weights are those of the role. The seed changes each by at most 0.02 before they are scaled to sum to 1, and gives each sentinel a temper; `model.sentinels` of an update has the values of the run.',
    table(
      ['sentinel', 'cathedral', ...VIRTUES, 'stubbornness'],
      sentinels.map(({ id, cathedral, stubbornness }) => [
        id,
        cathedral,
        ...WEIGHTS[id as SentinelId],
        stubbornness,
      ]),
    ),
    'What each maintains, for the score, and its usual drift and `gi`:',
    table(
      ['sentinel', 'apps', 'packages', 'workflows', 'usual drift', 'usual gi'],
      Object.entries(SENTINEL_PROFILES).map(([id, { apps, packages, workflows, drift, gi }]) => [
        id,
        apps,
        packages,
        workflows,
        drift,
        gi,
      ]),
    ),
  ];
}

function scenarioParts(scenario: Scenario): string[] {
  const { name, title, rounds, roundTicks, horizon, effects, stakes = {} } = scenario;
  const { world } = startRun(name, 0);
  const seen = explore(scenario);
  const levers = LEVER_NAMES.filter((lever) => world.levers[lever] !== LEVERS[lever].start);
  const special = world.sentinels.flatMap(({ id, pressure, trust }, i) => [
    ...(pressure === 0 ? [] : [`pressure of ${id} ${pressure}`]),
    ...(trust === 1 ? [] : [`trust of ${id} ${trust}`]),
    ...(world.conditions.drift[i] === world.sentinels[i]!.usualDrift
      ? []
      : [`drift of ${id} ${world.conditions.drift[i]}`]),
  ]);
  const events = [...seen.events.values()];
  return [
    `## ${title}`,
    `\`${name}\`: ${rounds} rounds of ${roundTicks} ticks, at most ${horizon} ticks.`,
    table(
      ['effect on', ...VIRTUES],
      [['the proposal as it is at the start', ...VIRTUES.map((virtue) => effects[virtue] ?? 0)]],
    ),
    `Stakes at the start: ${listOf(Object.entries(stakes).map(([cathedral, stake]) => `${cathedral} ${stake}`))}. Parameters that differ from their default: ${listOf(levers.map((lever) => `\`${lever}\` ${world.levers[lever]}`))}.${world.economy.strain === 0 ? '' : ` Strain: ${world.economy.strain}.`}${special.length === 0 ? '' : ` Sentinels: ${special.join(', ')}.`}`,
    'What each choice changes at once, with its default parameters, at the first moment at which a run offered it. Effects and stakes stay between −1 and 1. What the change depends on is in its meaning.',
    table(
      ['decision', 'choice', 'meaning', 'changes'],
      scenario.decisions.flatMap((decision) =>
        decision.choices.map((choice) => {
          const found = seen.choices.get(choice.name);
          return [
            `\`${decision.name}\`: ${decision.title}`,
            `\`${choice.name}\`${rangesOf(choice)}`,
            found?.meaning ?? (typeof choice.meaning === 'string' ? choice.meaning : ''),
            found?.changes ?? 'not offered in the runs that were tried',
          ];
        }),
      ),
    ),
    ...(events.length === 0
      ? []
      : [
          'Events, each with its probability in a tick in which its condition holds; a range is that of the runs that were tried:',
          table(
            ['event', 'probability per tick', 'what is told'],
            events.map(({ event, low, high, told }) => [
              `\`${event.name}\``,
              low === high ? low : `${low} to ${high}`,
              told,
            ]),
          ),
        ]),
  ];
}

/** `, \`cycles\` 1 to 14` */
function rangesOf({ parameters = {} }: Choice): string {
  return Object.entries(parameters)
    .map(([name, about]) => {
      return `, \`${name}\` ${about.minimum} to ${about.maximum}`;
    })
    .join('');
}

function listOf(parts: readonly string[]): string {
  return parts.length === 0 ? 'none' : parts.join(', ');
}

interface SeenEvent {
  event: ScenarioEvent;
  low: number;
  high: number;
  told: string;
}

interface Seen {
  choices: Map<string, { meaning: string; changes: string }>;
  events: Map<string, SeenEvent>;
}

/** Enough for every choice to be offered and every event to happen, which a test checks. */
const TRIES = 75;

/** Plays runs with other choices each, in a fixed order, and notes what it sees. */
function explore(scenario: Scenario): Seen {
  const seen: Seen = { choices: new Map(), events: new Map() };
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    let run = startRun(scenario.name, attempt);
    for (let at = 0; run.world.ending === null; at += 1) {
      note(run, seen);
      const open = askedDecisions(run.world)[0];
      const choices = available(run.world, scenario).filter(({ decision }) => decision === open?.name);
      // Digits of the attempt choose, so that every combination of the first decisions occurs; one place in the list is doing nothing.
      const pick = Math.floor(attempt / 5 ** (at % 4)) % 5;
      const chosen = choices[pick];
      run = chosen
        ? actInRun(run, chosen.choice.name, {})
        : stepRun(run, open ? open.until - run.world.tick : 1);
    }
  }
  return seen;
}

function note({ world, scenario }: Run, { choices, events }: Seen): void {
  for (const action of available(world, scenario)) {
    const { choice, decision } = action;
    if (decision === null || decision === DISSENT.name || choices.has(choice.name)) continue;
    choices.set(choice.name, {
      meaning: textOf(choice.meaning, world),
      changes: changesOf(action, world, scenario),
    });
  }
  for (const event of scenario.events) {
    if (!event.when(world)) continue;
    const probability = roundTo6(hazardOf(event, world));
    const known = events.get(event.name);
    const change = changeOf(event.change, world);
    events.set(event.name, {
      event,
      low: Math.min(probability, known?.low ?? 1),
      high: Math.max(probability, known?.high ?? 0),
      told: known?.told || (change.told ?? ''),
    });
  }
}

function changesOf({ choice, decision }: Available, world: World, scenario: Scenario): string {
  const { change = {} } = decisionOf(scenario, decision!).choices.find(({ name }) => name === choice.name)!;
  const about = choice.parameters ?? {};
  const given = Object.fromEntries(Object.entries(about).map(([name, one]) => [name, Number(one.default)]));
  const made = changeOf(change, world, given);
  const follows = made.follows ? changeOf(made.follows, applyChange(world, made)) : {};
  const values = Object.values(about).map(({ meaning, default: value }) => `with ${meaning} ${value}: `);
  const depends = made.follows || (typeof change === 'function' && values.length === 0);
  const said = [made, follows].flatMap(sayChange).join('; ') || 'nothing';
  return `${values.join('')}${said}${depends ? ' (depends on the state)' : ''}`;
}

function sayChange(change: Change): string[] {
  const each = (values: object | undefined, say: (name: string, value: number) => string) =>
    Object.entries(values ?? {}).flatMap(([name, value]) => (value === 0 ? [] : [say(name, value)]));
  const { effects, stakes, levers, multipliers, risks, facts, strain, rounds, status } = change;
  const sentinels = Object.entries(change.sentinels ?? {}).flatMap(([id, own]) =>
    Object.entries(own).map(([name, value]) =>
      typeof value === 'number' ? `${name} of ${id} → ${roundTo6(value)}` : `${id} ${name} ${value}`,
    ),
  );
  const moved = (['burn', 'lock', 'unlock'] as const).flatMap((what) =>
    change[what] ? [`${what} ${roundTo6(100 * change[what])} %`] : [],
  );
  return [
    ...(change.opposite ? ['every opinion x becomes 1 − x, and every temper changes its sign'] : []),
    ...each(levers, (name, value) => `\`${name}\` → ${roundTo6(value)}`),
    ...each(effects, (name, value) => `effect ${name} ${signed(value)}`),
    ...each(stakes, (name, value) => `stake ${name} ${signed(value)}`),
    ...each(multipliers, (name, value) => `M_c of ${name} → ${roundTo6(value)}`),
    ...sentinels,
    ...moved,
    ...(strain ? [`strain ${signed(strain)}`] : []),
    ...each(risks, (name, value) => `${name} risks ${signed(value)}`),
    ...(rounds ? [`rounds ${signed(rounds)}`] : []),
    ...(status ? [`the proposal is ${status}`] : []),
    ...(facts ? ['something is noted that counts later'] : []),
  ];
}

function signed(value: number): string {
  const rounded = roundTo6(value);
  return rounded < 0 ? `−${-rounded}` : `+${rounded}`;
}

/** A table in Markdown. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
