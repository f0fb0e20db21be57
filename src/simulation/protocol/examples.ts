import type { Recorded } from '../run.ts';
import type { ActionName } from './client-message.ts';
import { parseMessage } from './parse-message.ts';
import type { SimulationUpdate } from './server-message.ts';
import { messageOf, NEW_SESSION, type Reply, receive } from './session.ts';

/** A run as it is recorded: the branch of the conversation. */
const BRANCH = {
  scenario: 'cathedral_multiplier_proposal',
  seed: 151,
  actions: [{ tick: 1, name: 'amend_multiplier', parameters: { multiplier: 1.3 } }],
  tick: 7,
} as const satisfies Recorded;
const { scenario, seed } = BRANCH;

const STEP = { action: 'step' };
const REPEATABLE = { action: 'start_simulation', scenario, seed, paused: true, outlooks: true };

/**
 * One conversation from a client's view: each message with its purpose. The protocol page and `/asyncapi.json` show it, and a test
 * verifies it.
 */
export const CONVERSATION: readonly {
  meaning: string;
  message: { action: string; [member: string]: unknown };
}[] = [
  { meaning: 'What is there to play?', message: { action: 'list_scenarios' } },
  {
    meaning: 'The shortest start: it runs by itself, a tick a second.',
    message: { action: 'start_simulation', scenario },
  },
  {
    meaning: 'A start that can be repeated, waits, and says what each choice would do.',
    message: REPEATABLE,
  },
  { meaning: 'One tick.', message: STEP },
  {
    meaning: 'A choice of the decision that has opened.',
    message: { action: 'take_action', name: 'amend_multiplier', parameters: { multiplier: 1.3 } },
  },
  { meaning: 'On by itself, twice a second.', message: { action: 'run', pace_ms: 500 } },
  { meaning: 'Stop.', message: { action: 'pause' } },
  { meaning: 'To the end at once.', message: { ...STEP, ticks: 100 } },
  { meaning: 'The same again, from the beginning.', message: { action: 'reset' } },
  {
    meaning: 'The same run again, on this connection or another: as before up to tick 7, and then otherwise.',
    message: { action: 'start_simulation', ...BRANCH, paused: true },
  },
];

/** An example of a message, with its answer; of an update, only what the message changed. */
export interface ExampleAnswer {
  action: ActionName;
  meaning: string;
  message: object;
  answer: object;
}

/** The conversation with its answers, produced by the engine as if each message arrived immediately after the previous one. */
export function exampleAnswers(): ExampleAnswer[] {
  let reply: Reply = { session: NEW_SESSION, answer: null };
  return CONVERSATION.map((example) => {
    const message = parseMessage(JSON.stringify(example.message));
    reply = receive(reply.session, message, { now: 0, newSeed: () => 0 });
    return { ...example, action: message.action, answer: excerptOf(messageOf(reply)!) };
  });
}

/** Omits values that depend on the seed if the message has none, because the service then chooses it. */
export function excerptOf(message: NonNullable<ReturnType<typeof messageOf>>): object {
  if (message.type === 'scenario_list')
    return {
      type: message.type,
      scenarios: message.scenarios.map(({ name, horizon, endings }) => ({ name, horizon, endings })),
    };
  const { type, scenario, tick, current_state: state, next_actions } = message;
  const { cycle, is_running, pace_ms, is_over, actions } = state;
  return {
    type,
    scenario,
    tick,
    current_state: { cycle, is_over, is_running, pace_ms, actions },
    next_actions: next_actions.map(({ name }) => ({ name })),
  };
}

/** A complete update, at the first decision of the conversation's scenario. */
export function exampleUpdate(): SimulationUpdate {
  const say = (before: Reply, message: object) =>
    receive(before.session, parseMessage(JSON.stringify(message)), { now: 0, newSeed: () => 0 });
  return messageOf(
    [REPEATABLE, STEP].reduce<Reply>(say, { session: NEW_SESSION, answer: null }),
  ) as SimulationUpdate;
}
