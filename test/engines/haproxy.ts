import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find(
  existsSync,
);
export const hasHaproxy = PROGRAM !== undefined;

const SHIPPED = join(import.meta.dirname, '../../deploy/haproxy.cfg');

/** The shipped configuration on a local port without TLS, in front of servers on ports of this machine. */
async function localConfiguration(port: number, servers: readonly number[]): Promise<string> {
  const shipped = await readFile(SHIPPED, 'utf8');
  const list = servers.map((server, index) => `    server s${index + 1} 127.0.0.1:${server}`).join('\n');
  return shipped
    .replace(/^ +bind :80\n +bind :443 .*\n.*redirect scheme.*$/m, `    bind 127.0.0.1:${port}`)
    .replace(/(^ +server \w+ 10\..*\n?)+/m, `${list}\n`);
}

/** A real HAProxy; `folder` takes its configuration. Resolves when it accepts connections. */
export async function runHaproxy(
  folder: string,
  port: number,
  servers: readonly number[],
  change: (configuration: string) => string = (configuration) => configuration,
): Promise<ChildProcess> {
  if (PROGRAM === undefined) throw new Error('HAProxy is missing');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, change(await localConfiguration(port, servers)));
  const child = spawn(PROGRAM, ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; tries < 400 && child.exitCode === null; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 403,
      () => false,
    );
    if (isUp) return child;
    await sleep(25);
  }
  await endHaproxy(child);
  throw new Error('HAProxy did not start with the shipped configuration');
}

export async function endHaproxy(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
