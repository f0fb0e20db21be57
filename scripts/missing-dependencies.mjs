// Says which packages of package-lock.json node_modules lacks, and exits 1 where it lacks one; --omit=dev: without those that
// only tests and benchmarks need. Any Node runs it, since ours is one of the packages. Contents are compared and not times: a
// copy of a checkout has times of its own.
import { readFileSync } from 'node:fs';

const withoutDev = process.argv.includes('--omit=dev');
const wanted = packagesOf('package-lock.json');
// What npm installed: npm removes it first, and writes it last.
const installed = packagesOf('node_modules/.package-lock.json');
const missing = Object.entries(wanted)
  // An optional one may be for another kind of machine.
  .filter(([path, { optional, devOptional }]) => path !== '' && !optional && !devOptional)
  .filter(([, { dev }]) => !(withoutDev && dev))
  .filter(([path, { version }]) => installed[path]?.version !== version)
  .map(([path]) => path);
if (missing.length > 0) console.log(missing.join('\n'));
process.exitCode = missing.length > 0 ? 1 : 0;

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
