import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a worker has at one moment, and what a test file may leave behind. */
export interface Belongings {
  environment: Record<string, string | undefined>;
  /** What keeps Node running: `TCPServerWrap` → how many. */
  resources: Map<string, number>;
  /** Process id → its program. */
  processes: Map<number, string>;
  /** Names in the worker's temporary folder. */
  folders: Set<string>;
}

/** As Node names them → as a person does. Others come and go by themselves. */
const RESOURCES: Record<string, string> = {
  TCPServerWrap: 'listener',
  TCPSocketWrap: 'connection',
  PipeServerWrap: 'listener on a socket of the disk',
  UDPWrap: 'UDP socket',
  Timeout: 'timer',
  ProcessWrap: 'child process',
  FSEventWrap: 'watched file',
  StatWatcher: 'watched file',
  MessagePort: 'thread',
  Worker: 'thread',
};

/** How long what was closed may take to end, ms: a process that was killed, a connection whose other end closes. */
const PATIENCE_MS = 5000;
const PAUSE_MS = 20;

export function belongings(): Belongings {
  const resources = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    const name = RESOURCES[kind];
    if (name) resources.set(name, (resources.get(name) ?? 0) + 1);
  }
  return {
    environment: { ...process.env },
    resources,
    processes: ownProcesses(),
    folders: new Set(readdirSync(tmpdir())),
  };
}

/** What is there and was not before, each in a few words; waits a little for what is about to end. */
export async function leftSince(before: Belongings, patienceMs = PATIENCE_MS): Promise<string[]> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const left = difference(before, belongings());
    if (left.length === 0 || Date.now() > end) return left;
    await sleep(PAUSE_MS);
  }
}

/** So that the next file does not fail for what this one left. Listeners, timers and connections stay. */
export function putBack(before: Belongings): void {
  const after = belongings();
  for (const name of Object.keys(after.environment))
    if (before.environment[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(before.environment))
    if (process.env[name] !== value) process.env[name] = value;
  for (const id of after.processes.keys()) if (!before.processes.has(id)) kill(id);
  for (const name of after.folders)
    if (!before.folders.has(name))
      rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 3 });
}

function difference(before: Belongings, after: Belongings): string[] {
  const names = new Set([...Object.keys(before.environment), ...Object.keys(after.environment)]);
  return [
    ...[...names]
      // Vitest's own, of each file; and what libvips sets where it is loaded, which lasts as long as the process.
      .filter((name) => !name.startsWith('VITEST') && name !== 'VIPSHOME')
      .filter((name) => before.environment[name] !== after.environment[name])
      .map((name) => `environment variable ${name}`),
    ...[...after.resources]
      .filter(([name, number]) => number > (before.resources.get(name) ?? 0))
      .map(([name, number]) => `${number - (before.resources.get(name) ?? 0)} × ${name}`),
    ...[...after.processes]
      .filter(([id]) => !before.processes.has(id))
      .map(([id, program]) => `process ${id} (${program})`),
    ...[...after.folders].filter((name) => !before.folders.has(name)).map((name) => `${tmpdir()}/${name}`),
  ];
}

/** The processes that the tests of this worker started, and theirs, also where their parent is gone: they have its number. */
function ownProcesses(): Map<number, string> {
  const mark = `VITEST_POOL_ID=${process.env.VITEST_POOL_ID}`;
  const temporary = `TMPDIR=${tmpdir()}`;
  const found = new Map<number, string>();
  for (const name of namesIn('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const environment = contentOf(`/proc/${name}/environ`).split('\0');
    if (!environment.includes(mark) || !environment.includes(temporary)) continue;
    if (/^State:\s+Z/m.test(contentOf(`/proc/${name}/status`))) continue;
    found.set(Number(name), contentOf(`/proc/${name}/cmdline`).split('\0').slice(0, 3).join(' ').trim());
  }
  return found;
}

/** Empty where the process is gone, is of another account, or the system has no such files. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
