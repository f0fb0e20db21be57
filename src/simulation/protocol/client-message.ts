import { z } from 'zod';
import { SEEDS } from '../draws.ts';
import { LEVER_NAMES, LEVERS, MAX_ACTIONS, type Settings } from '../levers.ts';

/** Limits of the protocol. A server may be configured with other values, which its messages state. */
export const PROTOCOL_LIMITS = {
  /** Bytes of a client's message, including all fragments. The longest replay that the engine accepts is shorter. */
  messageBytes: 16 * 1024,
  /** Interval between two ticks, ms, while a run advances automatically. One second is enough to read the changes. */
  pace: { least: 250, most: 60_000, start: 1000 },
  /** Ticks per `step`. */
  steps: 100,
} as const;

const { pace, steps } = PROTOCOL_LIMITS;

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

const SettingsMember = z
  .strictObject(Object.fromEntries(LEVER_NAMES.map((name) => [name, leverSchema(LEVERS[name])])))
  .optional()
  .describe(
    'Parameters of the model, in place of those with which the scenario begins.',
  ) as unknown as z.ZodOptional<z.ZodType<Settings, Settings>>;

function leverSchema({ least, most, meaning }: { least: number; most: number; meaning: string }) {
  return z.number().min(least).max(most).optional().describe(sentence(meaning));
}

/** `least share` → `Least share.` */
export function sentence(meaning: string): string {
  return `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`;
}

/** A message of the client: its `action`, an `id` if it likes, and its own members. */
function message<Action extends string, Members extends z.ZodRawShape>(
  action: Action,
  meaning: string,
  members: Members,
) {
  return z
    .strictObject({
      action: z.literal(action).describe('The kind of message.'),
      id: MessageId.optional().describe('Chosen by the client; the answer has it as reply_to.'),
      ...members,
    })
    .describe(meaning);
}

/** Messages by their `action`. */
export const CLIENT_MESSAGES = {
  start_simulation: message(
    'start_simulation',
    'Starts a run, in place of the one before, or replays one. The starts of a network are limited for each day.',
    {
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
    },
  ),
  take_action: message(
    'take_action',
    'Takes one of next_actions, after the present tick. The answer has the same tick.',
    { name: Name.describe('The name of one of next_actions.'), parameters: Parameters },
  ),
  step: message(
    'step',
    'Advances at once by so many ticks, or to the end. One update answers it. A run that advances by itself continues to.',
    { ticks: z.int().min(1).max(steps).default(1).describe('Number of ticks.') },
  ),
  run: message(
    'run',
    'Lets the run advance by itself. The answer has the present tick; the next tick follows after pace_ms.',
    { pace_ms: Pace },
  ),
  pause: message('pause', 'Pauses the run.', {}),
  reset: message(
    'reset',
    'Returns to tick 0 of the same scenario, seed and settings, without actions, running or paused as before.',
    {},
  ),
  list_scenarios: message('list_scenarios', 'Asks for all scenarios.', {}),
} as const;

export type MessageId = z.infer<typeof MessageId>;
export type ActionName = keyof typeof CLIENT_MESSAGES;
export type ClientMessage = z.infer<(typeof CLIENT_MESSAGES)[ActionName]>;
export type StartMessage = z.infer<(typeof CLIENT_MESSAGES)['start_simulation']>;
