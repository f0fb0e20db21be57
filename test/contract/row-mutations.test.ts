import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { filesBelow } from '../files-below.ts';
import { rowsOf } from '../rows-of.ts';
import { isSweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { LyingServer } from './lies/host.ts';
import { type Published, publish, run } from './row-mutations/seam.ts';

const folder = useFolder();
let published: Published;
/** Serves the public files and the log, as any static host does. */
let host: LyingServer;

beforeAll(async () => {
  published = await publish(folder);
  const { out } = published;
  const files = [...filesBelow(join(out, 'current/public')), ...filesBelow(join(out, 'log'), 'log/')];
  host = await LyingServer.start(new Map(files));
});
afterAll(() => host.close());

type Change = (rows: readonly string[], at: number) => string[];

/** Another letter or digit in the place of one; where in the row depends on the row. */
function flipped(row: string, at: number): string {
  const places = [...row.matchAll(/[0-9a-z]/g)].map(({ index }) => index);
  const place = places[(at * 7 + 3) % places.length]!;
  const other = row[place] === '1' ? '2' : row[place] === 'b' ? 'd' : /\d/.test(row[place]!) ? '1' : 'b';
  return row.slice(0, place) + other + row.slice(place + 1);
}

const CHANGES: Record<string, Change> = {
  flip: (rows, at) => rows.with(at, flipped(rows[at]!, at)),
  drop: (rows, at) => rows.toSpliced(at, 1),
  repeat: (rows, at) => rows.toSpliced(at, 0, rows[at]!),
  swap: (rows, at) =>
    at + 1 < rows.length ? rows.with(at, rows[at + 1]!).with(at + 1, rows[at]!) : [...rows, rows[0]!],
};

/** The rows of a file, and how to make a file of rows. */
interface Table {
  rows: string[];
  fileOf: (rows: readonly string[]) => string;
}

function tableOf(path: string, text: string): Table {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  if (path.endsWith('.csv')) return { rows: lines, fileOf: (rows) => `${[head, ...rows].join('\n')}\n` };
  const rows = lines.slice(0, -1).map((line) => line.replace(/,$/, ''));
  return { rows, fileOf: (some) => `${head}\n${some.join(',\n')}\n${lines.at(-1)}\n` };
}

async function prove(path: string, text: string): Promise<{ status: number | null; stdout: string }> {
  const file = join(folder, 'history');
  await writeFile(file, text);
  return run('prove', file, '--path', path, '--url', host.url, '--ledger-key', published.key);
}

/**
 * The exit status for each history as it was published, with the sentence that says why it is not 0, and how many of the changed files do
 * not hold. A dropped first row makes a CSV that an earlier release had. Where the status is 3, what is not found is in what the log does
 * not show.
 */
const HISTORIES = rowsOf<[path: string, status: string, says: string, found: string]>(`
economy/mic-history.csv | 0 | The file is proved | flip 120/120, drop 119/120, repeat 120/120, swap 120/120
economy/cathedral-multipliers.csv | 0 | The file is proved | flip 4/4, drop 4/4, repeat 4/4, swap 4/4
economy/supply-by-day.csv | 0 | The file is proved | flip 2/2, drop 1/2, repeat 2/2, swap 2/2
economy/minting-by-day.csv | 0 | The file is proved | flip 8/8, drop 8/8, repeat 8/8, swap 8/8
economy/mii-by-day.csv | 0 | The file is proved | flip 2/2, drop 1/2, repeat 2/2, swap 2/2
academics/events-by-day.csv | 3 | of types whose events stay hashes | flip 16/26, drop 13/26, repeat 13/26, swap 9/26
academics/sentinels-by-day.csv | 3 | of which the log shows only hashes | flip 0/20, drop 0/20, repeat 0/20, swap 0/20
philosophy/metrics-by-day.csv | 3 | of which the log shows only hashes | flip 0/2, drop 0/2, repeat 0/2, swap 0/2
philosophy/deliberation-archive.json | 0 | The file is proved | flip 1/1, drop 1/1, repeat 1/1, swap 1/1
philosophy/decisions.json | 0 | The file is proved | flip 2/2, drop 2/2, repeat 2/2, swap 2/2`);

/** Of a long table every ninth row, and the last one; in a sweep all. */
function placesIn(rows: readonly string[], long: number): number[] {
  const step = isSweep || rows.length < long ? 1 : 9;
  return [...rows.keys()].filter((at) => at % step === 0 || at === rows.length - 1);
}

describe('a public history', () => {
  test.each(HISTORIES)('%s', async (path, expected, says, found) => {
    const status = Number(expected);
    if (!isSweep) onTestFinished(host.answerHere());
    const text = await readFile(join(published.out, 'current/public', path), 'utf8');
    const unchanged = await prove(path, text);
    expect([unchanged.status, unchanged.stdout]).toEqual([status, expect.stringContaining(says)]);
    const { rows, fileOf } = tableOf(path, text);
    expect(fileOf(rows)).toBe(text);
    const counts: string[] = [];
    for (const [what, change] of Object.entries(CHANGES)) {
      let count = 0;
      for (const at of placesIn(rows, 100)) {
        const changed = await prove(path, fileOf(change(rows, at)));
        const isOlder = what === 'drop' && at === 0 && path.endsWith('.csv');
        if (changed.status === 1) count += 1;
        else if (!isOlder || status === 3) expect.soft([what, at, changed.status]).toEqual([what, at, 3]);
        if (changed.status === 1) expect.soft(changed.stdout).toMatch(/^.*history:\d+: \w+: .+/m);
      }
      const untried = rows.length - placesIn(rows, 100).length;
      counts.push(`${what} ${count + untried}/${rows.length}`);
    }
    expect(counts.join(', ')).toBe(found);
  });
});

interface Line {
  timestamp: string;
  type: string;
  agent: string;
  data: unknown;
  hash: string;
}

/** The events of the ledger, oldest first, read without the product. */
async function readLedger(): Promise<Line[]> {
  const snapshots = join(published.ledger, 'snapshots');
  const names = (await readdir(snapshots)).filter((name) => name.endsWith('.zst')).sort();
  const texts = await Promise.all(
    names.map(async (name) => zstdDecompressSync(await readFile(join(snapshots, name)))),
  );
  const lines = texts.join('').trimEnd().split('\n');
  return lines.map((line) => {
    const hash = createHash('sha256').update(`\0${line}`).digest('hex');
    return { ...JSON.parse(line), hash: `0x${hash}` };
  });
}

const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The audited export of these events, newest first, as docs/export.md describes it. */
const FORMS: Record<string, (events: readonly Line[], from: string, to: string) => Table> = {
  csv: (events) => ({
    rows: events.map(({ timestamp, type, agent, data, hash }) =>
      [timestamp, type, agent, JSON.stringify(data), hash].map(cell).join(','),
    ),
    fileOf: (rows) => `${['timestamp,event_type,agent,data,attestation_hash', ...rows].join('\n')}\n`,
  }),
  ndjson: (events) => ({
    rows: events.map(({ timestamp, type: event_type, agent, data, hash: attestation_hash }) =>
      JSON.stringify({ timestamp, event_type, agent, data, attestation_hash }),
    ),
    fileOf: (rows) => `${rows.join('\n')}\n`,
  }),
  json: (events, from, to) => ({
    rows: FORMS.ndjson!(events, from, to).rows,
    fileOf: (rows) =>
      `{"from":"${from}","to":"${to}","filter":null,"events":[\n${rows.join(',\n')}\n],"count":${rows.length},"complete":true}\n`,
  }),
};

describe('an audited export', () => {
  const [FROM, TO] = ['2025-12-30T12:00:00Z', '2025-12-30T17:59:59Z'];

  test.each(Object.keys(FORMS))('as %s', async (form) => {
    const events = (await readLedger()).filter(({ timestamp }) => FROM <= timestamp && timestamp <= TO);
    const { rows, fileOf } = FORMS[form]!(events.toReversed(), FROM, TO);
    const verify = async (text: string) => {
      const file = join(folder, 'export');
      await writeFile(file, text);
      const period = ['--from', FROM, '--to', TO];
      return run('verify', file, ...period, '--out', published.out, '--ledger-key', published.key);
    };
    const whole = await verify(fileOf(rows));
    expect([whole.status, whole.stdout]).toEqual([0, expect.stringContaining('The export is complete')]);
    expect(rows.length).toBeGreaterThan(20);
    for (const [what, change] of Object.entries(CHANGES))
      for (const at of placesIn(rows, 20)) {
        const { status, stdout, stderr } = await verify(fileOf(change(rows, at)));
        expect.soft([what, at, status]).toEqual([what, at, 1]);
        expect.soft(stdout + stderr).toMatch(/^.*export:\d+: /m);
      }
  });
});
