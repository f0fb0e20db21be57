/** Every `code` of a simulation_error. The protocol page describes each of them. */
export const SIMULATION_PROBLEMS = {
  malformed_message: {
    status: 400,
    title: 'Unreadable message',
    meaning: 'The message is not JSON, not an object, has a member twice, or is nested too deeply.',
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
} as const satisfies Readonly<Record<string, { status: number; title: string; meaning: string }>>;

export type SimulationProblemCode = keyof typeof SIMULATION_PROBLEMS;

/** A request to the engine, or a message, that is not followed. The text tells the client the place, what was expected and what was found. */
export class SimulationFault extends Error {
  readonly code: SimulationProblemCode;
  /** The id of the message, if it could be read. */
  readonly replyTo: string | number | undefined;

  constructor(code: SimulationProblemCode, detail: string, replyTo?: string | number) {
    super(detail);
    this.name = 'SimulationFault';
    this.code = code;
    this.replyTo = replyTo;
  }
}

/** `found`: the value. */
export function faultAt(
  code: SimulationProblemCode,
  place: string,
  expected: string,
  found: unknown,
): SimulationFault {
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
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  // JSON has no Infinity, which 1e400 is read as.
  if (typeof value === 'number') return String(value);
  return shortened(JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
