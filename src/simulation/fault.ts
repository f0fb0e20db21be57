/** What can be wrong with a request to the engine. */
export type FaultCode =
  | 'unknown_scenario'
  | 'invalid_seed'
  | 'invalid_settings'
  | 'invalid_actions'
  | 'invalid_parameters'
  | 'action_unavailable'
  | 'simulation_over';

/** The message tells the client where the fault is, what was expected there and what was found. */
export class SimulationFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, detail: string) {
    super(detail);
    this.name = 'SimulationFault';
    this.code = code;
  }
}

/** `found`: the value. */
export function faultAt(code: FaultCode, place: string, expected: string, found: unknown): SimulationFault {
  return new SimulationFault(code, describeFault(place, expected, describeValue(found)));
}

/** Maximum characters of a place or a value, in a detail: enough to recognise it. */
const SHOWN = 60;
/** Maximum characters of what is expected, which may be long. */
const LONGEST = 300;

/** `quorum: expected a number from 0.3 to 1, found 7.` */
export function describeFault(place: string, expected: string, found: string): string {
  const end = expected.includes(',') ? ';' : ',';
  return `${place.slice(0, SHOWN)}: expected ${expected.slice(0, LONGEST)}${end} found ${found}.`;
}

export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
