import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameOfSource } from '../../pipeline/config/ledger-address.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { buildInfo, VERSION } from '../../pipeline/config/software.ts';
import { assertOwner } from '../../pipeline/disk/owner.ts';
import { isDemoLedger } from '../../pipeline/ledger/writing/demo-key.ts';
import { currentId, readCurrent } from '../../pipeline/release/format/release.ts';
import { runBuild } from '../scheduler/scheduled-build.ts';
import { type ListenConfig, listen } from '../sidecar/listen.ts';
import { type FollowedLedger, followLedger } from '../sidecar/live/follow-ledger.ts';
import { assertFree } from '../sidecar/server-address.ts';
import { type Demonstrating, demoGovernmentKey, openDemoLedger } from './demo.ts';
import { type GivenOrganisation, ownDocuments, provideOrganisation } from './organisation.ts';
import { assertPublishesOutside } from './outside-ledger.ts';
import type { RUN_SETTINGS } from './run-settings.ts';
import { flagsOfRuns, runOnSchedule, type Scheduling } from './scheduled-runs.ts';
import type { TurnConfig } from './turn.ts';

export type StartConfig = ListenConfig &
  TurnConfig &
  Pick<Config, (typeof RUN_SETTINGS)[number] | 'sealDelay'> &
  GivenOrganisation & { demo: boolean };

export interface Starting extends Scheduling {
  progress: Demonstrating['progress'];
  print: (line: string) => void;
}

/** Runs the whole service until `signal` aborts: publishes, catches up, and serves. Throws config_invalid, locked and store_failed. */
export async function runService(
  config: StartConfig,
  starting: Starting,
  signal: AbortSignal,
): Promise<void> {
  const { progress, print, now } = starting;
  assertPublishesOutside(config);
  assertOwner(config.out);
  await assertFree(config);
  progress.note(`Cathedral Data Service ${VERSION}, ledger ${nameOfSource(config.ledger)}`);
  const followed = await followLedger(config.ledger, config, starting, signal);
  await introduce(config, followed, starting);
  const out = servedFolder(config);
  const served = { followed, alsoIn: [config.out], software: buildInfo() };
  const sidecar = await listen({ ...config, out }, served);
  try {
    const demoKey = config.demo ? await demoGovernmentKey({ ...config, now }) : null;
    const announceReady = (isReady: boolean) => {
      if (!isReady) return;
      print(`Ready: ${sidecar.url}`);
      if (demoKey) print(invitation(sidecar.url, demoKey));
    };
    const demo = config.demo ? await openDemoLedger(config.ledger, config, starting, signal) : null;
    const ready = untilPublished(out, signal).then(announceReady);
    await beginHere(config, starting, { out, url: sidecar.url, signal });
    if (demo) {
      progress.stage('Catching up the demo ledger with the time that passed');
      await demo.keepUpToDate();
      progress.end();
    }
    await Promise.all([ready, runOnSchedule(config, starting, signal)]);
    progress.note('Stopping: requests in progress are answered first.');
    await demo?.end();
  } finally {
    await sidecar.close();
  }
}

/** Where there is no release yet, publishes first the data and then the site. A run that fails is repeated on schedule. */
async function beginHere(
  config: StartConfig,
  { progress, flags }: Starting,
  { out, url, signal }: { out: string; url: string; signal: AbortSignal },
): Promise<void> {
  const { releases, demo, withoutSite } = config;
  if (releases !== null || (!demo && withoutSite) || (await hasRelease(out))) return;
  const attended = { signal, note: progress.note };
  const begin = () => runBuild(['--begin', ...flagsOfRuns(config, flags)], attended);
  if ((await begin()).status !== 0) return;
  progress.note(`The data files are at ${url}; everything else is being made.`);
  if (!withoutSite) await begin();
}

/** Finds out who publishes a ledger of one’s own, so that a service which could publish nothing does not start. */
async function introduce(
  config: StartConfig,
  followed: FollowedLedger,
  { progress }: Starting,
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
