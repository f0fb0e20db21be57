import { parseMessage } from './parse-message.ts';
import { errorMessage } from './problems.ts';
import type { SERVER_MESSAGES } from './server-message.ts';
import { answerTo, NEW_SESSION, receive, type Session, updateOf } from './session.ts';

const scenario = 'cathedral_multiplier_proposal';
const REPEATABLE = {
  action: 'start_simulation',
  scenario,
  seed: 151,
  paused: true,
  outlooks: true,
};
const CHOICE = { name: 'amend_multiplier', parameters: { multiplier: 1.3 } };

/** Messages of a client as examples, each with its purpose, in the order of a conversation. */
export const CLIENT_EXAMPLES: readonly {
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
  { meaning: 'One tick.', message: { action: 'step' } },
  { meaning: 'A choice of the decision that has opened.', message: { action: 'take_action', ...CHOICE } },
  { meaning: 'On by itself, twice a second.', message: { action: 'run', pace_ms: 500 } },
  { meaning: 'Stop.', message: { action: 'pause' } },
  { meaning: 'To the end at once.', message: { action: 'step', ticks: 100 } },
  { meaning: 'The same again, from the beginning.', message: { action: 'reset' } },
  {
    meaning: 'The same run again, on this connection or another, up to tick 7.',
    message: { action: 'start_simulation', scenario, seed: 151, actions: [{ tick: 1, ...CHOICE }], tick: 7 },
  },
];

/** Each message of the service, as the engine sends it: an update at the first decision, the scenarios, a refusal. */
export function serverExamples(): Readonly<Record<keyof typeof SERVER_MESSAGES, object>> {
  const parsed = (message: object) => parseMessage(JSON.stringify(message));
  const say = (session: Session, message: object) =>
    receive(session, parsed(message), { now: 0, newSeed: () => 0 });
  return {
    simulation_update: updateOf([REPEATABLE, { action: 'step' }].reduce(say, NEW_SESSION)),
    scenario_list: answerTo(parsed({ action: 'list_scenarios' }), NEW_SESSION),
    simulation_error: refusalOf(() => parsed({ ...REPEATABLE, seed: 1.5, id: 7 })),
  };
}

function refusalOf(refused: () => unknown): object {
  try {
    throw new Error(`a refusal is expected, found ${refused()}`);
  } catch (error) {
    return errorMessage(error)!;
  }
}
