import { CONVERSATION, openExampleToken } from './examples.ts';
import { parseMessage } from './parse-message.ts';
import { messageOf, NEW_SESSION, type Reply, receive, type SimulationUpdate } from './session.ts';

/** The answers to a message of the conversation; of an update, only what the message changed. */
export interface ExampleAnswer {
  action: string;
  meaning: string;
  message: object;
  answer: object;
}

/** The conversation with its answers, produced by the engine as if each message arrived immediately after the previous one. */
export function exampleAnswers(): ExampleAnswer[] {
  let reply: Reply = { session: NEW_SESSION, answer: null };
  return CONVERSATION.map((example) => {
    const message = parseMessage(JSON.stringify(example.message));
    // Resuming takes another connection.
    const session = example.action === 'resume' ? NEW_SESSION : reply.session;
    reply = receive(session, message, { now: 0, newSeed: () => 0, openToken: openExampleToken });
    return { ...example, answer: excerptOf(messageOf(reply)!) };
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
  const start = parseMessage(JSON.stringify(CONVERSATION[2]!.message));
  const begun = receive(NEW_SESSION, start, { now: 0, newSeed: () => 0 });
  const stepped = receive(begun.session, { action: 'step', ticks: 1 }, { now: 0, newSeed: () => 0 });
  return messageOf(stepped) as SimulationUpdate;
}
