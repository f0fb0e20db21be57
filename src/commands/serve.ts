import { once } from 'node:events';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { defineCommand } from './command.ts';

export const serve = defineCommand({
  summary: 'Serves the published release over HTTP; a new one is picked up as soon as it is there.',
  settings: LISTEN_SETTINGS,
  async run(config, { progress, print, untilStopped }) {
    const signal = untilStopped();
    const sidecar = await listen(config);
    print(`Serving ${config.out} at ${sidecar.url}`);
    if (!signal.aborted) await once(signal, 'abort');
    progress.note('Ending: requests that have begun are answered first.');
    await sidecar.close();
    return 0;
  },
});
