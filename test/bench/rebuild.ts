import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

const EVENTS = 1_000_000;
const RUNS = 3;
const MOST_MEMORY_MB = 400;

/** A rebuild of a million events, verified, all files, against the bare floor of reading them. */
export async function rebuild(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const ledger = join(folder, 'ledger');
    await writeSample({ out: ledger, to: '2026-10-01', seed: 1, events: EVENTS });
    const [floors, builds] = [[], []] as { ms: number; rss: number }[][];
    for (let run = 0; run < RUNS; run += 1) {
      floors!.push(await measure('floor', [ledger]));
      const out = join(folder, `out-${run}`);
      builds!.push(await measure('build', [ledger, out, 'rebuild']));
      await rm(out, { recursive: true });
    }
    const ms = (all: { ms: number }[]) => median(all.map((one) => one.ms)) / 1000;
    const rss = Math.max(...builds!.map((one) => one.rss));
    report(
      compare('rebuild of 1 000 000 events ÷ reading them', ms(builds!), ms(floors!), 's', 4.6),
      compare('peak memory of the rebuild ÷ 400 MB', rss, MOST_MEMORY_MB, 'MB', 1),
    );
  });
}
