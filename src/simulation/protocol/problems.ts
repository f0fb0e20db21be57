import { SIMULATION_PROBLEMS, SimulationFault } from '../fault.ts';
import type { MessageId } from './client-message.ts';
import type { SimulationError } from './server-message.ts';

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

/** Null for an internal error. `id`: that of the message that is refused, if the fault does not know it. */
export function errorMessage(error: unknown, id?: MessageId): SimulationError | null {
  if (!(error instanceof SimulationFault)) return null;
  const { code, message, replyTo = id } = error;
  const { status, title } = SIMULATION_PROBLEMS[code];
  const problem = { type: `${PROTOCOL_PAGE}#${code}`, title, status, detail: message, code };
  return { type: 'simulation_error', problem, ...(replyTo === undefined ? {} : { reply_to: replyTo }) };
}
