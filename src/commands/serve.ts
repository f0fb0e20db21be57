import { once } from 'node:events';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { defineCommand } from './command.ts';
import { FOLLOW_SETTINGS, followLedger } from './follow-ledger.ts';

export const serve = defineCommand({
  summary: 'Serves the published release over HTTP; a new one is picked up as soon as it is there.',
  settings: ['followedLedger', ...FOLLOW_SETTINGS, ...LISTEN_SETTINGS],
  async run(config, context) {
    const { progress, print, untilStopped } = context;
    const signal = untilStopped();
    const { followedLedger: source } = config;
    const sidecar = await listen(config, source && (await followLedger(source, config, context, signal)));
    print(`Serving ${config.out} at ${sidecar.url}`);
    if (!signal.aborted) await once(signal, 'abort');
    progress.note('Ending: requests that have begun are answered first.');
    await sidecar.close();
    return 0;
  },
});
