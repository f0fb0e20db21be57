import { type FaultCode, SimulationFault } from '../fault.ts';
import type { MessageId } from './client-message.ts';

interface ProblemEntry {
  status: number;
  title: string;
  meaning: string;
}

/** Every `code` of a simulation_error. The protocol page describes each of them. */
export const SIMULATION_PROBLEMS = {
  malformed_message: {
    status: 400,
    title: 'Unreadable message',
    meaning: 'The message is not JSON, or not an object.',
  },
  binary_message: {
    status: 400,
    title: 'Messages are text',
    meaning: 'The client sent a binary frame. The service closes the connection with 1003.',
  },
  unknown_action: {
    status: 400,
    title: 'Unknown action',
    meaning: 'The member action is missing or unknown to the protocol.',
  },
  invalid_message: {
    status: 400,
    title: 'Invalid message',
    meaning: 'A member is missing, unknown, of the wrong type or out of range; the detail names it.',
  },
  unknown_scenario: {
    status: 404,
    title: 'Unknown scenario',
    meaning: 'list_scenarios returns the available scenarios.',
  },
  invalid_seed: { status: 400, title: 'Invalid seed', meaning: 'A seed is an integer from 0 to 2³² − 1.' },
  missing_seed: {
    status: 400,
    title: 'Seed missing',
    meaning: 'A start with actions or a tick needs the seed of their run.',
  },
  invalid_settings: {
    status: 400,
    title: 'Invalid settings',
    meaning: 'A parameter of the model is unknown or its value is out of range; the detail names it.',
  },
  invalid_actions: {
    status: 400,
    title: 'The actions cannot be replayed',
    meaning: 'Their ticks decrease or exceed the end of the scenario.',
  },
  invalid_parameters: {
    status: 400,
    title: 'Invalid parameters',
    meaning: 'A parameter is unknown or its value is out of range; next_actions lists the ranges.',
  },
  action_unavailable: {
    status: 409,
    title: 'Action not available',
    meaning:
      'The action is not in next_actions: its decision is not open yet or was already taken, or the action does not exist.',
  },
  simulation_over: {
    status: 409,
    title: 'The simulation is over',
    meaning: 'The simulation reached its ending. Reset it or start a new one.',
  },
  not_started: {
    status: 409,
    title: 'No simulation started',
    meaning: 'Send start_simulation first.',
  },
  too_many_messages: {
    status: 429,
    title: 'Too many messages',
    meaning:
      'The client sent more messages than the limit per second, or many while answers were outstanding. The service closes the connection with 1008.',
  },
  rate_limited: {
    status: 429,
    title: 'Daily limit of simulations reached',
    meaning:
      'This network, or the holder of the key, has started as many simulations as a day has. The current run continues.',
  },
  too_many_connections: {
    status: 503,
    title: 'Too many connections',
    meaning:
      'The service has as many connections as it takes, in all or from this network. A page gets it on an open connection, which is then closed with 1013; other clients get it instead of a connection.',
  },
  request_not_counted: {
    status: 503,
    title: 'Start not counted',
    meaning:
      'Starts are limited, and the service cannot write the count at present. Try again in half a minute.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'An internal error occurred and was logged. The service closes the connection with 1011.',
  },
} as const satisfies Readonly<Record<FaultCode, ProblemEntry>> & Readonly<Record<string, ProblemEntry>>;

export type SimulationProblemCode = keyof typeof SIMULATION_PROBLEMS;

/** The page that describes every message, problem and close code. */
export const PROTOCOL_PAGE = '/philosophy/simulation/protocol/';

/** Why the service closes a connection, by close code. Codes below 4000: RFC 6455 §7.4.1. */
export const CLOSE_CODES = {
  1001: 'The service is shutting down. Reconnect in a few seconds, and start again with seed, settings and actions.',
  1002: 'The client sent an invalid WebSocket frame.',
  1003: 'The client sent a binary message; messages are text.',
  1007: 'A text message is not UTF-8.',
  1008: 'Too many messages per second, or too many fragments in a message.',
  1009: 'A message is too long.',
  1011: 'An internal error occurred and was logged.',
  1013: 'The service has as many connections as it takes, in all or from this network. Try again later.',
  4000: 'The connection was idle for too long.',
  4001: 'The connection reached its maximum duration. Reconnect, and start again with seed, settings and actions.',
  4002: 'The key of the connection was revoked or has expired.',
} as const satisfies Readonly<Record<number, string>>;

export type CloseCode = keyof typeof CLOSE_CODES;

/** Thrown at any depth for a message that is not followed, and sent to the client. */
export class SimulationRefusal extends Error {
  readonly code: SimulationProblemCode;
  /** The id of the message, if it could be read. */
  readonly replyTo: MessageId | undefined;

  /** `detail` is for the sender of the message. */
  constructor(code: SimulationProblemCode, detail: string, replyTo?: MessageId) {
    super(detail);
    this.name = 'SimulationRefusal';
    this.code = code;
    this.replyTo = replyTo;
  }
}

export function refuse(code: SimulationProblemCode, detail: string, replyTo?: MessageId): SimulationRefusal {
  return new SimulationRefusal(code, detail, replyTo);
}

interface SimulationError {
  type: 'simulation_error';
  problem: { type: string; title: string; status: number; detail: string; code: SimulationProblemCode };
  reply_to?: MessageId;
}

/** Null for an internal error, which is not a refusal. `id`: that of the message that is refused, if the error does not know it. */
export function errorMessage(error: unknown, id?: MessageId): SimulationError | null {
  if (!(error instanceof SimulationRefusal || error instanceof SimulationFault)) return null;
  const { code, message } = error;
  const { status, title } = SIMULATION_PROBLEMS[code];
  const problem = { type: `${PROTOCOL_PAGE}#${code}`, title, status, detail: message, code };
  const replyTo = error instanceof SimulationRefusal ? (error.replyTo ?? id) : id;
  return { type: 'simulation_error', problem, ...(replyTo === undefined ? {} : { reply_to: replyTo }) };
}
