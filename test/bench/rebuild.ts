import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurns, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { millionEvents, releaseOfMillion } from './million.ts';
import { withScratch } from './scratch.ts';

const RUNS = 3;
const MOST_MEMORY_MB = 400;

/** A rebuild of a million events, verified, all files, against the bare floor of reading them. */
export async function rebuild(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const out = join(folder, 'out');
    const ledger = await millionEvents();
    const { floors, builds } = await inTurns(RUNS, {
      floors: () => measure('floor', [ledger]),
      builds: async (run) => {
        // Others read the first one.
        if (run === 0) return (await releaseOfMillion()).measured;
        const built = await measure('build', [ledger, out, 'rebuild']);
        await rm(out, { recursive: true });
        return built;
      },
    });
    const ms = (all: { ms: number }[]) => median(all.map((one) => one.ms)) / 1000;
    const rss = Math.max(...builds.map((one) => one.rss));
    report(
      compare('rebuild of 1 000 000 events ÷ reading them', ms(builds), ms(floors), 's', 4.6),
      compare('peak memory of the rebuild ÷ 400 MB', rss, MOST_MEMORY_MB, 'MB', 1),
    );
  });
}
