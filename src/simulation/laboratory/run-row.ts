import { inMic } from '../economy.ts';
import { LEVER_NAMES, LEVERS, type Levers } from '../levers.ts';
import { meanOpinion, polarisation } from '../opinions.ts';
import { AT_RANDOM, type Plan, playPlan } from '../plan.ts';
import type { Action } from '../run.ts';
import { isDecided, type Parameters } from '../scenario.ts';
import { VERSIONS } from '../versions.ts';
import type { Status, Vote, World } from '../world.ts';
import { ownLevers, type Part, partsOf, type SetUp } from './set-up.ts';

/** What is kept of a finished run. */
export interface RunRow {
  /** The place of its part among partsOf(setUp). */
  part: number;
  seed: number;
  ending: string;
  endedAt: number;
  status: Status;
  /** The tick at which the deliberation ended; null if it did not. */
  decidedAt: number | null;
  votes: number;
  lastVote: Vote | null;
  actions: readonly Action[];
  taken: World['taken'];
  meanOpinion: number;
  polarisation: number;
  mii: number;
  threshold: number;
  /** MIC */
  totalSupply: number;
  circulating: number;
  /** Circulating MIC minus those of the run without the change; MIC. */
  circulatingChange: number;
  daysWithoutMinting: number;
  online: number;
}

/** Plays one run of a part to its end. */
export function playRow(
  { scenario }: Pick<SetUp, 'scenario'>,
  part: Part,
  place: number,
  seed: number,
): RunRow {
  let decidedAt: number | null = null;
  const { world, actions } = playPlan(scenario, seed, part.settings, part.plan, (run) => {
    if (decidedAt === null && isDecided(run.world)) decidedAt = run.world.tick;
  });
  const { economy, deliberation, unchanged, sentinels } = world;
  return {
    part: place,
    seed,
    ending: world.ending!,
    endedAt: world.tick,
    status: deliberation.status,
    decidedAt,
    votes: deliberation.votes.length,
    lastVote: deliberation.votes.at(-1) ?? null,
    actions,
    taken: world.taken,
    meanOpinion: meanOpinion(world),
    polarisation: polarisation(world),
    mii: economy.mii,
    threshold: economy.threshold,
    totalSupply: inMic(economy.total),
    circulating: inMic(economy.circulating),
    circulatingChange: inMic(economy.circulating - unchanged.circulating),
    daysWithoutMinting: economy.stopped,
    online: sentinels.filter(({ isOnline }) => isOnline).length,
  };
}

interface Context {
  setUp: SetUp;
  part: Part;
  /** With which the part’s runs start. */
  levers: Levers;
}

export interface RunColumn {
  name: string;
  type: 'text' | 'integer' | 'number';
  meaning: string;
  read: (row: RunRow, context: Context) => string | number | null;
}

/** The columns of the CSV of runs. */
export const RUN_COLUMNS: readonly RunColumn[] = [
  {
    name: 'part',
    type: 'text',
    meaning: '`batch`, `comparison` or `sweep`',
    read: (_, { part }) => part.name,
  },
  {
    name: 'swept',
    type: 'text',
    meaning: 'the parameter that the sweep varies; empty otherwise',
    read: (_, { part }) => part.swept?.parameter ?? null,
  },
  {
    name: 'swept_value',
    type: 'number',
    meaning: 'its value in this run; empty otherwise',
    read: (_, { part }) => part.swept?.value ?? null,
  },
  { name: 'scenario', type: 'text', meaning: 'name of the scenario', read: (_, { setUp }) => setUp.scenario },
  {
    name: 'version',
    type: 'text',
    meaning: 'version of the scenario',
    read: (_, { setUp }) => VERSIONS[setUp.scenario]!,
  },
  { name: 'seed', type: 'integer', meaning: 'seed of the run', read: ({ seed }) => seed },
  {
    name: 'settings',
    type: 'text',
    meaning: 'parameters that differ from the scenario’s own, as `name=value`, separated by `|`',
    read: (_, { part }) => pairs(part.settings).join('|'),
  },
  {
    name: 'plan',
    type: 'text',
    meaning: 'what was planned for each decision, as `decision=choice name=value`, separated by `|`',
    read: (_, { part }) => formatPlan(part.plan),
  },
  {
    name: 'choices',
    type: 'text',
    meaning:
      'what was chosen at which tick, as `tick choice name=value`, separated by `|`; `(default)` if nobody chose',
    read: formatTaken,
  },
  { name: 'ending', type: 'text', meaning: 'name of the ending', read: ({ ending }) => ending },
  { name: 'ended_at', type: 'integer', meaning: 'last tick of the run', read: ({ endedAt }) => endedAt },
  {
    name: 'status',
    type: 'text',
    meaning: 'status of the deliberation at the end',
    read: ({ status }) => status,
  },
  {
    name: 'decided_at',
    type: 'integer',
    meaning: 'tick at which the deliberation ended; empty if it did not',
    read: ({ decidedAt }) => decidedAt,
  },
  { name: 'votes', type: 'integer', meaning: 'number of votes', read: ({ votes }) => votes },
  {
    name: 'support',
    type: 'integer',
    meaning: 'sentinels in support at the last vote; this and the next five are empty without a vote',
    read: ({ lastVote }) => lastVote?.support ?? null,
  },
  { name: 'oppose', type: 'integer', meaning: 'opposed', read: ({ lastVote }) => lastVote?.oppose ?? null },
  {
    name: 'abstain',
    type: 'integer',
    meaning: 'abstaining',
    read: ({ lastVote }) => lastVote?.abstain ?? null,
  },
  {
    name: 'turnout',
    type: 'number',
    meaning: 'positions taken ÷ all sentinels',
    read: ({ lastVote }) => lastVote?.turnout ?? null,
  },
  {
    name: 'agreement',
    type: 'number',
    meaning: 'support ÷ positions taken',
    read: ({ lastVote }) => lastVote?.agreement ?? null,
  },
  {
    name: 'vote_result',
    type: 'text',
    meaning: '`carried`, `rejected`, `divided` or `no_quorum`',
    read: ({ lastVote }) => lastVote?.result ?? null,
  },
  {
    name: 'mean_opinion',
    type: 'number',
    meaning: 'mean opinion at the end, from 0 (reject) to 1 (adopt)',
    read: (row) => row.meanOpinion,
  },
  {
    name: 'polarisation',
    type: 'number',
    meaning: 'polarisation at the end, from 0 to 1',
    read: (row) => row.polarisation,
  },
  { name: 'mii', type: 'number', meaning: 'integrity index at the end', read: ({ mii }) => mii },
  {
    name: 'threshold',
    type: 'number',
    meaning: 'its threshold at the end',
    read: ({ threshold }) => threshold,
  },
  { name: 'total_supply', type: 'number', meaning: 'MIC at the end', read: (row) => row.totalSupply },
  {
    name: 'circulating',
    type: 'number',
    meaning: 'circulating MIC at the end',
    read: ({ circulating }) => circulating,
  },
  {
    name: 'circulating_change',
    type: 'number',
    meaning: 'circulating MIC minus those of the same run with the multipliers and money rules of its start',
    read: (row) => row.circulatingChange,
  },
  {
    name: 'days_without_minting',
    type: 'integer',
    meaning: 'ticks in which nothing was minted',
    read: (row) => row.daysWithoutMinting,
  },
  { name: 'online', type: 'integer', meaning: 'sentinels online at the end', read: ({ online }) => online },
  ...LEVER_NAMES.map(
    (name): RunColumn => ({
      name,
      type: 'number',
      meaning: `at the start: ${LEVERS[name].meaning}`,
      read: (_, { levers }) => levers[name],
    }),
  ),
];

/**
 * A header and a row per run, ordered by part and seed: RFC 4180 with line feeds. No value contains a comma, a quote or a line break, and
 * numbers have a point.
 */
export function runsCsv(setUp: SetUp, rows: readonly RunRow[]): string {
  const own = ownLevers(setUp.scenario);
  const contexts = partsOf(setUp).map(
    (part): Context => ({ setUp, part, levers: { ...own, ...part.settings } }),
  );
  const lines = rows.map((row) =>
    RUN_COLUMNS.map(({ read }) => read(row, contexts[row.part]!) ?? '').join(','),
  );
  return `${[RUN_COLUMNS.map(({ name }) => name).join(','), ...lines].join('\n')}\n`;
}

function pairs(values: Readonly<Record<string, number | string>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

function formatPlan(plan: Plan): string {
  return Object.entries(plan)
    .map(([decision, planned]) => {
      const chosen = planned === AT_RANDOM ? [AT_RANDOM] : [planned.choice, ...pairs(planned.parameters)];
      return `${decision}=${chosen.join(' ')}`;
    })
    .join('|');
}

function formatTaken({ taken, actions }: RunRow): string {
  return taken
    .map(({ tick, choice, isDefault }) => {
      if (isDefault) return `${tick} ${choice} (default)`;
      const { parameters = {} as Parameters } =
        actions.find((action) => action.tick === tick && action.name === choice) ?? {};
      return [tick, choice, ...pairs(parameters)].join(' ');
    })
    .join('|');
}
