import { formatCell } from '../../pipeline/artifacts/format/csv.ts';
import { SENTINEL_CATHEDRALS } from '../../pipeline/model/sentinel-profiles.ts';
import { endingOf } from './debrief.ts';
import { communityVirtues, inMic } from './economy.ts';
import { meanOpinion, polarisation, statusOf } from './opinions.ts';
import type { Run } from './run.ts';
import { textOf } from './scenario.ts';

/** The cells of a run that has ended, by column, in their order. docs/simulation.md describes each column. */
export function rowOf(run: Run): Readonly<Record<string, string>> {
  const { seed, actions, world, scenario } = run;
  const { tick, deliberation, economy, unchanged, risks, conditions, sentinels } = world;
  const { status, round, votes, dissent, dissenters } = deliberation;
  const vote = votes.at(-1);
  const bySentinel = (prefix: string, values: readonly (number | string)[]) =>
    Object.fromEntries(sentinels.map(({ id }, i) => [`${prefix}_${id}`, values[i]!]));
  const row = {
    seed: count(seed),
    choices: choicesOf(run),
    actions: JSON.stringify(actions),
    ending: world.ending,
    tick: count(tick),
    question: textOf(scenario.question, world),
    ...{ status, round: count(round), votes: count(votes.length) },
    ...{ support: count(vote?.support), oppose: count(vote?.oppose), abstain: count(vote?.abstain) },
    ...{ turnout: vote?.turnout, agreement: vote?.agreement, vote_result: vote?.result },
    ...{ dissent, dissenters: dissenters.join(' ') },
    mean_opinion: meanOpinion(world),
    polarisation: polarisation(world),
    total_supply: inMic(economy.total),
    circulating: inMic(economy.circulating),
    locked: inMic(economy.locked),
    burned: inMic(economy.burned),
    circulating_change: inMic(economy.circulating - unchanged.circulating),
    ...{ mii: economy.mii, threshold: economy.threshold, minting_active: String(economy.isMinting) },
    ...{ days_without_minting: count(economy.stopped), strain: economy.strain },
    ...{ risks_known: count(risks.known), risks_mitigated: count(risks.mitigated) },
    events: world.past.join(' '),
    ...prefixed(
      'multiplier',
      Object.fromEntries(SENTINEL_CATHEDRALS.map((name) => [name, economy.multipliers[name]])),
    ),
    ...prefixed('virtue', communityVirtues(world)),
    ...prefixed('effect', world.effects),
    ...prefixed('parameter', world.levers),
    ...bySentinel('status', sentinels.map(statusOf)),
    ...bySentinel('opinion', conditions.opinion),
    ...bySentinel('drift', conditions.drift),
    ...bySentinel('gi', conditions.gi),
    ...bySentinel('score', conditions.score),
    ...bySentinel('minted', conditions.minted.map(inMic)),
    sentences: JSON.stringify(sentencesOf(run)),
  };
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, formatCell(value ?? null, 'number')]),
  );
}

/** A whole number, which has no point in its column. */
function count(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Names that every language takes as a name. */
function prefixed(prefix: string, values: Readonly<Record<string, number | undefined>>) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}_${name.replaceAll('-', '_')}`, value]),
  );
}

/** As `--choices` takes it. A dissent is answered alike each time, so its answer is here once. */
function choicesOf({ world, actions }: Run): string {
  const chosen = world.taken.filter(({ isDefault }) => !isDefault);
  const pairs = chosen.flatMap(({ tick, decision, choice }) => {
    const { parameters } = actions.find((action) => action.tick === tick && action.name === choice)!;
    const values = Object.entries(parameters).map(([name, value]) => `${decision}.${name}=${value}`);
    return [`${decision}=${choice}`, ...values];
  });
  return pairs.length === 0 ? 'none' : [...new Set(pairs)].join(',');
}

/** Everything that the page says of the run. */
function sentencesOf({ world, scenario }: Run): string[] {
  const { title, claims, question } = endingOf(world, scenario);
  const happened = world.log.map(({ tick, text }) => `Day ${tick}: ${text}`);
  return [...happened, title, ...claims.map((claim) => textOf(claim, world)), question];
}
