import { flagsFor } from '../../pipeline/config/config.ts';
import type { LedgerSource } from '../../pipeline/config/publishing-settings.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { currentId } from '../../pipeline/release/format/release.ts';
import { recordNextRun } from '../scheduler/record-run.ts';
import { type RunResult, type Schedule, schedule } from '../scheduler/schedule.ts';
import { scheduledBuild } from '../scheduler/scheduled-build.ts';
import { sleepUntil } from '../scheduler/sleep-until.ts';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { type Context, defineCommand } from './command.ts';
import { demoGovernmentKey } from './demo-government-key.ts';
import { keepDemoLedger } from './demo-ledger.ts';
import { FOLLOW_SETTINGS, followLedger } from './follow-ledger.ts';
import { SOFTWARE, VERSION } from './software.ts';

const BUILD_SETTINGS = [
  'ledger',
  'ledgerKey',
  'importFolder',
  'importKey',
  'out',
  'documents',
  'companions',
  'baseUrl',
  'contact',
  'withoutPdf',
  'withoutSite',
  'chromium',
  'publisherKey',
  'publisherName',
  'snapshotDays',
  'wait',
] as const;
const SETTINGS = [
  ...new Set([...BUILD_SETTINGS, ...FOLLOW_SETTINGS, ...LISTEN_SETTINGS, 'sealDelay', 'demo'] as const),
];

/** What is said after a run, before the time of the next one. */
const ENDINGS: Record<RunResult, string> = {
  current: 'The next release is due at',
  behind: 'The ledger has not sealed the snapshot that is due; the next look is at',
  failed: 'The run failed, and what was published stays as it is; the next try is at',
};

export const start = defineCommand({
  summary: 'Publishes every six hours, catching up at once what was missed, and serves what is published.',
  isService: true,
  settings: SETTINGS,
  async run(config, context) {
    const { progress, print, untilStopped } = context;
    const signal = untilStopped();
    progress.note(`Cathedral Data Service ${VERSION}, ledger ${nameOf(config.ledger)}`);
    const sidecar = await listen(config, await followLedger(config.ledger, config, context, signal));
    try {
      const demoKey = config.demo ? await demoGovernmentKey({ ...config, now: context.now }) : null;
      const sayReady = announceReadyOnce(config.out, () => {
        print(`Ready: ${sidecar.url}`);
        if (demoKey) print(invitation(sidecar.url, demoKey));
      });
      await sayReady();
      const demo = config.demo ? await keepDemoLedger(config.ledger, config, context, signal) : null;
      await schedule(scheduleOf(config, context, signal, sayReady));
      progress.note('Ending: requests that have begun are answered first.');
      await demo?.ended;
    } finally {
      await sidecar.close();
    }
    return 0;
  },
});

function scheduleOf(
  { out, sealDelay }: Pick<Config, 'out' | 'sealDelay'>,
  { args, now, progress }: Context,
  signal: AbortSignal,
  sayReady: () => Promise<void>,
): Schedule {
  const delayMs = sealDelay * 1000;
  const flags = flagsFor(BUILD_SETTINGS, SETTINGS, args);
  return {
    run: () => scheduledBuild({ out, software: SOFTWARE, flags, delayMs, now, signal }),
    async announce(result, next) {
      await sayReady();
      await recordNextRun(out, next).catch((error: Error) => progress.note(error.message));
      progress.note(`${ENDINGS[result]} ${new Date(next).toISOString().slice(0, 16)}Z.`);
    },
    now,
    sleepUntil,
    delayMs,
    signal,
  };
}

/** A command that can be copied, since a key by itself tells nobody what to do with it. */
function invitation(url: string, key: string): string {
  const command = `curl -H 'Authorization: Bearer ${key}' ${url}/government/compliance-report.json`;
  return `A government key of this demo: ${key}\nTry it: ${command}`;
}

function nameOf(source: LedgerSource): string {
  return source.kind === 'directory' ? source.path : source.url;
}

/** Says it once, when there is a release to look at. */
function announceReadyOnce(out: string, say: () => void): () => Promise<void> {
  let said = false;
  return async () => {
    if (said || (await currentId(out).catch(() => null)) === null) return;
    said = true;
    say();
  };
}
