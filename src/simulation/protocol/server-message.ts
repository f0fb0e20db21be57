import { z } from 'zod';
import { CATHEDRALS, POSITIONS, VIRTUES } from '../../../pipeline/ledger/events/vocabulary.ts';
import { SIMULATION_PROBLEMS, type SimulationProblemCode } from '../fault.ts';
import { LEVER_NAMES, LEVERS, type Lever } from '../levers.ts';
import { MessageId, sentence } from './client-message.ts';

const Share = z.number().min(0).max(1);
const Change = z.number().min(-1).max(1);
const Mic = z.number().min(0);
const Tick = z.int().min(0);
const Count = z.int().min(0);
const Cathedral = z.enum(CATHEDRALS);
const ReplyTo = MessageId.optional().describe('The id of the message that it answers, if that had one.');

/** A member of the given shape for each name. */
function byName<Name extends string, Shape extends z.ZodType>(names: readonly Name[], shape: Shape) {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;
}

const Model = z
  .strictObject({
    levers: z
      .strictObject(
        Object.fromEntries(
          LEVER_NAMES.map((name) => [name, z.number().describe(sentence(LEVERS[name].meaning))]),
        ) as Record<Lever, z.ZodNumber>,
      )
      .describe('The parameters of the model, as they are now.'),
    effects: z
      .strictObject(byName(VIRTUES, Change.describe('Its effect on this virtue.')))
      .describe('What the proposal does to each virtue.'),
    stakes: z
      .partialRecord(Cathedral, Change.describe('The gain of this cathedral.'))
      .describe('What each cathedral gains; 0 if absent.'),
    influence: z
      .array(z.array(Share))
      .describe('W: a row per listener, a column per speaker, in the order of the sentinels.'),
    sentinels: z
      .array(
        z.strictObject({
          id: z.string().describe('Its name.'),
          weights: z
            .strictObject(byName(VIRTUES, Share.describe('Its weight for this virtue.')))
            .describe('They sum to 1.'),
          trust: z.number().min(0).describe('How much others listen to it; the mean is 1.'),
          temper: Change.describe('The term of its utility that virtues do not explain.'),
          pressure: z.number().describe('Drift added per tick.'),
          stubbornness: Share.describe('Multiplied by the lever of that name.'),
        }),
      )
      .describe('What only events and actions change of each sentinel, in their order.'),
  })
  .describe(
    'What the next exchange of views follows from, besides the opinions: see the equations of the model.',
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

const ShownSentinel = z.strictObject({
  id: z.string().describe('Its name.'),
  cathedral: Cathedral.describe('Whom it speaks for.'),
  position: z.enum(POSITIONS).describe('Follows from its opinion.'),
  reasoning: z
    .string()
    .describe(
      'Its position, the two largest terms of its own judgement, and the loudest voice that it hears.',
    ),
  virtue_tags: z.array(z.enum(VIRTUES)).describe('The virtues that decide its opinion most.'),
  opinion: Share.describe('0 rejects the proposal, 1 adopts it.'),
  innate_opinion: Share.describe('Its own opinion, without the influence of others.'),
  stubbornness: Share.describe('Weight of its own opinion against those of others.'),
  status: z
    .enum(['operational', 'offline', 'recused'])
    .describe('Only operational sentinels speak and vote.'),
  coordination_score: z.number().min(0).describe('Points, by the published formula.'),
  gi_score: Share.describe('Its integrity.'),
  drift: z.number().min(0).max(10).describe('How far its model has moved.'),
  total_rewards: Mic.describe('MIC that it has received since the start.'),
});

const Parameters = z.record(
  z.string(),
  z.union([z.number(), z.string()]).describe('The value of the parameter of this name.'),
);

function spread(of: typeof Share, what: string) {
  return z
    .strictObject({
      low: of.describe('The lowest of all futures.'),
      middle: of.describe('The median of all futures.'),
      high: of.describe('The highest of all futures.'),
    })
    .describe(what);
}

const Outlook = z.strictObject({
  tick: Tick.describe('The tick that it looks at.'),
  runs: Count.describe('Number of futures that were computed, each with chance of its own.'),
  parameters: Parameters.describe('Parameters of the choice, as assumed: the defaults.'),
  deliberation: z
    .partialRecord(Status, Count.describe('Number of futures with this status.'))
    .describe('Futures by the status of the proposal.'),
  mean_opinion: spread(Share, 'Mean opinion of the sentinels.'),
  mii: spread(Share, 'Integrity index.'),
  circulating: spread(Mic, 'Circulating MIC.'),
  minting: Count.describe('Number of futures in which MIC is minted.'),
});

const Vote = z.strictObject({
  tick: Tick.describe('When it was held.'),
  support: Count.describe('Sentinels for the proposal.'),
  oppose: Count.describe('Sentinels against it.'),
  abstain: Count.describe('Sentinels without a position, offline or recused.'),
  turnout: Share.describe('Positions taken, as a share of all sentinels.'),
  agreement: Share.describe('Support, as a share of the positions taken.'),
  result: z
    .enum(['carried', 'rejected', 'divided', 'no_quorum'])
    .describe('divided: neither side reached the consensus.'),
});

const Parameter = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number').describe('The parameter is a number.'),
    minimum: z.number().describe('Least value.'),
    maximum: z.number().describe('Greatest value.'),
    default: z.number().describe('Value if the action does not give one.'),
    meaning: z.string().describe('What it sets.'),
  }),
  z.strictObject({
    kind: z.literal('one_of').describe('The parameter is one of several texts.'),
    values: z.array(z.string()).describe('The texts.'),
    default: z.string().describe('Value if the action does not give one.'),
    meaning: z.string().describe('What it sets.'),
  }),
]);

const Debrief = z.strictObject({
  ending: z.string().describe('The name of the ending.'),
  title: z.string().describe('Its title.'),
  text: z.string().describe('What holds in this run.'),
  claims: z.array(z.string().describe('One sentence.')).describe('The sentences of the text.'),
  question: z.string().describe('A question to the player.'),
  choices: z
    .array(
      z.strictObject({
        tick: Tick.describe('When it was taken.'),
        decision: z
          .string()
          .nullable()
          .describe('The title of the decision; null for a move that is always possible.'),
        choice: z.string().describe('The name of the choice.'),
        label: z.string().describe('Its label, with the values of its parameters.'),
        by: z.enum(['you', 'time']).describe('time: nobody chose, so the default was taken.'),
        without: z
          .strictObject({
            ending: z.string().describe('The name of the ending.'),
            title: z.string().describe('Its title.'),
            tick: Tick.describe('The last one.'),
            mean_opinion: Share.describe('Mean opinion at the end.'),
            dropped: z
              .array(z.string().describe('A label.'))
              .describe('Later actions for which there would have been no occasion.'),
          })
          .nullable()
          .describe('The same run without the action, to its end; null if the default was taken.'),
      }),
    )
    .describe('All actions, and all decisions whose default was taken, in order.'),
});

const Action = z.strictObject({
  tick: Tick.describe('The action was taken after this tick.'),
  name: z.string().describe('As in take_action.'),
  parameters: Parameters.describe('As in take_action.'),
});

const CurrentState = z.strictObject({
  cycle: z.string().describe('The cycle of the tick: C-151 is tick 0.'),
  is_over: z.boolean().describe('The run has ended: there is a debrief, and nothing can be done but reset.'),
  is_running: z.boolean().describe('It advances by itself.'),
  pace_ms: z.int().describe('Milliseconds between two ticks while it does.'),
  horizon: Tick.describe('The last possible tick. A run ends earlier if nothing more can happen.'),
  deliberation: z
    .strictObject({
      status: Status.describe(
        'Of the proposal. held: carried, and a dissent waits for its answer. imposed: in force without a vote. lapsed: no result in time.',
      ),
      round: z.int().min(1).describe('The present round.'),
      rounds: z.int().min(1).describe('Number of rounds.'),
      votes: z.array(Vote).describe('All votes so far.'),
      dissenters: z
        .array(z.string())
        .describe('Ids of the sentinels whose dissent holds the decision up, or did.'),
      dissent: z
        .enum(['none', 'pending', 'heard', 'overridden'])
        .describe('pending: it waits for an answer.'),
      round_ends: Tick.describe('The tick of the next vote.'),
      quorum: Share.describe('Least share of all sentinels that must take a position.'),
      consensus: Share.describe('Least share of the positions taken that must agree.'),
    })
    .describe('The proposal and its votes.'),
  opinions: z
    .strictObject({
      mean: Share.describe('Mean of the opinions of all sentinels that are not offline.'),
      polarisation: Share.describe('0 if all agree, 1 if half of them are at each end.'),
      movement: Share.describe('The largest change of an opinion in the last tick.'),
    })
    .describe('All opinions together.'),
  virtues: z
    .strictObject(byName(VIRTUES, Share.describe('By the published metric.')))
    .describe('The virtues of the assembly.'),
  economy: z
    .strictObject({
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
    })
    .describe('The economy of the sentinels.'),
  question: z.string().describe('The question to decide, by the present text of the proposal.'),
  decisions: z
    .array(
      z.strictObject({
        name: z.string().describe('next_actions name it as decision.'),
        title: z.string().describe('Its title.'),
        prompt: z.string().describe('What is to be decided.'),
        until: Tick.describe('The tick in which the default is taken.'),
        otherwise: z.string().describe('The name of the default choice.'),
      }),
    )
    .describe('The open decisions.'),
  outlook: Outlook.nullable().describe(
    'The forecast if nobody chooses; null without outlooks, or if no decision is open.',
  ),
  happened: z
    .array(z.strictObject({ tick: Tick.describe('When.'), text: z.string().describe('What happened.') }))
    .describe(
      'In all ticks since the update before. An answer for which no tick passed repeats those of its tick.',
    ),
  settings: z
    .record(z.string(), z.number().describe('The value of the parameter of this name.'))
    .describe('Parameters of the model that were set at the start, in place of those of the scenario.'),
  actions: z
    .array(Action)
    .describe('All actions so far. Scenario, seed, settings and actions are all that a replay needs.'),
  debrief: Debrief.nullable().describe('How it ended; null until is_over.'),
});

const NextAction = z.strictObject({
  name: z.string().describe('For take_action.'),
  label: z.string().describe('A short text for a button.'),
  meaning: z.string().describe('What it does.'),
  decision: z
    .string()
    .nullable()
    .describe('The open decision that it answers; null for an action that no decision asks for.'),
  parameters: z
    .record(z.string(), Parameter.describe('The parameter of this name.'))
    .describe('Its parameters. All have a default.'),
  outlook: Outlook.nullable().describe(
    'The forecast with default parameters; null without outlooks, or without a decision.',
  ),
});

const SimulationUpdate = z
  .strictObject({
    type: z.literal('simulation_update').describe('The kind of message.'),
    scenario: z.string().describe('The name of the scenario.'),
    seed: z.int().min(0).describe('The seed, whether the client or the service chose it.'),
    tick: Tick.describe('The present tick.'),
    sentinels: z.array(ShownSentinel).describe('The ten sentinels, always in the same order.'),
    model: Model,
    current_state: CurrentState.describe('The world.'),
    next_actions: z.array(NextAction).describe('What can be done now; empty when it is over.'),
    reply_to: ReplyTo,
  })
  .describe('The whole state. Answers every message except list_scenarios, and follows each tick.');

const ScenarioList = z
  .strictObject({
    type: z.literal('scenario_list').describe('The kind of message.'),
    scenarios: z
      .array(
        z.strictObject({
          name: z.string().describe('For start_simulation.'),
          title: z.string().describe('Its title.'),
          question: z.string().describe('The question to decide.'),
          story: z.array(z.string()).describe('Paragraphs.'),
          horizon: Tick.describe('The last possible tick.'),
          endings: Count.describe('Number of endings.'),
        }),
      )
      .describe('All scenarios.'),
    reply_to: ReplyTo,
  })
  .describe('Answers list_scenarios.');

const CODES = Object.keys(SIMULATION_PROBLEMS) as [SimulationProblemCode, ...SimulationProblemCode[]];

const SimulationError = z
  .strictObject({
    type: z.literal('simulation_error').describe('The kind of message.'),
    problem: z
      .strictObject({
        type: z.string().describe('A page that describes the code.'),
        title: z.string().describe('The code in words.'),
        status: z.int().describe('The status of HTTP that fits.'),
        detail: z.string().describe('The place, what was expected and what was found.'),
        code: z.enum(CODES).describe('Codes do not change.'),
      })
      .describe('A problem document (RFC 9457).'),
    reply_to: ReplyTo,
  })
  .describe('Answers a message that is refused. The current run continues, unless the connection is closed.');

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
