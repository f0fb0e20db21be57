import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { withLock } from '../../pipeline/release/disk/lock.ts';
import { runFeeder } from '../../pipeline/sample/feeder/run-feeder.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { type Context, defineCommand } from './command.ts';

const SETTINGS = ['sampleOut', 'from', 'to', 'seed', 'events', 'follow'] as const;
type SampleConfig = Pick<Config, (typeof SETTINGS)[number]>;

export const sample = defineCommand({
  summary: 'Writes a sample ledger, signed with a published key; the same arguments give the same bytes.',
  settings: SETTINGS,
  async run(config, context) {
    await (config.follow ? followSample : writeOnce)(config, context);
    return 0;
  },
});

async function writeOnce(config: SampleConfig, { now, progress, print }: Context): Promise<void> {
  const { sampleOut: out, from, to, seed, events } = config;
  progress.stage(`writing a sample ledger to ${out}`);
  const volume = events === null ? {} : { events };
  const written = await writeSample({ out, from, to: to ?? now(), seed, ...volume });
  progress.end();
  print(`${written.events} events in ${written.snapshots} snapshots, up to ${written.timestamp}`);
}

async function followSample(config: SampleConfig, { now, untilStopped }: Context): Promise<void> {
  const { sampleOut: ledger, seed, to, events } = config;
  if (to !== null || events !== null) {
    const fault = { place: '--follow', expected: 'neither --to nor --events', found: 'one of them' };
    throw new CathedralError('config_invalid', fault);
  }
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });
  const feeder = { ledger, seed, now, sleep: pause, signal: untilStopped() };
  // Two writers would break the ledger. The lock is beside it, for a ledger's folder holds nothing else.
  const holder = `sample --follow, process ${process.pid}`;
  await withLock(`${ledger}.lock`, { waitMs: 0, holder }, () => runFeeder(feeder));
}
