import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { appendSnapshot } from './append-snapshot.ts';
import { inTurns, type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { copyOfMillion, MILLION } from './million.ts';
import { below, withScratch } from './scratch.ts';

const SHORT = 100_000;
const NEW_EVENTS = 1000;
const RUNS = 3;
const MOST_MEMORY_MB = 300;
/**
 * Times SHA-256 of the bytes: each of them is read and hashed before a new release links it, and a history that is one file is copied, hashed
 * and, up to 16 MB, compressed. Folding the events again would be thirty times.
 */
const MOST_OF_SHA256 = 5;

/** One new snapshot of a thousand events on top of a longer history: what it costs more than reading and hashing that. */
export async function incremental(report: Report): Promise<void> {
  const short = await withScratch(async (folder) => onTopOf(await shortLedger(folder)));
  const long = await withScratch(async (folder) => onTopOf(await copyOfMillion(folder)));
  const what = `1000 events on top of ${MILLION}, more than on top of ${SHORT} ÷ SHA-256 of the bytes`;
  report(
    compare(what, long.cpu - short.cpu, long.hashing - short.hashing, 'ms of CPU', MOST_OF_SHA256),
    compare('peak memory of these runs ÷ 300 MB', Math.max(short.rss, long.rss), MOST_MEMORY_MB, 'MB', 1),
  );
}

async function shortLedger(folder: string): Promise<{ ledger: string; out: string }> {
  const [ledger, out] = below(folder, 'ledger', 'out');
  await writeSample({ out: ledger, to: '2026-10-01', seed: 1, events: SHORT });
  await measure('build', [ledger, out]);
  return { ledger, out };
}

async function onTopOf({ ledger, out }: { ledger: string; out: string }) {
  const release = join(out, 'current');
  const { run, hashing } = await inTurns(RUNS, {
    run: async () => {
      await appendSnapshot(ledger, out, NEW_EVENTS);
      return measure('build', [ledger, out]);
    },
    hashing: () => measure('hash-files', [join(release, 'state.json'), release]),
  });
  const cpu = (runs: readonly Measured[]) => median(runs.map((one) => one.cpu));
  return { cpu: cpu(run), hashing: cpu(hashing), rss: Math.max(...run.map((one) => one.rss)) };
}
