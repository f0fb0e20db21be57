import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listeningOn } from '../release/run-nginx.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const CADDY = ['/usr/bin/caddy', '/usr/local/bin/caddy', '/opt/homebrew/bin/caddy'].find(existsSync);

/** Caddy is not everywhere; where it is, the shipped configuration is tested with it. */
export const hasCaddy = CADDY !== undefined;

/** The shipped configuration with nothing changed but folder and port. */
export async function mirrorConfiguration(name: string, folder: string, port: number): Promise<string> {
  const text = await readFile(join(DEPLOY, name), 'utf8');
  return listeningOn(text, port)
    .replaceAll('/srv/mirror', folder)
    .replace('mirror.example.org {', `http://127.0.0.1:${port} {`);
}

/** A host of static files and nothing else, as for an origin. */
export function plainSite(folder: string, port: number): string {
  return `server { listen 127.0.0.1:${port}; root ${folder}; index index.html; default_type text/plain; }`;
}

/** A real Caddy; `isUp` says when it answers. */
export async function runCaddy(
  folder: string,
  caddyfile: string,
  isUp: () => Promise<boolean>,
): Promise<ChildProcess> {
  const place = join(folder, 'Caddyfile');
  await writeFile(place, `{\n\tadmin off\n\tauto_https off\n}\n${caddyfile}`);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(CADDY!, ['run', '--config', place, '--adapter', 'caddyfile'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (let tries = 0; tries < 2400 && child.exitCode === null; tries += 1) {
    if (await isUp().catch(() => false)) return child;
    await sleep(25);
  }
  child.kill('SIGKILL');
  throw new Error(`Caddy did not start with the shipped configuration: ${said}`);
}

export async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
