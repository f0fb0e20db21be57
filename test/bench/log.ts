import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ledgerExport } from '../../pipeline/artifacts/government/ledger-export.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { inTurns, type Measured, measure, median } from './child.ts';
import { atLeast, compare, type Report } from './figure.ts';
import { MILLION, releaseOfMillion } from './million.ts';
import { below, withScratch } from './scratch.ts';
import { sealReadings, writeSyntheticLog } from './synthetic-log.ts';

const SIZES = [100_000, 1_000_000];
const NEW_ENTRIES = 1000;
const RUNS = 5;
const HASHED = 1_000_000;
const MOST_MEMORY_MB = 300;
const LEAST_VERIFIED = 0.08;

/** Extending the log at two sizes; its hashing, and the comparison of an export with it, beside bare SHA-256. */
export async function log(report: Report): Promise<void> {
  for (const part of [extending, hashing, verifying]) await part(report);
}

async function extending(report: Report): Promise<void> {
  const [small, large] = [[], []] as Measured[][];
  await withScratch(async (folder) => {
    const places = SIZES.map(
      (size) => [join(folder, `ledger-${size}`), join(folder, `out-${size}`)] as const,
    );
    const ends = [];
    for (const [index, [ledger, out]] of places.entries())
      ends.push(await writeSyntheticLog(ledger, out, SIZES[index]!));
    // In turns, so that what else the machine does is the same for both.
    for (let run = 0; run < RUNS; run += 1) {
      for (const [index, [ledger, out]] of places.entries()) {
        ends[index] = await sealReadings(ledger, ends[index]!, NEW_ENTRIES);
        [small!, large!][index]!.push(await measure('log-extend', [ledger, out]));
      }
    }
  });
  const middle = (runs: Measured[], of: 'cpu' | 'ms') => median(runs.map((run) => run[of]));
  const what = '1000 entries more in a log of 1 000 000 ÷ of 100 000, all of them public';
  report(
    compare(what, middle(large!, 'cpu'), middle(small!, 'cpu'), 'ms of CPU', 1.3),
    // Without a bound: how long a flush takes depends on what else the disk has to write.
    compare(`${what}, elapsed`, middle(large!, 'ms'), middle(small!, 'ms'), 'ms'),
  );
}

async function hashing(report: Report): Promise<void> {
  const { tree, bare } = await inTurns(RUNS, {
    tree: () => measure('log-hash', ['tree', `${HASHED}`]),
    bare: () => measure('log-hash', ['bare', `${HASHED}`]),
  });
  const rate = (runs: Measured[]) => HASHED / median(runs.map((run) => run.ms));
  report(
    compare(
      'tiles over 1 000 000 entries, beside SHA-256 of their bytes',
      rate(tree),
      rate(bare),
      'entries/ms',
    ),
  );
}

async function verifying(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const file = join(folder, 'export.csv');
    const { folder: out } = await releaseOfMillion();
    await writeExport(join(out, 'current'), file);
    const { ours, bare, all } = await inTurns(RUNS, {
      ours: () => measure('verify-export', [file, out]),
      bare: () => measure('hash-files', [file]),
      all: () => measure('hash-files', [file, ...below(out, 'log-entries', 'log/tile')]),
    });
    const rate = (runs: Measured[]) => MILLION / median(runs.map((run) => run.ms));
    const cpu = (runs: Measured[]) => median(runs.map((run) => run.cpu));
    const rss = Math.max(...ours.map((run) => run.rss));
    report(
      atLeast(
        'verify-export of 1 000 000 rows, beside SHA-256 of its bytes',
        rate(ours),
        rate(bare),
        'rows/ms',
        LEAST_VERIFIED,
      ),
      compare(
        'verify-export of 1 000 000 rows ÷ SHA-256 of all that it reads, entries and tiles too',
        cpu(ours),
        cpu(all),
        'ms of CPU',
      ),
      compare('peak memory of verify-export ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1),
    );
  });
}

/** The whole export as the service answers with it: a release’s segments, newest first. */
async function writeExport(release: string, file: string): Promise<void> {
  const { segments } = JSON.parse(await readFile(join(release, 'manifest.json'), 'utf8')) as Manifest;
  const parts = segments[ledgerExport.path]!;
  await pipeline(async function* () {
    yield ledgerExport.head();
    for (const { file: part } of parts) yield* createReadStream(join(release, part));
  }, createWriteStream(file));
}
