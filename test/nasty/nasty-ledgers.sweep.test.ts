import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { NASTY_LEDGER } from '../contract/release/nasty-events.ts';
import { archived, linesOf, rangesOf, restore } from '../formats/event-links.ts';
import { readLedger } from '../ledger/test-ledger.ts';
import { useFolder } from '../setups/use-folder.ts';
import { type Published, publishNasty } from './nasty-ledger.ts';

const folder = useFolder();
let published: Published;

beforeAll(async () => {
  published = await publishNasty(folder, NASTY_LEDGER, { site: true, charts: false });
}, 900_000);

const text = (path: string) => Buffer.from(published.files[`public/${path}`]!, 'latin1').toString();
const json = (path: string) => JSON.parse(text(path));
function rows(sql: string): Record<string, unknown>[] {
  using database = new DatabaseSync(join(folder, 'out/current/public/cathedral.sqlite'), { readOnly: true });
  return database.prepare(sql).all();
}
/** The texts of these members, in their order. */
const outcomes = (all: readonly Record<string, unknown>[]) => all.map(({ outcome }) => outcome);
/** What of `words` a page says, in the order in which it first says it. */
function said(path: string, words: readonly string[]): string[] {
  const main = text(path).replace(/^.*<main/s, '');
  return words.filter((word) => main.includes(word)).sort((a, b) => main.indexOf(a) - main.indexOf(b));
}

test('a nasty ledger is published in many runs as in one', () => {
  expect(published.problems).toEqual([]);
});

describe('a decision that is corrected under its id', () => {
  const NEWEST_FIRST = ['Again.', 'Corrected.', 'First.'];

  test('is published as often as it was recorded, newest first', () => {
    const all = json('philosophy/decisions.json').decisions;
    expect(outcomes(all.filter(({ id }: { id: string }) => id === 'd'))).toEqual(NEWEST_FIRST);
    expect(outcomes(rows(`SELECT outcome FROM decisions WHERE id = 'd'`))).toEqual(NEWEST_FIRST.toReversed());
    // By the time of their update, newest first. The first record is older than what feeds show, its replacement is not.
    const summaries = text('feed.atom').match(
      /(?<=<summary type="text">)[^<]*(Again|Corrected|First)\.(?=<)/g,
    );
    expect(summaries).toEqual([
      'A later record with the same id replaces this one. Corrected.',
      'A later record with the same id replaces this one. First.',
      'Again.',
    ]);
  });

  test('has one page with each record', () => {
    expect(said('decisions/d/index.html', NEWEST_FIRST)).toEqual(NEWEST_FIRST);
  });
});

describe('a deliberation that is opened again under its id', () => {
  test.each(['at-once', 'next-day', 'ninety-days', 'later'])('%s is published as another one', (id) => {
    const archive = json('philosophy/deliberation-archive.json').deliberations;
    expect(outcomes(archive.filter((one: { id: string }) => one.id === id))).toEqual([
      'Three.',
      'Two.',
      'One.',
    ]);
    expect(
      outcomes(rows(`SELECT outcome FROM deliberation_archive WHERE id = '${id}' ORDER BY rowid`)),
    ).toEqual(['One.', 'Two.', 'Three.']);
    const { deliberations } = json('philosophy/deliberations.json');
    expect(deliberations.find((one: { id: string }) => one.id === id)).toMatchObject({
      topic: `Fourth ${id}`,
      consensus: 'pending',
    });
    const page = ['Three.', 'Two.', 'One.', `Fourth ${id}`];
    expect(said(`deliberations/${id}/index.html`, page)).toEqual([`Fourth ${id}`, 'Three.', 'Two.', 'One.']);
  });
});

describe('the events that a row names', () => {
  let leaves: Leaf[];
  let lines: Awaited<ReturnType<typeof linesOf>>;
  beforeAll(async () => {
    ({ leaves } = await readLedger(join(folder, 'ledger')));
    lines = await linesOf(join(folder, 'out/current'));
  });

  test('are its own, also where several happened at one time', () => {
    for (const path of [
      'economy/mic-history.csv',
      'economy/cathedral-multipliers.csv',
      'philosophy/decisions.json',
    ])
      expect(text(path), path).toContain(restore(path, lines.get(path)!, leaves));
    const times = leaves.map(({ event }) => event.timestamp);
    const decided = lines.get('philosophy/decisions.json')!.map(({ event }) => times[event!]);
    expect(decided.length).toBeGreaterThan(new Set(decided).size);
  });

  test('are those of its day, though many days have none', () => {
    const ranges = rangesOf(leaves);
    const days = lines.get('academics/events-by-day.csv')!;
    for (const { date, first_event, last_event } of days)
      expect({ date, first_event, last_event }).toEqual({ date, ...ranges.get(date as string) });
    expect(new Set(days.map(({ date }) => date)).size).toBe(ranges.size - 1);
  });

  test('are those of its own round, where a deliberation was opened again under its id', () => {
    const { deliberations } = json('philosophy/deliberation-archive.json');
    for (const [index, { id, opened, closed, outcome }] of deliberations.entries()) {
      const line = lines.get('philosophy/deliberation-archive.json')![index]!;
      const all = archived(line, leaves);
      expect([all[0]!.timestamp, all.at(-1)!.timestamp]).toEqual([opened, closed]);
      expect(new Set(all.map(({ deliberation }) => deliberation))).toEqual(new Set([id]));
      expect(leaves[line.event!]!.event.data).toMatchObject({ outcome });
    }
  });
});

describe('pages name the events of a record, with a link to its proof', () => {
  const linked = (path: string) =>
    [
      ...text(path)
        .replace(/^.*<main/s, '')
        .matchAll(/href="\/verification\/\?event=(\d+)#event"/g),
    ].map(([, index]) => Number(index));

  test('each decision under an id its own', async () => {
    const { leaves } = await readLedger(join(folder, 'ledger'));
    const newestFirst = linked('decisions/d/index.html').sort((a, b) => b - a);
    const found = newestFirst.map((index) => leaves[index]!.event.data);
    expect(outcomes(found as Record<string, unknown>[])).toEqual(['Again.', 'Corrected.', 'First.']);
  });

  test('each round of a deliberation its opening, its close and its positions', async () => {
    const lines = (await linesOf(join(folder, 'out/current'))).get('philosophy/deliberation-archive.json')!;
    const rounds = lines.filter(({ id }) => id === 'at-once');
    expect(rounds.length).toBe(3);
    expect(linked('deliberations/at-once/index.html')).toEqual(
      rounds.flatMap((one) => [one.opened_event, one.event, ...(one.position_events as number[])]),
    );
  });
});

test('a finding has an id of its own where the ledger names an alert like it', () => {
  const ids = json('government/sentinel-status.json').alerts.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id: string) => id.endsWith('-finding'))).toHaveLength(1);
});

test('what follows from a time at the end of the year 9999 has four digits of year', () => {
  expect(json('manifest.json')).toMatchObject({
    as_of: '9999-12-31T23:59:59.999Z',
    expires: '9999-12-31T23:59:59Z',
  });
  expect(text('.well-known/security.txt')).toContain('Expires: 9999-12-31T23:59:59Z');
  expect(text('feed.atom')).toContain('<updated>9999-12-31T');
  for (const [path, content] of Object.entries(published.files)) {
    if (/\.(json|csv|atom|xml|txt|html|ndjson)$|\/[a-z]+$/.test(path))
      expect(content, path).not.toContain('+010000-');
  }
});

test('the years before 1000 have their files', () => {
  expect(json('government/transparency-0000.json')).toMatchObject({ year: 0, closed: true });
  expect(published.files).toHaveProperty('public/economy/supply-by-day-0000.parquet');
});

test('no text of the ledger turns the writing of a page, a chart or a feed round', () => {
  for (const [path, content] of Object.entries(published.files)) {
    if (!/\.(html|svg|atom|xml)$|feed\.json$/.test(path)) continue;
    const shown = Buffer.from(content, 'latin1')
      .toString()
      .replaceAll(/<script\b.*?<\/script>/gs, '');
    expect(shown.replaceAll(/ (value|data-[\w-]+)="[^"]*"/g, ''), path).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069]/,
    );
  }
  expect(text('decisions/index.html')).toContain('About [U+202E]');
});
