import { expect, test } from 'vitest';
import {
  type CLOSE_CODES,
  SIMULATION_PROBLEMS,
  type SimulationProblemCode,
} from '../../../src/simulation/protocol/problems.ts';
import { openClient, type Told } from './simulation-client.ts';
import { type ServerOptions, simulationServer } from './simulation-server.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 1, paused: true };
const ACT = { action: 'take_action', name: 'brief_sentinel', parameters: { sentinel: 'NOBODY' } };
const FULL = { allowed: false, limit: 1, remaining: 0, resetSeconds: 60 };

interface Provocation {
  server?: ServerOptions;
  headers?: Record<string, string>;
  /** Sent in this order on one connection; the last one is refused, or the connection itself if there is none. A function gets the newest resume token. */
  say: readonly (object | string | Buffer | ((token: string) => object))[];
  /** Sends all but the first on another connection. */
  again?: boolean;
  /** The detail, where it says what was expected and found. */
  detail?: string | RegExp;
  closes?: keyof typeof CLOSE_CODES;
}

const limiter = (take: () => Promise<unknown>) => ({ services: { limiter: { take } as never } });
/** From noon of one day to noon of the next but one, as the first token is opened. */
const nextDays = (): ServerOptions => {
  let day = 0;
  const now = () => Date.UTC(2025, 11, 1) + 86_400_000 * day++;
  return { services: { now } };
};

const PROVOCATIONS: Record<SimulationProblemCode, Provocation> = {
  malformed_message: { say: ['{'] },
  binary_message: { say: [Buffer.from('{}')], closes: 1003 },
  unknown_action: { say: [{ action: 'dance' }], detail: /^action: expected one of .*; found "dance"\.$/ },
  invalid_message: {
    say: [{ action: 'step', ticks: 0 }],
    detail: 'ticks: expected a whole number from 1 to 100, found 0.',
  },
  unknown_scenario: { say: [{ ...START, scenario: 'none' }], detail: /found "none"/ },
  invalid_seed: {
    say: [{ ...START, seed: 1.5 }],
    detail: 'seed: expected a whole number from 0 to 4294967295, found 1.5.',
  },
  invalid_settings: {
    say: [{ ...START, settings: { quorum: 7 } }],
    detail: 'settings.quorum: expected a number from 0.3 to 1, found 7.',
  },
  missing_seed: { say: [{ ...START, seed: undefined, tick: 3 }] },
  invalid_actions: { say: [{ ...START, tick: 9999 }], detail: /^tick: expected .*found 9999\.$/ },
  invalid_parameters: { say: [START, ACT], detail: /^sentinel: expected one of .*found "NOBODY"\.$/ },
  action_unavailable: {
    say: [START, { action: 'take_action', name: 'none' }],
    detail: /found "none"\.$/,
  },
  simulation_over: { say: [START, { action: 'step', ticks: 100 }, { action: 'step' }] },
  not_started: { say: [{ action: 'step' }] },
  invalid_token: { say: [{ action: 'resume', token: 'x' }] },
  token_expired: {
    server: nextDays(),
    say: [START, (token) => ({ action: 'resume', token })],
    again: true,
    detail: /^The token expired at 2025-/,
  },
  already_started: { say: [START, (token) => ({ action: 'resume', token })] },
  too_many_resumes: {
    // Two connections give four resumes at once, and a tick beyond the end takes one of them.
    server: { limits: { resumesPerMinute: 0, connectionsPerClient: 2 } },
    say: [
      START,
      ...Array.from({ length: 5 }, () => (token: string) => ({ action: 'resume', token, tick: 99 })),
    ],
    again: true,
  },
  resume_unavailable: {
    server: { readSecret: () => new Promise(() => {}) },
    say: [{ action: 'resume', token: 'x' }],
  },
  too_many_messages: {
    server: { limits: { burst: 1, messagesPerSecond: 0.001 } },
    say: [{ action: 'list_scenarios' }, { action: 'list_scenarios' }],
    closes: 1008,
  },
  rate_limited: { server: limiter(async () => FULL), say: [START] },
  too_many_connections: {
    server: { limits: { connectionsPerClient: 0 } },
    headers: { Origin: 'https://data.example.org' },
    say: [],
    closes: 1013,
  },
  request_not_counted: { server: limiter(() => Promise.reject(new Error('the disk is full'))), say: [START] },
  // A count that is none: a fault of the service, whatever it is.
  internal_error: { server: limiter(async () => null), say: [START], closes: 1011 },
};

test.each(Object.entries(PROVOCATIONS))(
  '%s occurs as documented, and what ran goes on',
  async (code, { server, headers, say, again = false, detail, closes }) => {
    const { url } = await simulationServer(server);
    let client = await openClient(url, headers);
    let told: Told = say.length > 0 ? { type: '' } : await client.next();
    let token = '';
    for (const [place, message] of say.entries()) {
      if (place === 1 && again) client = await openClient(url);
      const said = typeof message === 'function' ? message(token) : message;
      if (Buffer.isBuffer(said)) client.socket.send(said, { binary: true });
      else client.say(typeof said === 'string' ? said : { ...said, id: place });
      told = await client.next();
      token = (told.resume_token as string | undefined) ?? token;
    }
    const { status, title } = SIMULATION_PROBLEMS[code as SimulationProblemCode];
    const type = `/philosophy/simulation/protocol/#${code}`;
    expect(told.problem).toEqual({ type, title, status, code, detail: expect.any(String) });
    if (detail !== undefined) expect(told.problem!.detail).toMatch(detail);
    const wasRead = ![
      'malformed_message',
      'binary_message',
      'too_many_messages',
      'too_many_connections',
    ].includes(code);
    expect(told.reply_to).toBe(wasRead && closes !== 1011 ? say.length - 1 : undefined);
    if (closes !== undefined) expect(await client.closed).toBe(closes);
    else expect(await client.ask({ action: 'list_scenarios' })).toMatchObject({ type: 'scenario_list' });
  },
);
