import { once } from 'node:events';
import { join } from 'node:path';
import type { LedgerSource } from '../../pipeline/config/ledger-address.ts';
import { buildInfo } from '../../pipeline/config/software.ts';
import { exists } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import type { Running } from '../../pipeline/sources/open-ledger.ts';
import { type ListenConfig, listen } from '../sidecar/listen.ts';
import { type FollowConfig, followLedger } from '../sidecar/live/follow-ledger.ts';
import { assertFree } from '../sidecar/server-address.ts';

type ServeConfig = ListenConfig & FollowConfig & { ledger: LedgerSource | null };

/** Serves what another program publishes until `signal` aborts. Throws config_invalid, and release_invalid where the release is damaged. */
export async function serveReleases(
  config: ServeConfig,
  running: Running & { print: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { progress, print } = running;
  await assertFree(config);
  const { ledger, out } = config;
  const isPublished = config.releases !== null || (await hasRelease(out));
  const followed = ledger && (await followLedger(ledger, config, running, signal));
  const sidecar = await listen(config, { followed, software: buildInfo() });
  print(`Serving ${out} at ${sidecar.url}`);
  if (!isPublished)
    progress.note(`${out} has no release yet: the server answers 503 until cathedral build publishes one.`);
  if (!signal.aborted) await once(signal, 'abort');
  progress.note('Stopping: requests in progress are answered first.');
  await sidecar.close();
}

/** Throws config_invalid for a folder that no build publishes in, and release_invalid where its release is damaged. */
async function hasRelease(out: string): Promise<boolean> {
  const expected = 'a folder that cathedral build publishes in';
  const refuse = (found: string) => {
    throw new CathedralError('config_invalid', { place: `--out ${out}`, expected, found });
  };
  if (!(await exists(out))) refuse('no such folder');
  if (await exists(join(out, 'mirror.json')))
    refuse('a mirror, which a web server serves (docs/mirrors.md, "Serving it")');
  return (await readCurrent(out)) !== null;
}
