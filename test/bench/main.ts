/**
 * `npm run bench`: each figure beside a reference that is measured in the same run, as a ratio, so that the machine's
 * speed cancels out. Names of benchmarks as arguments run only those. What was measured is also in `var/bench.json`.
 */

import { mkdirSync, writeFileSync } from 'node:fs';

import { append } from './append.ts';
import { charts } from './charts.ts';
import { demo } from './demo.ts';
import { exportRows } from './export.ts';
import { type Benchmark, type Report, runBenchmarks } from './figure.ts';
import { incremental } from './incremental.ts';
import { live } from './live.ts';
import { log } from './log.ts';
import { mirrorRuns } from './mirror.ts';
import { objects } from './objects.ts';
import { pages } from './pages.ts';
import { proofs } from './proofs.ts';
import { rebuild } from './rebuild.ts';
import { replicas } from './replicas.ts';
import { runs } from './runs.ts';
import { stopServers } from './server.ts';
import { serving } from './serving.ts';
import { simulation } from './simulation.ts';
import { sources } from './sources.ts';
import { stores } from './stores.ts';
import { useWorkPlace } from './work-place.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  append,
  rebuild,
  incremental,
  demo,
  runs,
  serving,
  charts,
  pages,
  export: exportRows,
  live,
  log,
  sources,
  stores,
  replicas,
  mirror: mirrorRuns,
  proofs,
  objects,
  simulation,
};

/** Fifty years of events take more than ten minutes on two slow cores. */
const ONLY_BY_NAME = ['runs'];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}

const run = Object.entries(BENCHMARKS)
  .filter(([name]) => (chosen.length === 0 ? !ONLY_BY_NAME.includes(name) : chosen.includes(name)))
  .map(([name, benchmark]) => [name, (report: Report) => benchmark(report).finally(stopServers)] as const);
useWorkPlace();
const { status, measured } = await runBenchmarks(Object.fromEntries(run), (line) => console.log(line));
if (chosen.length === 0) console.log(`only run by name: ${ONLY_BY_NAME.join(', ')}`);
mkdirSync('var', { recursive: true });
writeFileSync('var/bench.json', `${JSON.stringify(measured, null, 2)}\n`);
process.exitCode = status;
