import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Armament } from './armed.ts';
import type { Call, Fault, Way } from './effects.ts';
import { NOW } from './small-publisher.ts';
import { describe, nthOf, RUN_KEY, type Sweep } from './sweep.ts';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');
const ARMED = resolve(import.meta.dirname, 'armed.ts');
const PATIENCE_MS = 10 * 60_000;

interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  calls: Call[];
  failed: number;
}

/** The calls of the same run as a process of its own: the command line makes some more. */
export async function callsApart(sweep: Sweep): Promise<Call[]> {
  let calls: Call[] = [];
  await sweep.apart('nothing', async () => {
    const ended = await runApart(sweep, null);
    calls = ended.calls;
    return ended.status === 0 ? [] : [`it ended with ${ended.status}: ${ended.stderr}`];
  });
  return calls;
}

/** Ends the real command with a real kill -9 at a call, or has that call fail. */
export async function disturbApart(
  sweep: Sweep,
  calls: readonly Call[],
  at: number,
  way: Way,
): Promise<void> {
  const fault = { ...nthOf(calls, at), way };
  await sweep.apart(
    `${way === 'SIGKILL' ? 'kill -9' : `${way} of a process`} at ${describe(calls[at]!)}`,
    async () => {
      const ended = await runApart(sweep, fault);
      return way === 'SIGKILL' ? complaintsOfKilled(ended) : complaintsOfFailed(ended);
    },
  );
}

function complaintsOfKilled({ status, signal }: Ended): string[] {
  return signal === 'SIGKILL' ? [] : [`it was not killed: it ended with ${signal ?? status}`];
}

/** The last line says where; there is no stack. */
function complaintsOfFailed({ status, stderr, failed }: Ended): string[] {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  if (failed === 0) return ['the fault was not met'];
  if (status === 0) return [];
  const isSaid = status === 1 && /^cathedral: .+: expected .+, found .+/.test(last);
  return isSaid ? [] : [`it ended with ${status} and said: ${stderr}`];
}

async function runApart(sweep: Sweep, fault: Fault | null): Promise<Ended> {
  const report = join(sweep.folder, '../report.json');
  const armament: Armament = { folder: sweep.folder, fault, key: RUN_KEY, now: NOW, report };
  const { PATH = '', HOME = '', TZ = '' } = process.env;
  const env = { PATH, HOME, TZ, FAULTS: JSON.stringify(armament) };
  const args = ['--import', ARMED, CLI, ...(await sweep.scenario.command!(sweep.folder))];
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PATIENCE_MS,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  const { exitCode: status, signalCode: signal } = child;
  const told = signal ? { calls: [], failed: 0 } : JSON.parse(readFileSync(report, 'utf8'));
  return { status, signal, stderr, ...told };
}
