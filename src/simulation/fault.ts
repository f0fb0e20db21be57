/** What can be wrong with a request to the engine. */
export type FaultCode =
  | 'unknown_scenario'
  | 'invalid_seed'
  | 'invalid_settings'
  | 'invalid_actions'
  | 'invalid_parameters'
  | 'action_unavailable'
  | 'simulation_over';

/** The message tells the client what was expected and what was found. */
export class SimulationFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, detail: string) {
    super(detail);
    this.name = 'SimulationFault';
    this.code = code;
  }
}
