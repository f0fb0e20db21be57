import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parsePublicManifest } from '../../pipeline/release/format/public-manifest.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { type Site, smallSite } from '../mirror/small-service.ts';
import { inTurns, type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';
import { serve } from './server.ts';

/** As the sample's site has them: of 1 650 files, 42 MB, a release of six hours makes 1 200 anew, 29 MB. */
const FILES = 1650;
const CHANGED = 1200;
const BYTES = 25_000;
const EVENTS = [95_217, 95_277] as const;
const LARGE_BYTES = 400_000_000;
const MOST_MEMORY_MB = 300;
/** `latest.json`, and the three notes to which others add their signatures later. */
const NEWS = ['latest.json', 'log/checkpoint', 'manifest.json.sig', 'snapshots/index.json.sig'];
const MOST_OVERHEAD = 1.1;
const RUNS = 3;
const MOST_FIRST = 2;

interface Run extends Measured {
  requests: number;
  bytes: number;
}

/** What a mirror of an unchanged origin asks for, and what one new release costs beside the files that changed. */
export async function mirrorRuns(report: Report): Promise<void> {
  const server = await LyingServer.start(siteOf(1));
  try {
    await withScratch(async (folder) => {
      const { first, plain } = await inTurns(RUNS, {
        first: async (turn) => (await run(server.url, join(folder, `mirror-${turn}`))).ms,
        plain: async () => (await measure('mirror', [server.url])).ms,
      });
      report(compare('first run: time ÷ fetching alone', median(first), median(plain), 'ms', MOST_FIRST));
      const again = await run(server.url, join(folder, 'mirror-0'));
      const [before, after] = [server.site, siteOf(2)];
      report(
        compare('unchanged origin: requests ÷ 4', again.requests, NEWS.length, '', 1),
        compare(
          'unchanged origin: bytes ÷ those of latest.json and the notes',
          again.bytes,
          newsBytes(before),
          'B',
          1,
        ),
      );
      server.site = after;
      const next = await run(server.url, join(folder, 'mirror-0'));
      report(
        compare(
          'new release: bytes ÷ those of changed files',
          next.bytes / 1e6,
          changedBytes(before, after) / 1e6,
          'MB',
          MOST_OVERHEAD,
        ),
      );
      const rss = await memoryWithLargeFile(join(folder, 'large'));
      report(compare('peak memory with a file of 400 MB ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1));
    });
  } finally {
    await server.close();
  }
}

async function memoryWithLargeFile(folder: string): Promise<number> {
  const origin = await serve('mirror-origin', [`${LARGE_BYTES}`]);
  try {
    return (await run(origin.url, folder)).rss;
  } finally {
    await origin.stop();
  }
}

async function run(address: string, folder: string): Promise<Run> {
  return (await measure('mirror', [address, folder])) as Run;
}

function siteOf(release: 1 | 2): Site {
  return smallSite({
    release,
    events: (release) => EVENTS[release - 1]!,
    files: (files, version) => {
      for (let index = 0; index < FILES; index += 1)
        files.set(`many/${index}`, contentOf(index < CHANGED ? `${version}, ${index}` : `${index}`));
    },
  });
}

/** Not to be compressed, and no two alike. */
function contentOf(name: string): Buffer {
  return createHash('shake256', { outputLength: BYTES }).update(name).digest();
}

function newsBytes(site: Site): number {
  return NEWS.reduce((sum, path) => sum + site.get(path)!.length, 0);
}

function changedBytes(before: Site, after: Site): number {
  const old = new Set(filesOf(before).map(({ sha256 }) => sha256));
  const changed = filesOf(after).filter(({ sha256 }) => !old.has(sha256));
  return changed.reduce((sum, { bytes }) => sum + bytes, 0);
}

function filesOf(site: Site) {
  return parsePublicManifest(site.get('manifest.json')!.toString()).files;
}
