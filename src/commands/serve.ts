import { once } from 'node:events';
import { join } from 'node:path';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { buildInfo } from '../../pipeline/config/software.ts';
import { exists } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { followLedger } from '../sidecar/live/follow-ledger.ts';
import { assertFree } from '../sidecar/server-address.ts';
import { defineCommand } from './command.ts';

export const serve = defineCommand({
  summary: 'Serves the published release over HTTP, and every new one as soon as it is published.',
  details:
    'It publishes nothing itself: use it where `cathedral build` runs from a timer. `start` does both. With --releases it follows the releases in a bucket, and --out is a folder of its own that it may fill; nothing there needs a back-up.',
  examples: [
    'cathedral serve --out /srv/cathedral --base-url https://data.example.org',
    'PORT=9000 cathedral serve --ledger /srv/ledger',
  ],
  isService: true,
  settings: [...SOURCE_SETTINGS, ...LISTEN_SETTINGS],
  optional: {
    ledger: 'Real-time paths answer from its newest events. Without it, they answer from the release.',
  },
  async run(config, context) {
    const { progress, print, untilStopped } = context;
    await assertFree(config);
    const signal = untilStopped();
    const { ledger, out } = config;
    const isPublished = config.releases !== null || (await hasRelease(out));
    const followed = ledger && (await followLedger(ledger, config, context, signal));
    const sidecar = await listen(config, { followed, software: buildInfo() });
    print(`Serving ${out} at ${sidecar.url}`);
    if (!isPublished)
      progress.note(`${out} has no release yet: the server answers 503 until cathedral build publishes one.`);
    if (!signal.aborted) await once(signal, 'abort');
    progress.note('Stopping: requests in progress are answered first.');
    await sidecar.close();
    return 0;
  },
});

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
