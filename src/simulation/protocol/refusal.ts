import { SimulationFault } from '../fault.ts';
import type { MessageId } from './client-message.ts';
import { PROTOCOL_PAGE, SIMULATION_PROBLEMS, type SimulationProblemCode } from './problems.ts';
import type { SimulationError } from './server-message.ts';

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

/** Null for an internal error, which is not a refusal. `id`: that of the message that is refused, if the error does not know it. */
export function errorMessage(error: unknown, id?: MessageId): SimulationError | null {
  if (!(error instanceof SimulationRefusal || error instanceof SimulationFault)) return null;
  const { code, message } = error;
  const { status, title } = SIMULATION_PROBLEMS[code];
  const problem = { type: `${PROTOCOL_PAGE}#${code}`, title, status, detail: message, code };
  const replyTo = error instanceof SimulationRefusal ? (error.replyTo ?? id) : id;
  return { type: 'simulation_error', problem, ...(replyTo === undefined ? {} : { reply_to: replyTo }) };
}
