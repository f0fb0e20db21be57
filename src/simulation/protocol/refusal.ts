import { SimulationFault } from '../fault.ts';
import { PROTOCOL_PAGE, SIMULATION_PROBLEMS, type SimulationProblemCode } from './problems.ts';
import type { SimulationError } from './server-message.ts';

/** Thrown at any depth for a message that is not followed, and sent to the client. */
export class SimulationRefusal extends Error {
  readonly code: SimulationProblemCode;

  /** `detail` is for the sender of the message. */
  constructor(code: SimulationProblemCode, detail: string) {
    super(detail);
    this.name = 'SimulationRefusal';
    this.code = code;
  }
}

export function refuse(code: SimulationProblemCode, detail: string): SimulationRefusal {
  return new SimulationRefusal(code, detail);
}

/** Null for an internal error, which is not a refusal. */
export function errorMessage(error: unknown): SimulationError | null {
  if (!(error instanceof SimulationRefusal || error instanceof SimulationFault)) return null;
  const { code, message } = error;
  const { status, title } = SIMULATION_PROBLEMS[code];
  const problem = { type: `${PROTOCOL_PAGE}#${code}`, title, status, detail: message, code };
  return { type: 'simulation_error', problem };
}
