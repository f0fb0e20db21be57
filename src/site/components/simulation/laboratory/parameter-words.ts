import { capitalise, formatToken } from '../../../../../pipeline/words/phrase.ts';
import type { SetUp } from '../../../../simulation/laboratory/set-up.ts';
import type { Lever } from '../../../../simulation/levers.ts';
import { AT_RANDOM, decisionsOf } from '../../../../simulation/plan.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';

export const LEVER_GROUPS = {
  opinions: 'How opinions form',
  votes: 'How the vote is decided',
  integrity: 'How integrity is lost and regained',
  money: 'How MIC moves',
} as const;

/** Where the page shows each lever. A new one has to be put somewhere. */
export const GROUP_OF: Readonly<Record<Lever, keyof typeof LEVER_GROUPS>> = {
  interest: 'opinions',
  lure: 'opinions',
  stubbornness: 'opinions',
  kinship: 'opinions',
  reach: 'opinions',
  quorum: 'votes',
  consensus: 'votes',
  contagion: 'integrity',
  recovery: 'integrity',
  strain_rate: 'integrity',
  mending: 'integrity',
  patience: 'integrity',
  mint_share: 'money',
  lock_share: 'money',
  unlock_rate: 'money',
  burn_rate: 'money',
};

/** `mint_share` → `Mint share`; `terms.ceiling` → `Ceiling (The terms)`. */
export function parameterTitle(scenario: string, parameter: string): string {
  const [first, key] = parameter.split('.') as [string, string | undefined];
  if (key === undefined) return capitalise(formatToken(first));
  const decision = decisionsOf(scenarioNamed(scenario)).find(({ name }) => name === first)!;
  return `${capitalise(formatToken(key))} (${decision.title})`;
}

/** The set-up as sentences, so that a print or a screenshot of the results says what was played. */
export function describeSetUp(setUp: SetUp): string[] {
  const { seeds } = setUp;
  const played = seeds.from === seeds.to ? `Seed ${seeds.from}.` : `Seeds ${seeds.from} to ${seeds.to}.`;
  return [played, ...describeVariant(setUp)];
}

export function describeVariant({
  scenario,
  settings,
  plan,
}: Pick<SetUp, 'scenario' | 'settings' | 'plan'>): string[] {
  const changed = Object.entries(settings).map(([name, value]) => `${formatToken(name)} ${value}`);
  const decisions = decisionsOf(scenarioNamed(scenario));
  const chosen = decisions.flatMap(({ name, title, choices }) => {
    const planned = plan[name];
    if (!planned) return [];
    if (planned === AT_RANDOM) return [`${title}: at random`];
    const { label } = choices.find((choice) => choice.name === planned.choice)!;
    const given = Object.entries(planned.parameters).map(([key, value]) => `${formatToken(key)} ${value}`);
    return [`${title}: ${label}${given.length > 0 ? ` (${given.join(', ')})` : ''}`];
  });
  const isAllRandom = decisions.every(({ name }) => plan[name] === AT_RANDOM);
  const rest = chosen.length === decisions.length ? '' : ' Nobody chooses the rest.';
  return [
    changed.length > 0
      ? `Changed parameters: ${changed.join('; ')}.`
      : 'All parameters are the scenario’s own.',
    isAllRandom
      ? 'Every decision is taken at random.'
      : chosen.length > 0
        ? `${chosen.join('; ')}.${rest}`
        : 'Nobody chooses: each decision goes by its default.',
  ];
}
