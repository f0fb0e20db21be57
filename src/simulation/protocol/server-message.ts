import { z } from 'zod';
import { Count, ReplyTo, Tick } from './members.ts';
import { SIMULATION_PROBLEMS, type SimulationProblemCode } from './problems.ts';
import { SimulationUpdate } from './simulation-update.ts';

export const ScenarioList = z
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

export const SimulationError = z
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

export type ScenarioList = z.infer<typeof ScenarioList>;
export type SimulationError = z.infer<typeof SimulationError>;
