import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useFolder } from '../setups/use-folder.ts';
import { publish, writeDemo } from './release/seam.ts';

const folder = useFolder();

const FEEDS = ['', 'academics/', 'diplomacy/', 'economy/', 'government/', 'philosophy/'];

interface Entry {
  id: string;
  published: string;
  title: string;
}

function atomEntries(feed: string): Entry[] {
  const text = (entry: string, name: string) => new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(entry)![1]!;
  return [...feed.matchAll(/<entry>.*?<\/entry>/gs)].map(([entry]) => ({
    id: text(entry, 'id'),
    published: text(entry, 'published'),
    title: text(entry, 'title'),
  }));
}

function jsonEntries(feed: string): Entry[] {
  const { items } = JSON.parse(feed) as { items: { id: string; date_published: string; title: string }[] };
  return items.map(({ id, date_published: published, title }) => ({ id, published, title }));
}

/** By feed, of the newest release. */
async function readFeeds(): Promise<Record<string, { atom: Entry[]; json: Entry[] }>> {
  const read = (path: string) => readFile(join(folder, 'out/current/public', path), 'utf8');
  const feeds = FEEDS.map(async (below) => {
    const atom = atomEntries(await read(`${below}feed.atom`));
    return [below, { atom, json: jsonEntries(await read(`${below}feed.json`)) }] as const;
  });
  return Object.fromEntries(await Promise.all(feeds));
}

test('what a reader of a feed has seen stays as it is in the next release, which adds to it', async () => {
  const ledger = join(folder, 'ledger');
  const key = await writeDemo(ledger, '2025-12-28', '2026-01-02');
  const [documents, out, now] = ['data/documents', join(folder, 'out'), '2026-01-02T01:00:00Z'];
  const run = (until?: string) =>
    publish({ ledger, key, documents, out, now, until, contents: 'formats' }).then(readFeeds);
  const before = await run('2025-12-29T18Z');
  const after = await run();
  const newOf = (entries: readonly Entry[], known: readonly Entry[]) =>
    entries.slice(0, entries.length - known.length);
  const added: number[] = [];
  for (const below of FEEDS) {
    const [old, both] = [before[below]!, after[below]!];
    expect(both.atom).toEqual([...newOf(both.atom, old.atom), ...old.atom]);
    expect(both.json.map(({ id, published }) => [id, published])).toEqual(
      both.atom.map(({ id, published }) => [id, published]),
    );
    const ids = both.atom.map(({ id }) => id);
    expect([...new Set(ids)]).toEqual(ids);
    added.push(both.atom.length - old.atom.length);
  }
  expect(added[0]).toBeGreaterThan(5);
  expect(added.filter((count) => count > 0).length).toBeGreaterThan(2);
});
