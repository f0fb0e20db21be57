import { z } from 'zod';
import { MAX_ACTIONS, SEEDS } from '../run.ts';
import { PROTOCOL_LIMITS } from './limits.ts';

const { pace, steps, tokenCharacters } = PROTOCOL_LIMITS;

/** Checks the format of names of scenarios, actions and parameters only. The engine checks that they exist. */
const Name = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z_]*$/, 'a snake_case name');
const Parameters = z
  .record(Name, z.union([z.number(), z.string().max(64)]))
  .describe('Of an action, by name; what is left out has its default.');
const Pace = z.int().min(pace.least).max(pace.most).describe('Milliseconds between two ticks.');
const Tick = z.int().min(0).max(10_000);

export const StartSimulation = z
  .strictObject({
    action: z.literal('start_simulation'),
    scenario: Name.describe('One of list_scenarios.'),
    seed: z
      .int()
      .min(0)
      .max(SEEDS - 1)
      .optional()
      .describe(
        'The same seed and actions give the same run. Without it the service picks one, and says which.',
      ),
    actions: z
      .array(z.strictObject({ tick: Tick, name: Name, parameters: Parameters.default({}) }))
      .max(MAX_ACTIONS)
      .optional()
      .describe('To resume or replay: what was done before, as current_state.actions had it.'),
    tick: Tick.optional().describe('Where to go on; without it, at the last of the actions.'),
    pace_ms: Pace.optional(),
    paused: z.boolean().optional().describe('Begins paused instead of running.'),
    outlooks: z
      .boolean()
      .optional()
      .describe('With forecasts of what each choice would do. Without it, outlook is null everywhere.'),
  })
  .describe(
    'Starts a simulation, in the place of the one before. Counts as one request of the area’s limit.',
  );

export const Resume = z
  .strictObject({
    action: z.literal('resume'),
    token: z.string().max(tokenCharacters).describe('The newest resume_token.'),
    tick: Tick.optional().describe('That of the newest update; without it, that of the token.'),
    pace_ms: Pace.optional(),
    paused: z.boolean().optional().describe('Continues paused instead of running.'),
    outlooks: z.boolean().optional().describe('As in start_simulation.'),
  })
  .describe(
    'Continues a run whose connection ended, at any server of the service, as the first run of a connection. Does not count as a start.',
  );

export const TakeAction = z
  .strictObject({ action: z.literal('take_action'), name: Name, parameters: Parameters.default({}) })
  .describe('Does one of next_actions, at the present tick.');

export const Step = z
  .strictObject({ action: z.literal('step'), ticks: z.int().min(1).max(steps).default(1) })
  .describe(
    'Advances at once by so many ticks, or to the end. A run that advances by itself goes on doing so.',
  );

export const RunMessage = z
  .strictObject({ action: z.literal('run'), pace_ms: Pace.optional() })
  .describe('Lets the run advance by itself, at this pace or the one before.');

export const Pause = z.strictObject({ action: z.literal('pause') }).describe('Holds the run where it is.');

export const Reset = z
  .strictObject({ action: z.literal('reset') })
  .describe('Back to tick 0 of the same scenario and seed, with no actions, running or paused as before.');

export const ListScenarios = z
  .strictObject({ action: z.literal('list_scenarios') })
  .describe('Asks for the scenarios that there are.');

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

export type ActionName = keyof typeof CLIENT_MESSAGES;
export type ClientMessage = z.infer<(typeof CLIENT_MESSAGES)[ActionName]>;
export type StartMessage = z.infer<typeof StartSimulation>;
export type ResumeMessage = z.infer<typeof Resume>;
