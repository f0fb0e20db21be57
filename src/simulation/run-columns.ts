import { formatCell } from '../../pipeline/artifacts/format/csv.ts';
import { SENTINEL_CATHEDRALS, SENTINEL_IDS } from '../../pipeline/model/sentinel-profiles.ts';
import { endingOf } from './debrief.ts';
import { communityVirtues, inMic } from './economy.ts';
import { LEVER_NAMES } from './levers.ts';
import { meanOpinion, polarisation, statusOf } from './opinions.ts';
import type { Run } from './run.ts';
import { textOf } from './scenario.ts';
import { VIRTUES, type Vote, type World } from './world.ts';

/** Null: an empty cell. */
type Value = string | number | boolean | null;

/** What a row says of a run that has ended. */
interface RunColumn {
  /** With `of`, one column for each of them, whose name replaces the `*`. */
  name: string;
  of?: readonly string[];
  unit: string;
  meaning: string;
  /** With `of`, a value for each of them, in their order. */
  read: (run: Run) => Value | readonly Value[];
}

/** The columns of `cathedral simulate`, in their order; docs/simulation-reference.md lists them. */
export const RUN_COLUMNS: readonly RunColumn[] = [
  { name: 'seed', unit: 'integer', meaning: 'seed of the run', read: ({ seed }) => seed },
  {
    name: 'choices',
    unit: 'text',
    meaning: 'what was chosen, as `--choices` takes it; `none` if every decision went by its default',
    read: choicesOf,
  },
  {
    name: 'actions',
    unit: 'JSON',
    meaning: 'the same with its ticks, as `start_simulation` takes it',
    read: ({ actions }) => JSON.stringify(actions),
  },
  { name: 'ending', unit: 'text', meaning: 'name of the ending', read: ({ world }) => world.ending },
  ofWorld('tick', 'days', 'last tick of the run', ({ tick }) => tick),
  {
    name: 'question',
    unit: 'text',
    meaning: 'the question, by the last text of the proposal',
    read: ({ world, scenario }) => textOf(scenario.question, world),
  },
  ofWorld('status', 'text', 'status of the deliberation', ({ deliberation }) => deliberation.status),
  ofWorld('round', 'integer', 'its last round, from 1', ({ deliberation }) => deliberation.round),
  ofWorld('votes', 'integer', 'number of votes', ({ deliberation }) => deliberation.votes.length),
  ofVote('support', 'sentinels', 'in support at the last vote; this and the next five are empty without one'),
  ofVote('oppose', 'sentinels', 'opposed'),
  ofVote('abstain', 'sentinels', 'abstaining'),
  ofVote('turnout', '0 to 1', 'positions taken ÷ all sentinels'),
  ofVote('agreement', '0 to 1', 'support ÷ positions taken'),
  ofWorld(
    'vote_result',
    'text',
    '`carried`, `rejected`, `divided` or `no_quorum`',
    ({ deliberation }) => deliberation.votes.at(-1)?.result ?? null,
  ),
  ofWorld(
    'dissent',
    'text',
    '`none`, `pending`, `heard` or `overridden`',
    (world) => world.deliberation.dissent,
  ),
  ofWorld('dissenters', 'text', 'those who dissented, separated by spaces', ({ deliberation }) =>
    deliberation.dissenters.join(' '),
  ),
  ofWorld('mean_opinion', '0 to 1', 'mean opinion; 0 rejects, 1 adopts', meanOpinion),
  ofWorld('polarisation', '0 to 1', 'polarisation of the opinions', polarisation),
  ofWorld('total_supply', 'MIC', 'all MIC', ({ economy }) => inMic(economy.total)),
  ofWorld('circulating', 'MIC', 'MIC that circulate', ({ economy }) => inMic(economy.circulating)),
  ofWorld('locked', 'MIC', 'MIC that are locked', ({ economy }) => inMic(economy.locked)),
  ofWorld('burned', 'MIC', 'MIC that are burned', ({ economy }) => inMic(economy.burned)),
  ofWorld(
    'circulating_change',
    'MIC',
    '`circulating` minus what would circulate with the multipliers and money rules of the start',
    ({ economy, unchanged }) => inMic(economy.circulating - unchanged.circulating),
  ),
  ofWorld('mii', '0 to 1', 'integrity index', ({ economy }) => economy.mii),
  ofWorld('threshold', '0 to 1', 'its threshold for minting', ({ economy }) => economy.threshold),
  ofWorld(
    'minting_active',
    '`true` or `false`',
    'whether MIC are minted',
    ({ economy }) => economy.isMinting,
  ),
  ofWorld('days_without_minting', 'days', 'ticks without minting', ({ economy }) => economy.stopped),
  ofWorld('strain', '0 to 1', 'strain on the integrity index', ({ economy }) => economy.strain),
  ofWorld('risks_known', 'integer', 'risks that are known', ({ risks }) => risks.known),
  ofWorld('risks_mitigated', 'integer', 'risks that were addressed', ({ risks }) => risks.mitigated),
  ofWorld('events', 'text', 'names of the events that happened, separated by spaces', ({ past }) =>
    past.join(' '),
  ),
  ofEach('multiplier_*', SENTINEL_CATHEDRALS, 'factor', 'multiplier of a cathedral', ({ economy }) =>
    SENTINEL_CATHEDRALS.map((name) => economy.multipliers[name] ?? null),
  ),
  ofEach('virtue_*', VIRTUES, '0 to 1', 'a virtue of the assembly', (world) => {
    const virtues = communityVirtues(world);
    return VIRTUES.map((virtue) => virtues[virtue]);
  }),
  ofEach('effect_*', VIRTUES, '−1 to 1', 'effect of the proposal on a virtue', ({ effects }) =>
    VIRTUES.map((virtue) => effects[virtue]),
  ),
  ofEach(
    'parameter_*',
    LEVER_NAMES,
    'as in [its table](#parameters)',
    'a parameter of the model',
    ({ levers }) => LEVER_NAMES.map((name) => levers[name]),
  ),
  ofEach('status_*', SENTINEL_IDS, 'text', '`operational`, `offline` or `recused`', ({ sentinels }) =>
    sentinels.map(statusOf),
  ),
  ofEach(
    'opinion_*',
    SENTINEL_IDS,
    '0 to 1',
    'opinion of a sentinel',
    ({ conditions }) => conditions.opinion,
  ),
  ofEach('drift_*', SENTINEL_IDS, '0 to 10', 'its drift', ({ conditions }) => conditions.drift),
  ofEach('gi_*', SENTINEL_IDS, '0 to 1', 'its gi score', ({ conditions }) => conditions.gi),
  ofEach('score_*', SENTINEL_IDS, 'points', 'its coordination score', ({ conditions }) => conditions.score),
  ofEach('minted_*', SENTINEL_IDS, 'MIC', 'its rewards in the run', ({ conditions }) =>
    conditions.minted.map(inMic),
  ),
  {
    name: 'sentences',
    unit: 'JSON',
    meaning: 'each sentence shown: what happened with its day, and title, text and question of the ending',
    read: (run) => JSON.stringify(sentencesOf(run)),
  },
];

/** The name of each column of a row, which every language takes as a name. */
export const RUN_HEADER: readonly string[] = RUN_COLUMNS.flatMap(({ name, of }) =>
  of ? of.map((one) => name.replace('*', one.replaceAll('-', '_'))) : [name],
);

/** Units of whole numbers. */
const COUNTED = ['integer', 'days', 'sentinels'];

/** The cells of a run that has ended, in the order of RUN_HEADER. */
export function runCells(run: Run): string[] {
  return RUN_COLUMNS.flatMap(({ unit, read }) =>
    [read(run)].flat().map((value) => formatCell(value, COUNTED.includes(unit) ? '' : 'number')),
  );
}

function ofWorld(name: string, unit: string, meaning: string, read: (world: World) => Value): RunColumn {
  return { name, unit, meaning, read: ({ world }) => read(world) };
}

function ofVote(name: Exclude<keyof Vote, 'tick' | 'result'>, unit: string, meaning: string): RunColumn {
  return ofWorld(name, unit, meaning, ({ deliberation }) => deliberation.votes.at(-1)?.[name] ?? null);
}

function ofEach(
  name: string,
  of: readonly string[],
  unit: string,
  meaning: string,
  read: (world: World) => readonly Value[],
): RunColumn {
  return { name, of, unit, meaning, read: ({ world }) => read(world) };
}

/** A dissent is answered alike each time, so its answer is here once. */
function choicesOf({ world, actions }: Run): string {
  const chosen = world.taken.filter(({ isDefault }) => !isDefault);
  const pairs = chosen.flatMap(({ tick, decision, choice }) => {
    const { parameters } = actions.find((action) => action.tick === tick && action.name === choice)!;
    const values = Object.entries(parameters).map(([name, value]) => `${decision}.${name}=${value}`);
    return [`${decision}=${choice}`, ...values];
  });
  return pairs.length === 0 ? 'none' : [...new Set(pairs)].join(',');
}

function sentencesOf({ world, scenario }: Run): string[] {
  const { title, claims, question } = endingOf(world, scenario);
  const happened = world.log.map(({ tick, text }) => `Day ${tick}: ${text}`);
  return [...happened, title, ...claims.map((claim) => textOf(claim, world)), question];
}
