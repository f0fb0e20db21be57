// Prints the packages of npm-shrinkwrap.json that node_modules lacks, and exits with 1 if there are any; --omit=dev: not those that
// only tests and benchmarks need. It runs on any Node, because the right one is among the packages. It compares contents rather
// than times, because a copied checkout has other times.
import { readFileSync } from 'node:fs';

const withoutDev = process.argv.includes('--omit=dev');
const wanted = packagesOf('npm-shrinkwrap.json');
// npm removes this file first and writes it last, so it lists only completed installs.
const installed = packagesOf('node_modules/.package-lock.json');
const missing = Object.entries(wanted)
  // An optional package may be for a different kind of machine.
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
