import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../pipeline/disk/durable.ts';
import { removeLeftOvers } from '../../pipeline/release/disk/remove-left-overs.ts';
import type { Facts, NewFile } from '../../pipeline/release/format/manifest.ts';
import { readCurrent, recoverFinalFiles } from '../../pipeline/release/format/release.ts';
import { type HistorySource, openHistory } from '../../pipeline/release/history/history.ts';
import type { Outcome } from '../../pipeline/release/staging/commit.ts';
import { readSite } from '../../pipeline/release/staging/site-tree.ts';
import { openStaging, type Staging } from '../../pipeline/release/staging/staging.ts';

export interface TinyOptions {
  /** Number of events of the simulated ledger: the n-th release has rows 0 to n-1. */
  events: number;
  rebuild?: boolean;
  /** Called just before publishing, so that a test can add files. */
  extra?: (staging: Staging) => Promise<void>;
  software?: string;
}

export const MINTS: HistorySource = {
  path: 'economy/mic-history.csv',
  area: 'economy',
  mediaType: 'text/csv; charset=utf-8; header=present',
  restricted: false,
  separator: '',
  assembled: true,
};
const EXPORT: HistorySource = {
  ...MINTS,
  path: 'government/ledger/export',
  area: 'government',
  restricted: true,
  assembled: false,
};

/** Small enough that a few hundred rows fill several segments. */
const SEGMENT_BYTES = 2000;

export function tinyFacts(events: number, software = 'cathedral-data-service 0.0.0'): Facts {
  const ledger = {
    origin: 'test.example/ledger',
    snapshot: `slot-${events}`,
    size: events,
    root: '7'.repeat(64),
  };
  return { timestamp: timeOf(events), ledger, software, inputs: 'a'.repeat(64) };
}

export function timeOf(event: number): string {
  return new Date(Date.UTC(2025, 11, 1) + event * 60_000).toISOString().replace('.000', '');
}

/** Some rows are not ASCII. All are different. */
function rowOf(event: number): string {
  return `${timeOf(event)},C-${event},${event % 3 === 0 ? 'ÉCHO-∑' : 'ATLAS'},${(event * 7919) % 1000}\n`;
}

export function dataFile(path: string, content: string, more: Partial<NewFile> = {}): NewFile {
  const area = 'economy';
  return {
    path,
    kind: 'data',
    area,
    restricted: false,
    mediaType: 'application/json',
    rows: null,
    immutable: false,
    content,
    ...more,
  };
}

/**
 * A complete run with every kind of file, some long enough to be compressed: document, restricted document, histories, an immutable file, a page
 * and an asset.
 */
export async function publishTiny(out: string, options: TinyOptions): Promise<Outcome> {
  const { events, rebuild = false, extra, software } = options;
  const previous = rebuild ? await recoverFinalFiles(out) : await readCurrent(out);
  const { inputs } = tinyFacts(events, software);
  // As a run begins.
  await makeFolder(out);
  await removeLeftOvers(out);
  await using staging = await openStaging(out, previous, { reuse: !rebuild, inputs });
  const from = previous && !rebuild ? previous.manifest.ledger.size : 0;
  for (const source of [MINTS, EXPORT]) {
    const history = await openHistory(staging, source, { segmentBytes: SEGMENT_BYTES });
    for (let event = from; event < events; event += 1) history.add([rowOf(event)], timeOf(event));
    await history.finish('timestamp,cycle,sentinel,amount\n', '');
  }
  await staging.write(dataFile('economy/supply', JSON.stringify({ events, note: 'x'.repeat(5000) })));
  await staging.write(dataFile('economy/sentinel-roi.json', JSON.stringify(Array(500).fill('the same'))));
  const gated = { restricted: true, area: 'government' as const };
  await staging.write(dataFile('government/compliance-report.json', `{"events":${events}}`, gated));
  await staging.write(dataFile('government/transparency-2024.json', '{"closed":true}', { immutable: true }));
  await staging.writeDraft(tinyFacts(events, software));
  await readSite(await writeSite(staging.scratch, events), (file) => staging.write(file));
  await extra?.(staging);
  // Without await, the staging folder would be disposed of before the promise settles.
  return await staging.publish({ facts: tinyFacts(events, software), state: JSON.stringify({ events }) });
}

async function writeSite(scratch: string, events: number): Promise<string> {
  const site = join(scratch, 'site');
  const files = {
    'index.html': `<!doctype html><title>Home</title><p>${events} events ${'and more '.repeat(500)}`,
    'economy/index.html': `<!doctype html><title>Economy</title><p>${'the same '.repeat(500)}`,
    '404.html': '<!doctype html><title>Not found</title><p>There is no such page.',
    '_astro/site.d41d8cd9.css': 'body { margin: 0 }\n'.repeat(300),
    'fonts/serif.woff2': 'wOF2',
    'mark.svg': `<svg xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0"/>'.repeat(20)}</svg>`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(site, path, '..'), { recursive: true });
    await writeFile(join(site, path), text);
  }
  return site;
}
