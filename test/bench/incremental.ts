import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { appendSnapshot } from './append-snapshot.ts';
import { inTurns, type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { below, withScratch } from './scratch.ts';

const HISTORIES = [100_000, 1_000_000, 5_000_000];
const NEW_EVENTS = 1000;
const RUNS = 5;
const MOST_MEMORY_MB = 300;
/**
 * Times SHA-256 of the bytes: each of them is read and hashed before a new release links it, and a history that is one file is copied, hashed
 * and, up to 16 MB, compressed. Folding the events again would be thirty times.
 */
const MOST_OF_SHA256 = 5;

/** One new snapshot of a thousand events on top of ever longer histories: what it costs more than reading and hashing these. */
export async function incremental(report: Report): Promise<void> {
  const results: Awaited<ReturnType<typeof onTopOf>>[] = [];
  for (const events of HISTORIES) {
    const found = await withScratch((folder) => onTopOf(events, folder));
    const [first] = results;
    if (first) {
      const what = `1000 events on top of ${events}, more than on top of ${first.events} ÷ SHA-256 of the bytes`;
      const [more, hashing] = [found.cpu - first.cpu, found.hashing - first.hashing];
      report(compare(what, more, hashing, 'ms of CPU', MOST_OF_SHA256));
    }
    results.push(found);
  }
  const rss = Math.max(...results.map((one) => one.rss));
  report(compare('peak memory of these runs ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1));
}

async function onTopOf(events: number, folder: string) {
  const [ledger, out] = below(folder, 'ledger', 'out');
  await writeSample({ out: ledger, to: '2026-10-01', seed: 1, events });
  await measure('build', [ledger, out]);
  const release = join(out, 'current');
  const { run, hashing } = await inTurns(RUNS, {
    run: async () => {
      await appendSnapshot(ledger, out, NEW_EVENTS);
      return measure('build', [ledger, out]);
    },
    hashing: () => measure('hash-files', [join(release, 'state.json'), release]),
  });
  const cpu = (runs: readonly Measured[]) => median(runs.map((one) => one.cpu));
  return { events, cpu: cpu(run), hashing: cpu(hashing), rss: Math.max(...run.map((one) => one.rss)) };
}
