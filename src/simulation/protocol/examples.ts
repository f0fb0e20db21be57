import type { Recorded } from '../run.ts';
import type { ActionName } from './client-message.ts';

/** A run as it is recorded: the branch of the conversation, and what its resume token stands for. */
const BRANCH = {
  scenario: 'cathedral_multiplier_proposal',
  seed: 151,
  actions: [{ tick: 1, name: 'amend_multiplier', parameters: { multiplier: 1.3 } }],
  tick: 7,
} as const satisfies Recorded;
const TOKEN =
  'WyIwOTgxNjc3MyIseyJzY2VuYXJpbyI6ImNhdGhlZHJhbF9tdWx0aXBsaWVyX3Byb3Bvc2FsIiwic2VlZCI6MTUxLCJhY3Rpb25zIjpbeyJ0aWNrIjoxLCJuYW1lIjoiYW1lbmRfbXVsdGlwbGllciIsInBhcmFtZXRlcnMiOnsibXVsdGlwbGllciI6MS4zfX1dLCJ0aWNrIjo3fSwxNzY3MzEyMDAwMDAwXQ.qrwu0neOXiVP_Thq7NH_z3vy7gKEQgAjOARRqSgGi1s';

/** In the conversation there is only one token. */
export function openExampleToken(): Recorded {
  return BRANCH;
}

/**
 * One conversation from a client's view: each message by its action, with its purpose. The protocol page and `/asyncapi.json`
 * show it, and a test verifies it.
 */
export const CONVERSATION: readonly { action: ActionName; meaning: string; message: object }[] = [
  {
    action: 'list_scenarios',
    meaning: 'What is there to play?',
    message: { action: 'list_scenarios' },
  },
  {
    action: 'start_simulation',
    meaning: 'The shortest start: it runs by itself, a tick a second.',
    message: { action: 'start_simulation', scenario: 'cathedral_multiplier_proposal' },
  },
  {
    action: 'start_simulation',
    meaning: 'A start that can be repeated, waits, and says what each choice would do.',
    message: {
      action: 'start_simulation',
      scenario: 'cathedral_multiplier_proposal',
      seed: 151,
      paused: true,
      outlooks: true,
    },
  },
  { action: 'step', meaning: 'One tick.', message: { action: 'step' } },
  {
    action: 'take_action',
    meaning: 'A choice of the decision that has opened.',
    message: { action: 'take_action', name: 'amend_multiplier', parameters: { multiplier: 1.3 } },
  },
  { action: 'run', meaning: 'On by itself, twice a second.', message: { action: 'run', pace_ms: 500 } },
  { action: 'pause', meaning: 'Stop.', message: { action: 'pause' } },
  {
    action: 'step',
    meaning: 'To the end at once.',
    message: { action: 'step', ticks: 100 },
  },
  { action: 'reset', meaning: 'The same again, from the beginning.', message: { action: 'reset' } },
  {
    action: 'start_simulation',
    meaning: 'A branch: as before up to tick 7, and then otherwise.',
    message: { action: 'start_simulation', ...BRANCH, paused: true },
  },
  {
    action: 'resume',
    meaning: 'On another connection, after this one ended: the same run, a tick later.',
    message: { action: 'resume', token: TOKEN, tick: 8, paused: true },
  },
];
