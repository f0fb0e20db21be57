import { z } from 'zod';
import { LEVER_NAMES, LEVERS, type Settings } from '../levers.ts';
import { MAX_ACTIONS, SEEDS } from '../run.ts';
import { PROTOCOL_LIMITS } from './limits.ts';

const { pace, steps, tokenCharacters } = PROTOCOL_LIMITS;

/** Checks the format of names of scenarios, actions and parameters only. The engine checks that they exist. */
const Name = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z_]*$/, 'a snake_case name');
const Parameters = z
  .record(
    Name,
    z.union([z.number(), z.string().max(64)]).describe('The value of the parameter of this name.'),
  )
  .default({})
  .describe('Parameters of the action. Those left out have their defaults.');
const Pace = z
  .int()
  .min(pace.least)
  .max(pace.most)
  .optional()
  .describe(
    `Milliseconds between two ticks. Without it, as before on this connection; at first ${pace.start}.`,
  );
const Tick = z.int().min(0).max(10_000);
/** False where it is left out. */
const Flag = z.boolean().optional().meta({ default: false });
export const MessageId = z.union([z.string().max(64), z.int()]);
function action<Name extends string>(name: Name) {
  return z.literal(name).describe('The kind of message.');
}

/** Every message may have one. */
const id = MessageId.optional().describe('Chosen by the client; the answer has it as reply_to.');

/** By the same table as the engine's check. */
const SettingsMember = z
  .strictObject(Object.fromEntries(LEVER_NAMES.map((name) => [name, leverSchema(LEVERS[name])])))
  .optional()
  .describe(
    'Parameters of the model, in place of those with which the scenario begins.',
  ) as unknown as z.ZodOptional<z.ZodType<Settings, Settings>>;

function leverSchema({ least, most, meaning }: { least: number; most: number; meaning: string }) {
  return z
    .number()
    .min(least)
    .max(most)
    .optional()
    .describe(`${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`);
}

const StartSimulation = z
  .strictObject({
    action: action('start_simulation'),
    id,
    scenario: Name.describe('The name of a scenario; list_scenarios has them.'),
    seed: z
      .int()
      .min(0)
      .max(SEEDS - 1)
      .optional()
      .describe(
        'The same scenario, seed, settings and actions give the same run. Without it, the service picks a seed from 1 to 16.',
      ),
    settings: SettingsMember,
    actions: z
      .array(
        z.strictObject({
          tick: Tick.describe('The action is taken after this tick.'),
          name: Name.describe('As in take_action.'),
          parameters: Parameters,
        }),
      )
      .max(MAX_ACTIONS)
      .optional()
      .describe('Actions to replay, as in current_state.actions. Needs the seed.'),
    tick: Tick.optional().describe(
      'The tick to continue at. Without it, that of the last action. Needs the seed.',
    ),
    pace_ms: Pace,
    paused: Flag.describe('Begins paused. Otherwise the run advances at once.'),
    outlooks: Flag.describe('Adds a forecast to each choice. Otherwise outlook is null everywhere.'),
  })
  .describe(
    'Starts a run, in place of the one before, or replays one. The starts of a network are limited for each day.',
  );

const Resume = z
  .strictObject({
    action: action('resume'),
    id,
    token: z.string().max(tokenCharacters).describe('The newest resume_token.'),
    tick: Tick.optional().describe('The tick of the newest update. Without it, that of the token.'),
    pace_ms: Pace,
    paused: Flag.describe('Continues paused. Otherwise the run advances at once.'),
    outlooks: Flag.describe('As in start_simulation.'),
  })
  .describe(
    'Continues a run whose connection ended, at any server of the service, as the first run of a connection. Does not count as a start.',
  );

const TakeAction = z
  .strictObject({
    action: action('take_action'),
    id,
    name: Name.describe('The name of one of next_actions.'),
    parameters: Parameters,
  })
  .describe('Takes one of next_actions, after the present tick. The answer has the same tick.');

const Step = z
  .strictObject({
    action: action('step'),
    id,
    ticks: z.int().min(1).max(steps).default(1).describe('Number of ticks.'),
  })
  .describe(
    'Advances at once by so many ticks, or to the end. One update answers it. A run that advances by itself continues to.',
  );

const RunMessage = z
  .strictObject({ action: action('run'), id, pace_ms: Pace })
  .describe(
    'Lets the run advance by itself. The answer has the present tick; the next tick follows after pace_ms.',
  );

const Pause = z.strictObject({ action: action('pause'), id }).describe('Pauses the run.');

const Reset = z
  .strictObject({ action: action('reset'), id })
  .describe(
    'Returns to tick 0 of the same scenario, seed and settings, without actions, running or paused as before.',
  );

const ListScenarios = z
  .strictObject({ action: action('list_scenarios'), id })
  .describe('Asks for all scenarios.');

/** Messages by their `action`. */
export const CLIENT_MESSAGES = {
  start_simulation: StartSimulation,
  resume: Resume,
  take_action: TakeAction,
  step: Step,
  run: RunMessage,
  pause: Pause,
  reset: Reset,
  list_scenarios: ListScenarios,
} as const;

export type MessageId = z.infer<typeof MessageId>;
export type ActionName = keyof typeof CLIENT_MESSAGES;
export type ClientMessage = z.infer<(typeof CLIENT_MESSAGES)[ActionName]>;
export type StartMessage = z.infer<typeof StartSimulation>;
export type ResumeMessage = z.infer<typeof Resume>;
