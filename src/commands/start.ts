import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameOfSource } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { buildInfo, VERSION } from '../../pipeline/config/software.ts';
import { assertOwner } from '../../pipeline/disk/owner.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { isDemoLedger } from '../../pipeline/ledger/writing/demo-key.ts';
import { currentId, readCurrent } from '../../pipeline/release/format/release.ts';
import { runChild } from '../scheduler/scheduled-build.ts';
import { LISTEN_SETTINGS, listen } from '../sidecar/listen.ts';
import { followLedger } from '../sidecar/live/follow-ledger.ts';
import { assertFree } from '../sidecar/server-address.ts';
import { BUILD_SETTINGS } from './build.ts';
import { type Context, defineCommand, SWITCH } from './command.ts';
import { demoGovernmentKey, openDemoLedger } from './demo.ts';
import { assertWhole, ORGANISATION_FLAGS, ownDocuments, provideOrganisation } from './organisation.ts';
import { flagsOfRuns, runOnSchedule } from './scheduled-runs.ts';
import { assertShared } from './turn.ts';

export const start = defineCommand({
  summary: 'Runs the service: publishes every six hours, catches up on missed slots, and serves.',
  details:
    '`npm start` runs this command with --demo. It listens on PORT, or on 8080. To publish from a timer of your own instead, use `build` and `serve`.',
  examples: [
    'cathedral start --ledger /srv/ledger --out /srv/cathedral --base-url https://data.example.org',
    'PORT=9000 cathedral start --demo',
  ],
  isService: true,
  settings: [...BUILD_SETTINGS, ...LISTEN_SETTINGS, 'sealDelay'],
  flags: {
    demo: {
      flag: 'demo',
      description: 'Writes a demo ledger if there is no ledger, and keeps appending events to it.',
      ...SWITCH,
    },
    ...ORGANISATION_FLAGS,
  },
  check: ({ demo, ledgerSigningKey, ...config }) => [
    ...(demo && ledgerSigningKey !== null
      ? [
          new CathedralError('config_invalid', {
            place: '--ledger-signing-key',
            expected: 'not to be used with --demo, whose writer seals the demo ledger',
            found: 'both',
          }),
        ]
      : []),
    ...assertWhole(config),
    ...assertShared(config),
  ],
  async run(config, context) {
    const { progress, print, untilStopped } = context;
    assertOwner(config.out);
    await assertFree(config);
    const signal = untilStopped();
    progress.note(`Cathedral Data Service ${VERSION}, ledger ${nameOfSource(config.ledger)}`);
    const followed = await followLedger(config.ledger, config, context, signal);
    await introduce(config, followed, context);
    const out = servedFolder(config);
    const served = { followed, alsoIn: [config.out], software: buildInfo() };
    const sidecar = await listen({ ...config, out }, served);
    try {
      const demoKey = config.demo ? await demoGovernmentKey({ ...config, now: context.now }) : null;
      const announceReady = (isReady = true) => {
        if (!isReady) return;
        print(`Ready: ${sidecar.url}`);
        if (demoKey) print(invitation(sidecar.url, demoKey));
      };
      const demo = config.demo ? await openDemoLedger(config.ledger, config, context, signal) : null;
      const ready = untilPublished(out, signal).then(announceReady);
      const beginsHere = config.releases === null && (config.demo || !config.withoutSite);
      if (beginsHere && !(await hasRelease(out))) {
        const begin = () => runChild(['build', '--begin', ...flagsOfRuns(config, context.flags)], signal);
        // First the data, then the compiled site. A run that fails is repeated on schedule.
        const hasBegun = (await begin()).status === 0;
        if (hasBegun) progress.note(`The data files are at ${sidecar.url}; everything else is being made.`);
        if (hasBegun && !config.withoutSite) await begin();
      }
      if (demo) {
        progress.stage('Catching up the demo ledger with the time that passed');
        await demo.keepUpToDate();
        progress.end();
      }
      await Promise.all([ready, runOnSchedule(config, context, signal)]);
      progress.note('Stopping: requests in progress are answered first.');
      await demo?.end();
    } finally {
      await sidecar.close();
    }
    return 0;
  },
});

/** Finds out who publishes a ledger of one’s own, so that a service which could publish nothing does not start. */
async function introduce(
  config: { demo: boolean } & Parameters<typeof provideOrganisation>[0] & Parameters<typeof ownDocuments>[0],
  followed: Parameters<typeof ownDocuments>[1],
  { progress }: Pick<Context, 'progress'>,
): Promise<void> {
  if (config.demo || isDemoLedger(followed.verifiers)) return;
  const written = config.allowPlaceholders ? null : await provideOrganisation(config, followed.ledger);
  if (written !== null) progress.note(`Written: ${written}, with the licence CC BY 4.0.`);
  await ownDocuments(config, followed);
}

/** With many machines a release is served when all of them switch to it, and not when the run here has made it. */
function servedFolder({ out, releases }: Pick<Config, 'out' | 'releases'>): string {
  return releases === null ? out : join(out, 'served');
}

/** With a command to copy, because a key alone does not say how to use it. */
function invitation(url: string, key: string): string {
  const command = `curl -H 'Authorization: Bearer ${key}' ${url}/government/compliance-report.json`;
  return `A government key for this demo: ${key}\nTry it: ${command}`;
}

async function hasRelease(out: string): Promise<boolean> {
  return (await currentId(out).catch(() => null)) !== null;
}

/** How often the first release is looked for, ms. */
const LOOK_MS = 500;

/** Resolves when there is a release that lasts, to true, or when `signal` aborts. */
async function untilPublished(out: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await readCurrent(out).catch(() => null))?.manifest.signed) return true;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}
