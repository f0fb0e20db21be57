/**
 * `npm run bench`: each figure beside a reference that is measured in the same run, as a ratio, so that the machine's
 * speed cancels out. Names of benchmarks as arguments run only those.
 */

import { exportRows } from './export.ts';
import type { Figure } from './figure.ts';
import { incremental } from './incremental.ts';
import { live } from './live.ts';
import { log } from './log.ts';
import { mirrorRuns } from './mirror.ts';
import { rebuild } from './rebuild.ts';
import { serving } from './serving.ts';
import { simulation } from './simulation.ts';
import { site } from './site.ts';

const BENCHMARKS: Record<string, () => Promise<Figure[]>> = {
  rebuild,
  incremental,
  site,
  serving,
  export: exportRows,
  live,
  log,
  mirror: mirrorRuns,
  simulation: () => simulation(),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}

const rows: Figure[] = [];
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.error(`${name} …`);
  rows.push(...(await run()));
}
console.table(rows);
process.exitCode = rows.some(({ verdict }) => verdict === 'MISSED') ? 1 : 0;
