import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { smallSite } from '../mirror/small-service.ts';
import { inTurns, type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { rowProof } from './row-proof.ts';
import { below, withScratch } from './scratch.ts';
import { writeMintLog, writeSyntheticLog } from './synthetic-log.ts';

/** As the sample's site has them: files with two encodings each, 25 kB long on average. */
const FILES = 1650;
const LINES = 380;
const EVENTS = 95_217;
const RUNS = 5;
const MOST_CPU = 3;
const MOST_START = 3;
const ROWS = 1_000_000;
/** Times the processor time of bare SHA-256: it is to have 0.16 of its speed. */
const MOST_OF_SHA256 = 1 / 0.16;
const MOST_MEMORY_MB = 300;

const COMMAND = fileURLToPath(new URL('../../bin/cathedral', import.meta.url));
const run = promisify(execFile);

/** `verify` of a folder beside sha256sum of the same files, the start of commands beside that of Node, and what proving a row fetches. */
export async function proofs(report: Report): Promise<void> {
  await withScratch(async (folder) => {
    const site = join(folder, 'site');
    await writeSite(site, FILES);
    const { ours, theirs } = await inTurns(RUNS, {
      ours: () => cpuOf(`"${COMMAND}" verify "${site}" --accept-expired`),
      theirs: () => cpuOf(`find "${site}" -type f -print0 | xargs -0 sha256sum`),
    });
    report(
      compare('verify of a folder ÷ sha256sum of it, CPU', median(ours), median(theirs), 'ms', MOST_CPU),
    );
  });
  await starts(report);
  await verifyingHistory(report);
  await rowProof(report);
}

/** What a reader waits for although there is next to nothing to read: a log of a few tiles, and a release of a few files. */
async function starts(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const [ledger, out, site] = below(folder, 'ledger', 'out', 'site');
    await writeSyntheticLog(ledger, out, 1000);
    await writeSite(site, 1);
    const key = fileURLToPath(new URL('../../data/keys/ledger.vkey', import.meta.url));
    const noEvent = ['0'.repeat(64), '--out', out, '--ledger-key', key];
    const { node, ...commands } = await inTurns(RUNS, {
      node: () => msOf(process.execPath, ['-e', '0'], 0),
      help: () => msOf(COMMAND, ['help'], 0),
      prove: () => msOf(COMMAND, ['prove', ...noEvent], 1),
      'verify FILE': () => msOf(COMMAND, ['verify', join(site, 'many/0'), '--out', site], 0),
    });
    for (const [name, ours] of Object.entries(commands))
      report(
        compare(
          `start of \`${name}\` ÷ start of \`node -e 0\``,
          median(ours),
          median(node),
          'ms',
          MOST_START,
        ),
      );
  });
}

/**
 * A public history beside bare SHA-256 of its bytes and of those of the events that prove it. Each row is 70 bytes long, and its event,
 * which is hashed, 260.
 */
async function verifyingHistory(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const [ledger, out, file] = below(folder, 'ledger', 'out', 'mic-history.csv');
    await writeMintLog(ledger, out, ROWS, file);
    const { ours, bare } = await inTurns(RUNS, {
      ours: () => measure('prove-row', [file, out]),
      bare: () => measure('hash-files', [file, ...below(out, 'log/public', 'log/tile')]),
    });
    const cpu = (runs: Measured[]) => median(runs.map((one) => one.cpu));
    const what =
      'prove of a public history of 1 000 000 rows ÷ SHA-256 of all that it reads, public events and tiles too';
    report(compare(what, cpu(ours), cpu(bare), 'ms of CPU', MOST_OF_SHA256));
    const rss = Math.max(...ours.map((run) => run.rss));
    report(compare('peak memory of it ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1));
  });
}

async function writeSite(folder: string, count: number): Promise<void> {
  const site = smallSite({
    release: 1,
    events: () => EVENTS,
    files: (files) => {
      for (let index = 0; index < count; index += 1) files.set(`many/${index}`, contentOf(index));
    },
  });
  for (const [path, bytes] of site) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes);
    if (!path.startsWith('many/')) continue;
    await writeFile(`${place}.gz`, gzipSync(bytes));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    await writeFile(`${place}.br`, brotliCompressSync(bytes, { params }));
  }
}

/** Text that compresses about as pages and tables do. */
function contentOf(file: number): Buffer {
  const lines = Array.from({ length: LINES }, (_, line) => {
    const hash = sha256(Buffer.from(`${file},${line}`));
    return `<tr><td>${line}</td><td class="number">${hash.slice(0, 16)}</td></tr>`;
  });
  return Buffer.from(lines.join('\n'));
}

/** Processor time of a shell command and its children, ms: what the shell reports of them. */
async function cpuOf(command: string): Promise<number> {
  const { stdout } = await run('sh', ['-c', `{ ${command} ; } > /dev/null 2>&1 || exit 1; times`]);
  const [, children = ''] = stdout.trim().split('\n');
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  if (times.length !== 2) throw new Error(`no times of ${command}: ${stdout}`);
  return times.reduce(
    (sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds),
    0,
  );
}

/** From the start of a command to its end. */
async function msOf(command: string, args: readonly string[], status: number): Promise<number> {
  const start = performance.now();
  const code = await run(command, [...args]).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  if (code !== status) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return performance.now() - start;
}
