import { once } from 'node:events';
import { join } from 'node:path';
import { CathedralError } from '../../pipeline/errors.ts';
import { exists } from '../../pipeline/release/disk/durable.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { defineCommand } from './command.ts';
import { FOLLOW_SETTINGS, followLedger } from './follow-ledger.ts';

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

export const serve = defineCommand({
  summary: 'Serves the published release over HTTP; a new one is picked up as soon as it is there.',
  isService: true,
  settings: ['followedLedger', ...FOLLOW_SETTINGS, ...LISTEN_SETTINGS],
  async run(config, context) {
    const { progress, print, untilStopped } = context;
    const signal = untilStopped();
    const { followedLedger: source, out } = config;
    const isThere = await hasRelease(out);
    const sidecar = await listen(config, source && (await followLedger(source, config, context, signal)));
    print(`Serving ${out} at ${sidecar.url}`);
    if (!isThere)
      progress.note(
        `There is no release in ${out} yet: until cathedral build has made one, the answer is 503.`,
      );
    if (!signal.aborted) await once(signal, 'abort');
    progress.note('Ending: requests that have begun are answered first.');
    await sidecar.close();
    return 0;
  },
});
