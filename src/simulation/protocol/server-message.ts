import { z } from 'zod';
import { CATHEDRALS, POSITIONS, VIRTUES } from '../../../pipeline/ledger/events/vocabulary.ts';
import { SIMULATION_PROBLEMS, type SimulationProblemCode } from '../fault.ts';
import { LEVER_NAMES, LEVERS, type Lever } from '../levers.ts';
import { MessageId, sentence } from './client-message.ts';

const Text = z.string();
const Share = z.number().min(0).max(1);
const Change = z.number().min(-1).max(1);
const Mic = z.number().min(0);
const Tick = z.int().min(0);
const Count = z.int().min(0);
const Cathedral = z.enum(CATHEDRALS);
const ReplyTo = MessageId.optional().describe('The id of the message that it answers, if that had one.');

function part<Members extends z.ZodRawShape>(meaning: string, members: Members) {
  return z.strictObject(members).describe(meaning);
}

function list<Shape extends z.ZodType>(meaning: string, of: Shape) {
  return z.array(of).describe(meaning);
}

/** A member of the given shape for each virtue. */
function byVirtue<Shape extends z.ZodType>(shape: Shape) {
  return Object.fromEntries(VIRTUES.map((name) => [name, shape])) as Record<(typeof VIRTUES)[number], Shape>;
}

const Model = part(
  'What the next exchange of views follows from, besides the opinions: see the equations of the model.',
  {
    levers: part(
      'The parameters of the model, as they are now.',
      Object.fromEntries(
        LEVER_NAMES.map((name) => [name, z.number().describe(sentence(LEVERS[name].meaning))]),
      ) as Record<Lever, z.ZodNumber>,
    ),
    effects: part(
      'What the proposal does to each virtue.',
      byVirtue(Change.describe('Its effect on this virtue.')),
    ),
    stakes: z
      .partialRecord(Cathedral, Change.describe('The gain of this cathedral.'))
      .describe('What each cathedral gains; 0 if absent.'),
    influence: list(
      'W: a row per listener, a column per speaker, in the order of the sentinels.',
      z.array(Share),
    ),
    sentinels: list(
      'What only events and actions change of each sentinel, in their order.',
      z.strictObject({
        id: Text.describe('Its name.'),
        weights: part('They sum to 1.', byVirtue(Share.describe('Its weight for this virtue.'))),
        trust: z.number().min(0).describe('How much others listen to it; the mean is 1.'),
        temper: Change.describe('The term of its utility that virtues do not explain.'),
        pressure: z.number().describe('Drift added per tick.'),
        stubbornness: Share.describe('Multiplied by the lever of that name.'),
      }),
    ),
  },
);

const Status = z.enum([
  'open',
  'held',
  'adopted',
  'adopted_with_dissent',
  'imposed',
  'rejected',
  'withdrawn',
  'lapsed',
]);
const SentinelStatus = z.enum(['operational', 'offline', 'recused']);
const Dissent = z.enum(['none', 'pending', 'heard', 'overridden']);
const VoteResult = z.enum(['carried', 'rejected', 'divided', 'no_quorum']);

const ShownSentinel = z.strictObject({
  id: Text.describe('Its name.'),
  cathedral: Cathedral.describe('Whom it speaks for.'),
  position: z.enum(POSITIONS).describe('Follows from its opinion.'),
  reasoning: Text.describe(
    'Its position, the two largest terms of its own judgement, and the loudest voice that it hears.',
  ),
  virtue_tags: list('The virtues that decide its opinion most.', z.enum(VIRTUES)),
  opinion: Share.describe('0 rejects the proposal, 1 adopts it.'),
  innate_opinion: Share.describe('Its own opinion, without the influence of others.'),
  stubbornness: Share.describe('Weight of its own opinion against those of others.'),
  status: SentinelStatus.describe('Only operational sentinels speak and vote.'),
  coordination_score: z.number().min(0).describe('Points, by the published formula.'),
  gi_score: Share.describe('Its integrity.'),
  drift: z.number().min(0).max(10).describe('How far its model has moved.'),
  total_rewards: Mic.describe('MIC that it has received since the start.'),
});

const Parameters = z.record(
  Text,
  z.union([z.number(), Text]).describe('The value of the parameter of this name.'),
);

function spread(what: string, of: typeof Share) {
  return part(what, {
    low: of.describe('The lowest of all futures.'),
    middle: of.describe('The median of all futures.'),
    high: of.describe('The highest of all futures.'),
  });
}

const Outlook = z.strictObject({
  tick: Tick.describe('The tick that it looks at.'),
  runs: Count.describe('Number of futures that were computed, each with chance of its own.'),
  parameters: Parameters.describe('Parameters of the choice, as assumed: the defaults.'),
  deliberation: z
    .partialRecord(Status, Count.describe('Number of futures with this status.'))
    .describe('Futures by the status of the proposal.'),
  mean_opinion: spread('Mean opinion of the sentinels.', Share),
  mii: spread('Integrity index.', Share),
  circulating: spread('Circulating MIC.', Mic),
  minting: Count.describe('Number of futures in which MIC is minted.'),
});

const Vote = z.strictObject({
  tick: Tick.describe('When it was held.'),
  support: Count.describe('Sentinels for the proposal.'),
  oppose: Count.describe('Sentinels against it.'),
  abstain: Count.describe('Sentinels without a position, offline or recused.'),
  turnout: Share.describe('Positions taken, as a share of all sentinels.'),
  agreement: Share.describe('Support, as a share of the positions taken.'),
  result: VoteResult.describe('divided: neither side reached the consensus.'),
});

const Parameter = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z
      .enum(['number', 'whole_number'])
      .describe('The parameter is a number, of which some have to be whole.'),
    minimum: z.number().describe('Least value.'),
    maximum: z.number().describe('Greatest value.'),
    default: z.number().describe('Value if the action does not give one.'),
    meaning: Text.describe('What it sets.'),
  }),
  z.strictObject({
    kind: z.literal('one_of').describe('The parameter is one of several texts.'),
    values: list('The texts.', Text),
    default: Text.describe('Value if the action does not give one.'),
    meaning: Text.describe('What it sets.'),
  }),
]);

const WithoutIt = z.strictObject({
  ending: Text.describe('The name of the ending.'),
  title: Text.describe('Its title.'),
  tick: Tick.describe('The last one.'),
  mean_opinion: Share.describe('Mean opinion at the end.'),
  dropped: list('Later actions for which there would have been no occasion.', Text.describe('A label.')),
});

const Debrief = z.strictObject({
  ending: Text.describe('The name of the ending.'),
  title: Text.describe('Its title.'),
  text: Text.describe('What holds in this run.'),
  claims: list('The sentences of the text.', Text.describe('One sentence.')),
  question: Text.describe('A question to the player.'),
  choices: list(
    'All actions, and all decisions whose default was taken, in order.',
    z.strictObject({
      tick: Tick.describe('When it was taken.'),
      decision: Text.nullable().describe(
        'The title of the decision; null for a move that is always possible.',
      ),
      choice: Text.describe('The name of the choice.'),
      label: Text.describe('Its label, with the values of its parameters.'),
      by: z.enum(['you', 'time']).describe('time: nobody chose, so the default was taken.'),
      without: WithoutIt.nullable().describe(
        'The same run without the action, to its end; null if the default was taken.',
      ),
    }),
  ),
});

const Action = z.strictObject({
  tick: Tick.describe('The action was taken after this tick.'),
  name: Text.describe('As in take_action.'),
  parameters: Parameters.describe('As in take_action.'),
});

const CurrentState = part('The world.', {
  cycle: Text.describe('The cycle of the tick: C-151 is tick 0.'),
  is_over: z.boolean().describe('The run has ended: there is a debrief, and nothing can be done but reset.'),
  is_running: z.boolean().describe('It advances by itself.'),
  pace_ms: z.int().describe('Milliseconds between two ticks while it does.'),
  horizon: Tick.describe('The last possible tick. A run ends earlier if nothing more can happen.'),
  deliberation: part('The proposal and its votes.', {
    status: Status.describe(
      'Of the proposal. held: carried, and a dissent waits for its answer. imposed: in force without a vote. lapsed: no result in time.',
    ),
    round: z.int().min(1).describe('The present round.'),
    rounds: z.int().min(1).describe('Number of rounds.'),
    votes: list('All votes so far.', Vote),
    dissenters: list('Ids of the sentinels whose dissent holds the decision up, or did.', Text),
    dissent: Dissent.describe('pending: it waits for an answer.'),
    round_ends: Tick.describe('The tick of the next vote.'),
    quorum: Share.describe('Least share of all sentinels that must take a position.'),
    consensus: Share.describe('Least share of the positions taken that must agree.'),
  }),
  opinions: part('All opinions together.', {
    mean: Share.describe('Mean of the opinions of all sentinels that are not offline.'),
    polarisation: Share.describe('0 if all agree, 1 if half of them are at each end.'),
    movement: Share.describe('The largest change of an opinion in the last tick.'),
  }),
  virtues: part('The virtues of the assembly.', byVirtue(Share.describe('By the published metric.'))),
  economy: part('The economy of the sentinels.', {
    total_supply: Mic.describe('All MIC: circulating, locked and burned.'),
    circulating: Mic.describe('MIC that circulate.'),
    locked: Mic.describe('MIC that are locked.'),
    burned: Mic.describe('MIC that were burned.'),
    mii: Share.describe('The integrity index.'),
    threshold: Share.describe('The index from which MIC is minted.'),
    minting_active: z.boolean().describe('MIC is minted.'),
    strain: Share.describe('What is subtracted from the index.'),
    multipliers: z
      .partialRecord(Cathedral, z.number().min(1).max(2).describe('The multiplier of this cathedral.'))
      .describe('Multipliers of rewards.'),
  }),
  question: Text.describe('The question to decide, by the present text of the proposal.'),
  decisions: list(
    'The open decisions.',
    z.strictObject({
      name: Text.describe('next_actions name it as decision.'),
      title: Text.describe('Its title.'),
      prompt: Text.describe('What is to be decided.'),
      until: Tick.describe('The tick in which the default is taken.'),
      otherwise: Text.describe('The name of the default choice.'),
    }),
  ),
  outlook: Outlook.nullable().describe(
    'The forecast if nobody chooses; null without outlooks, or if no decision is open.',
  ),
  happened: list(
    'In all ticks since the update before. An answer for which no tick passed repeats those of its tick.',
    z.strictObject({ tick: Tick.describe('When.'), text: Text.describe('What happened.') }),
  ),
  settings: z
    .record(Text, z.number().describe('The value of the parameter of this name.'))
    .describe('Parameters of the model that were set at the start, in place of those of the scenario.'),
  actions: list(
    'All actions so far. Scenario, seed, settings and actions are all that a replay needs.',
    Action,
  ),
  debrief: Debrief.nullable().describe('How it ended; null until is_over.'),
});

const NextAction = z.strictObject({
  name: Text.describe('For take_action.'),
  label: Text.describe('A short text for a button.'),
  meaning: Text.describe('What it does.'),
  decision: Text.nullable().describe(
    'The open decision that it answers; null for an action that no decision asks for.',
  ),
  parameters: z
    .record(Text, Parameter.describe('The parameter of this name.'))
    .describe('Its parameters. All have a default.'),
  outlook: Outlook.nullable().describe(
    'The forecast with default parameters; null without outlooks, or without a decision.',
  ),
});

const SimulationUpdate = part(
  'The whole state. Answers every message except list_scenarios, and follows each tick.',
  {
    type: z.literal('simulation_update').describe('The kind of message.'),
    scenario: Text.describe('The name of the scenario.'),
    seed: z.int().min(0).describe('The seed, whether the client or the service chose it.'),
    tick: Tick.describe('The present tick.'),
    sentinels: list('The ten sentinels, always in the same order.', ShownSentinel),
    model: Model,
    current_state: CurrentState,
    next_actions: list('What can be done now; empty when it is over.', NextAction),
    reply_to: ReplyTo,
  },
);

const ScenarioList = part('Answers list_scenarios.', {
  type: z.literal('scenario_list').describe('The kind of message.'),
  scenarios: list(
    'All scenarios.',
    z.strictObject({
      name: Text.describe('For start_simulation.'),
      title: Text.describe('Its title.'),
      question: Text.describe('The question to decide.'),
      story: list('Paragraphs.', Text),
      horizon: Tick.describe('The last possible tick.'),
      endings: Count.describe('Number of endings.'),
    }),
  ),
  reply_to: ReplyTo,
});

const CODES = Object.keys(SIMULATION_PROBLEMS) as [SimulationProblemCode, ...SimulationProblemCode[]];

const SimulationError = part(
  'Answers a message that is refused. The current run continues, unless the connection is closed.',
  {
    type: z.literal('simulation_error').describe('The kind of message.'),
    problem: part('A problem document (RFC 9457).', {
      type: Text.describe('A page that describes the code.'),
      title: Text.describe('The code in words.'),
      status: z.int().describe('The status of HTTP that fits.'),
      detail: Text.describe('The place, what was expected and what was found.'),
      code: z.enum(CODES).describe('Codes do not change.'),
    }),
    reply_to: ReplyTo,
  },
);

/** Messages by their `type`. */
export const SERVER_MESSAGES = {
  simulation_update: SimulationUpdate,
  scenario_list: ScenarioList,
  simulation_error: SimulationError,
} as const;

type Fixed<T> = { readonly [Key in keyof T]: T[Key] extends object | null ? Fixed<T[Key]> : T[Key] };

export type SimulationUpdate = Fixed<z.infer<typeof SimulationUpdate>>;
export type SimulationError = Fixed<z.infer<typeof SimulationError>>;
export type ScenarioList = Fixed<z.infer<typeof ScenarioList>>;
