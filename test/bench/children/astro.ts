/** Astro's own build of the project in a folder: `astro.ts FOLDER`. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { report } from '../child.ts';

const cwd = process.argv[2]!;

await report(async () => {
  const astro = resolve('node_modules/astro/bin/astro.mjs');
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' };
  const { status, stderr } = spawnSync(process.execPath, [astro, 'build'], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`astro build ended with ${status}: ${stderr}`);
  return undefined;
});
