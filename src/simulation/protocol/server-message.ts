import { z } from 'zod';
import { CATHEDRALS, POSITIONS, VIRTUES } from '../../../pipeline/ledger/vocabulary.ts';
import { PROTOCOL_LIMITS } from './limits.ts';
import { SIMULATION_PROBLEMS, type SimulationProblemCode } from './problems.ts';

const Share = z.number().min(0).max(1);
const Mic = z.number().min(0).describe('MIC');
const Tick = z.int().min(0);
const Cathedral = z.enum(CATHEDRALS);
const Status = z
  .enum(['open', 'held', 'adopted', 'adopted_with_dissent', 'imposed', 'rejected', 'withdrawn', 'lapsed'])
  .describe(
    'Of the proposal. held: carried, and a dissent waits for its answer. lapsed: the time box has ended.',
  );

const ShownSentinel = z.strictObject({
  id: z.string(),
  cathedral: Cathedral,
  position: z.enum(POSITIONS).describe('By its opinion.'),
  reasoning: z.string().describe('Out of the terms of its equation.'),
  virtue_tags: z.array(z.enum(VIRTUES)).describe('What decides it most.'),
  opinion: Share.describe('0 rejects the proposal, 1 adopts it.'),
  innate_opinion: Share.describe('What it thinks by itself.'),
  stubbornness: Share.describe('How much of its own judgement stays in its opinion.'),
  status: z.enum(['operational', 'offline', 'recused']),
  coordination_score: z.number().min(0),
  gi_score: Share,
  drift: z.number().min(0).max(10),
  total_rewards: Mic,
});

const Outlook = z
  .strictObject({
    tick: Tick,
    deliberation: Status,
    mean_opinion: Share,
    mii: Share,
    minting_active: z.boolean(),
    total_supply: Mic,
    circulating: Mic,
  })
  .describe('A forecast of some ticks, without chance.');

const Vote = z.strictObject({
  tick: Tick,
  support: z.int(),
  oppose: z.int(),
  abstain: z.int(),
  turnout: Share,
  agreement: Share,
  result: z.enum(['carried', 'rejected', 'divided', 'no_quorum']),
});

const Parameter = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number'),
    minimum: z.number(),
    maximum: z.number(),
    default: z.number(),
    meaning: z.string(),
  }),
  z.strictObject({
    kind: z.literal('one_of'),
    values: z.array(z.string()),
    default: z.string(),
    meaning: z.string(),
  }),
]);

const Debrief = z.strictObject({
  ending: z.string(),
  title: z.string(),
  text: z.string(),
  lesson: z.string(),
  choices: z.array(
    z.strictObject({ tick: Tick, decision: z.string(), choice: z.string(), by: z.enum(['you', 'time']) }),
  ),
  explained: z.array(z.strictObject({ formula: z.string(), equation: z.string(), said: z.string() })),
});

const Action = z.strictObject({
  tick: Tick,
  name: z.string(),
  parameters: z.record(z.string(), z.union([z.number(), z.string()])),
});

const CurrentState = z.strictObject({
  cycle: z.string(),
  is_over: z.boolean(),
  is_running: z.boolean().describe('It advances by itself.'),
  pace_ms: z.int(),
  horizon: Tick.describe('The tick at which it ends.'),
  deliberation: z.strictObject({
    status: Status,
    round: z.int(),
    rounds: z.int(),
    votes: z.array(Vote),
    dissenters: z.array(z.string()),
    dissent: z.enum(['none', 'pending', 'heard', 'overridden']),
    round_ends: Tick,
    quorum: Share,
    consensus: Share,
  }),
  opinions: z.strictObject({ mean: Share, polarisation: Share, movement: Share }),
  virtues: z.strictObject(Object.fromEntries(VIRTUES.map((virtue) => [virtue, Share]))),
  economy: z.strictObject({
    total_supply: Mic,
    circulating: Mic,
    locked: Mic,
    burned: Mic,
    mii: Share,
    threshold: Share,
    minting_active: z.boolean(),
    strain: Share,
    multipliers: z.partialRecord(Cathedral, z.number().min(1).max(2)),
  }),
  decisions: z
    .array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        prompt: z.string(),
        until: Tick,
        otherwise: z.string(),
      }),
    )
    .describe('That are open, each with the tick at which it takes itself, and how.'),
  outlook: Outlook.nullable().describe('If nobody chooses; null where no decision is open.'),
  happened: z.array(z.string()).describe('In this tick.'),
  actions: z.array(Action).describe('What was done so far: with the seed, all that a replay needs.'),
  debrief: Debrief.nullable().describe('When it is over: which formula did what.'),
});

const NextAction = z.strictObject({
  name: z.string(),
  label: z.string(),
  meaning: z.string(),
  decision: z.string().nullable().describe('That it answers; null for what can be done at any time.'),
  parameters: z.record(z.string(), Parameter),
  outlook: Outlook.nullable().describe('With its default parameters, as forecast when the decision opened.'),
});

export const SimulationUpdate = z
  .strictObject({
    type: z.literal('simulation_update'),
    scenario: z.string(),
    seed: z.int(),
    tick: Tick,
    sentinels: z.array(ShownSentinel),
    current_state: CurrentState,
    next_actions: z.array(NextAction),
    resume_token: z
      .string()
      .max(PROTOCOL_LIMITS.tokenCharacters)
      .nullable()
      .optional()
      .describe(
        'In answers to messages: continues the run on another connection, at this tick or a later one, until a day after its start. Opaque. Null: the run cannot be resumed.',
      ),
  })
  .describe('The whole state, after each tick and after each action.');

export const ScenarioList = z
  .strictObject({
    type: z.literal('scenario_list'),
    scenarios: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        question: z.string(),
        story: z.array(z.string()),
        horizon: Tick,
        endings: z.int(),
      }),
    ),
  })
  .describe('The answer to list_scenarios.');

const CODES = Object.keys(SIMULATION_PROBLEMS) as [SimulationProblemCode, ...SimulationProblemCode[]];

export const SimulationError = z
  .strictObject({
    type: z.literal('simulation_error'),
    problem: z
      .strictObject({
        type: z.string().describe('A page that describes the code.'),
        title: z.string(),
        status: z.int(),
        detail: z.string(),
        code: z.enum(CODES),
      })
      .describe('As in RFC 9457.'),
  })
  .describe('A message that was not followed. What was before it goes on, unless the connection is closed.');

/** Messages by their `type`. */
export const SERVER_MESSAGES = {
  simulation_update: SimulationUpdate,
  scenario_list: ScenarioList,
  simulation_error: SimulationError,
} as const;

export type ScenarioList = z.infer<typeof ScenarioList>;
export type SimulationError = z.infer<typeof SimulationError>;
