import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { appendSnapshot } from './append-snapshot.ts';
import { type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

const HISTORIES = [100_000, 1_000_000, 5_000_000];
const NEW_EVENTS = 1000;
const RUNS = 5;
const MOST_MEMORY_MB = 300;

/** One new snapshot of a thousand events on top of ever longer histories, apart from copying the history's bytes. */
export async function incremental(report: Report): Promise<void> {
  const results: Awaited<ReturnType<typeof onTopOf>>[] = [];
  for (const events of HISTORIES) {
    const { ms, rss } = await withScratch((folder) => onTopOf(events, folder));
    const [first] = results;
    if (first)
      report(compare(`1000 events on top of ${events} ÷ on top of ${first.events}`, ms, first.ms, 'ms', 1.3));
    results.push({ events, ms, rss });
  }
  const rss = Math.max(...results.map((one) => one.rss));
  report(compare('peak memory of these runs ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1));
}

async function onTopOf(events: number, folder: string) {
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, to: '2026-10-01', seed: 1, events });
  await measure('build', [ledger, out]);
  const runs: Measured[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await appendSnapshot(ledger, out, NEW_EVENTS);
    runs.push(await measure('build', [ledger, out]));
  }
  const ms = median(runs.map((run) => run.ms - (run.copyMs ?? 0)));
  return { events, ms, rss: Math.max(...runs.map((run) => run.rss)) };
}
