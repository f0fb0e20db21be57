import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import { secretOfFile } from '../../../src/sidecar/simulation/resume-secret.ts';
import { ResumeTokens } from '../../../src/sidecar/simulation/resume-tokens.ts';
import { PROTOCOL_LIMITS } from '../../../src/simulation/protocol/limits.ts';
import { SimulationRefusal } from '../../../src/simulation/protocol/refusal.ts';
import { MAX_ACTIONS, type Run, replay } from '../../../src/simulation/run.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios.ts';
import { show } from '../../../src/simulation/view.ts';
import { openClient, type Told } from './simulation-client.ts';
import { simulationServer } from './simulation-server.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 7, paused: true };
const SECRET = randomBytes(32);
const NOON = Date.UTC(2025, 11, 1, 12);
const DAY_MS = 24 * 60 * 60 * 1000;

interface Clock {
  now: number;
}

/** Tokens whose secret is there. */
async function tokensOf(secret: Uint8Array = SECRET, clock: Clock = { now: NOON }): Promise<ResumeTokens> {
  const report = (error: unknown) => {
    throw error;
  };
  const tokens = new ResumeTokens({ readSecret: async () => secret, now: () => clock.now, report });
  await new Promise(setImmediate);
  return tokens;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SimulationRefusal) return error.code;
    throw error;
  }
  return 'opened';
}

function signed(payload: unknown, secret: Uint8Array = SECRET): string {
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${body}.${createHmac('sha256', secret).update(`resume ${body}`).digest('base64url')}`;
}

describe('a token', () => {
  test('is refused with any other character, with another secret, of another engine, and when it has expired', async () => {
    const clock = { now: NOON };
    const tokens = await tokensOf(SECRET, clock);
    const run = replay({
      scenario: 'model_drift',
      seed: 1,
      actions: [{ tick: 1, name: 'audit', parameters: {} }],
    });
    const token = tokens.issue(run, NOON + 1)!;
    // The last character of 43 has two bits that stand for nothing.
    for (const [place, found] of [...token.slice(0, -1)].entries()) {
      const changed = `${token.slice(0, place)}${found === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
      expect(
        codeOf(() => tokens.open(changed)),
        changed,
      ).toBe('invalid_token');
    }
    for (const other of ['', '.', token.slice(0, -1), `${token}A`, token.split('.')[0]!, ` ${token}`])
      expect(
        codeOf(() => tokens.open(other)),
        other,
      ).toBe('invalid_token');
    const recorded = { scenario: 'model_drift', seed: 1, actions: [], tick: 0 };
    expect(codeOf(() => tokens.open(signed(['other', recorded, NOON + 1])))).toBe('invalid_token');
    expect(codeOf(() => tokens.open(signed({ another: 'form' })))).toBe('invalid_token');
    const strangers = await tokensOf(randomBytes(32));
    expect(codeOf(() => strangers.open(token))).toBe('invalid_token');
    expect(codeOf(() => tokens.open(token))).toBe('opened');
    clock.now += 1;
    expect(codeOf(() => tokens.open(token))).toBe('token_expired');
  });

  test('of the longest run fits into a message', async () => {
    const tokens = await tokensOf();
    const choices = SCENARIOS.flatMap((scenario) => {
      const run = replay({ scenario: scenario.name, seed: 1, actions: [], tick: 1 });
      return show(run).next_actions.map(({ name, parameters }) => {
        const values = Object.entries(parameters).map(([parameter, each]) => {
          return [parameter, each.kind === 'number' ? 1.234567890123456 : each.values.at(-1)!] as const;
        });
        return { run, action: { tick: 1, name, parameters: Object.fromEntries(values) } };
      });
    });
    const lengths = choices.map(({ run, action }) => {
      const actions = Array.from({ length: MAX_ACTIONS }, () => action);
      return tokens.issue({ ...run, actions } satisfies Run, NOON + DAY_MS)!.length;
    });
    expect(Math.max(...lengths)).toBeLessThan(PROTOCOL_LIMITS.tokenCharacters);
    expect(PROTOCOL_LIMITS.tokenCharacters).toBeLessThan(PROTOCOL_LIMITS.messageBytes / 1.5);
    const parameters = { long: 'x'.repeat(8000) };
    const endless = { ...choices[0]!.run, actions: [{ tick: 1, name: 'audit', parameters }] };
    expect(tokens.issue(endless, NOON)).toBeNull();
  });
});

const tokenIn = (told: Told) => told.resume_token as string;

describe('a run whose server has gone', () => {
  test('without an action continues as one that others watch, at the tick of the token', async () => {
    const { url } = await simulationServer();
    const client = await openClient(url);
    await client.ask(START);
    const told = await client.ask({ action: 'step', ticks: 3 });
    const others = await Promise.all([openClient(url), openClient(url)]);
    for (const other of others) {
      const answer = await other.ask({
        action: 'resume',
        token: tokenIn(told),
        paused: true,
        outlooks: true,
      });
      expect(answer.tick).toBe(3);
      expect((await other.ask({ action: 'reset' })).tick).toBe(0);
    }
  });
});

describe('resuming is no way around a limit', () => {
  test('a network resumes only so many, and no forged token counts', async () => {
    const limits = { connectionsPerClient: 2, resumesPerMinute: 0.001 };
    const { url, simulation } = await simulationServer({ limits });
    const first = await openClient(url);
    const token = tokenIn(await first.ask(START));
    const codes: (string | undefined)[] = [];
    for (let round = 0; round < 6; round += 1) {
      const client = await openClient(url);
      await client.ask({ action: 'resume', token: 'forged' });
      codes.push((await client.ask({ action: 'resume', token })).problem?.code);
      client.socket.close();
      await client.closed;
      await expect.poll(() => simulation.counts().connections).toBe(1);
    }
    expect(codes).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'too_many_resumes',
      'too_many_resumes',
    ]);
    // Another network is not concerned.
    const other = await openClient(url, { 'X-Forwarded-For': '203.0.113.9' });
    expect((await other.ask({ action: 'resume', token })).type).toBe('simulation_update');
  });

  test('an overloaded server, and one without its secret, refuse for now', async () => {
    const gate = new LoadGate({ limits: { active: 1, loopDelayMs: 1e6 }, loopDelayMs: () => 0 });
    const { url } = await simulationServer({ services: { gate } });
    const token = tokenIn(await (await openClient(url)).ask(START));
    const client = await openClient(url);
    const other = gate.enter('anonymous');
    expect((await client.ask({ action: 'resume', token })).problem!.code).toBe('resume_unavailable');
    other.leave();
    expect((await client.ask({ action: 'resume', token })).type).toBe('simulation_update');

    const without = await simulationServer({ readSecret: () => Promise.reject(new Error('no store')) });
    const lost = await openClient(without.url);
    expect((await lost.ask({ action: 'resume', token })).problem!.code).toBe('resume_unavailable');
    expect((await lost.ask(START)).resume_token).toBeNull();
    expect(without.logged).toMatchObject([{ err: { message: 'no store' } }]);
  });
});

describe('the secret of one machine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cathedral-secret-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('is created once, by whichever server is first, and only its owner reads it', async () => {
    const path = join(folder, 'limits', 'simulation.secret');
    const all = await Promise.all(Array.from({ length: 8 }, () => secretOfFile(path)));
    for (const secret of all) expect(Buffer.from(secret).equals(Buffer.from(all[0]!))).toBe(true);
    expect(await secretOfFile(path)).toEqual(all[0]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'limits'))).toEqual(['simulation.secret']);
  });

  test('is refused if its file is damaged or cannot be read', async () => {
    const path = join(folder, 'damaged');
    await writeFile(path, 'short');
    await expect(secretOfFile(path)).rejects.toThrow(/a secret of 32 bytes.*5 bytes.*store_failed/s);
    await expect(secretOfFile(folder)).rejects.toThrow(/EISDIR.*store_failed/s);
  });
});
