import type { FaultCode } from '../fault.ts';

interface ProblemEntry {
  status: number;
  title: string;
  meaning: string;
}

/** Every `code` of a simulation_error. The protocol page describes each of them. */
export const SIMULATION_PROBLEMS = {
  malformed_message: {
    status: 400,
    title: 'The message cannot be read',
    meaning: 'It is not JSON, or it is not an object.',
  },
  binary_message: {
    status: 400,
    title: 'Messages are text',
    meaning: 'A binary frame came. The connection is closed, with 1003.',
  },
  unknown_action: {
    status: 400,
    title: 'There is no such action',
    meaning: 'The member action is missing, or is none of those that the protocol has.',
  },
  invalid_message: {
    status: 400,
    title: 'The message has not the form of its action',
    meaning: 'A member is missing, unknown, of another type or out of its range; the detail says which.',
  },
  unknown_scenario: {
    status: 404,
    title: 'There is no such scenario',
    meaning: 'list_scenarios says which there are.',
  },
  invalid_seed: { status: 400, title: 'The seed is none', meaning: 'A seed is a whole number below 2³².' },
  invalid_actions: {
    status: 400,
    title: 'The actions cannot be replayed',
    meaning: 'Their ticks go back, or beyond the end of the scenario.',
  },
  invalid_parameters: {
    status: 400,
    title: 'The action takes other parameters',
    meaning: 'A parameter is unknown, or its value is not one that it takes; next_actions has their ranges.',
  },
  action_unavailable: {
    status: 409,
    title: 'The action cannot be taken now',
    meaning:
      'It is not among next_actions: its decision is not open yet, or was taken, or there is no such action.',
  },
  simulation_over: {
    status: 409,
    title: 'The simulation is over',
    meaning: 'It has come to its ending. Reset it, or start another one.',
  },
  not_started: {
    status: 409,
    title: 'There is no simulation yet',
    meaning: 'Send start_simulation first.',
  },
  too_many_messages: {
    status: 429,
    title: 'Too many messages',
    meaning:
      'More messages came than the connection may send in a second. The connection is closed, with 1008.',
  },
  rate_limited: {
    status: 429,
    title: 'The simulations of this day are used up',
    meaning: 'Each start counts as a request of the area philosophy. The one that is running goes on.',
  },
  request_not_counted: {
    status: 503,
    title: 'The start cannot be counted',
    meaning: 'Simulations are limited, and the count cannot be written now. Try again in half a minute.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'The fault is ours, and it is in our log. The connection is closed, with 1011.',
  },
} as const satisfies Readonly<Record<FaultCode, ProblemEntry>> & Readonly<Record<string, ProblemEntry>>;

export type SimulationProblemCode = keyof typeof SIMULATION_PROBLEMS;

/** The page that describes every message, problem and close code. */
export const PROTOCOL_PAGE = '/philosophy/simulation/protocol/';

/** Why the service closes a connection, by close code. Codes below 4000: RFC 6455 §7.4.1. */
export const CLOSE_CODES = {
  1001: 'The service is going down. Connect again in a few seconds, and resume.',
  1002: 'What came is no WebSocket frame, or one that a client may not send.',
  1003: 'A binary message came; messages are text.',
  1007: 'A text message is not UTF-8.',
  1008: 'Too many messages a second, or a message in too many fragments.',
  1009: 'A message is too long.',
  1011: 'The service failed. The fault is ours, and it is in our log.',
  4000: 'Nothing was asked and nothing was running for too long.',
  4001: 'The connection has been open for as long as one may be. Connect again, and resume.',
  4002: 'The key that the connection was opened with was revoked or has ended.',
} as const satisfies Readonly<Record<number, string>>;

export type CloseCode = keyof typeof CLOSE_CODES;
