import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/opt/homebrew/bin/nginx'];

export const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

/** A shipped site on a local port, also on IPv6 if the machine supports it. */
export function listeningOn(site: string, port: number): string {
  return site
    .replace(/^ +listen (80|443)( ssl)?;$/m, (_, __, ssl = '') => `listen 127.0.0.1:${port}${ssl};`)
    .replace(/^ +listen \[::\]:(80|443)( ssl)?;$/m, (_, __, ssl = '') =>
      hasIPv6 ? `listen [::1]:${port}${ssl};` : '',
    );
}

/** A real nginx with one site and a main configuration that needs no privileges. `isUp` tells when it answers. */
export async function runNginx(
  folder: string,
  site: string,
  isUp: () => Promise<boolean>,
): Promise<ChildProcess> {
  const program = NGINX.find(existsSync);
  if (!program)
    throw new Error('the tests of the shipped configurations need nginx: apt-get install -y nginx');
  await writeFile(join(folder, 'site.conf'), site);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr crit;
    events {} http { access_log off; ${places.join(' ')} include ${folder}/site.conf; }`;
  await writeFile(join(folder, 'main.conf'), main);
  const child = spawn(program, ['-e', 'stderr', '-p', folder, '-c', join(folder, 'main.conf')], {
    stdio: 'inherit',
  });
  for (let tries = 0; tries < 2400 && child.exitCode === null; tries += 1) {
    if (await isUp().catch(() => false)) return child;
    await sleep(25);
  }
  child.kill('SIGKILL');
  throw new Error('nginx did not start with the shipped configuration');
}

export async function endNginx(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
