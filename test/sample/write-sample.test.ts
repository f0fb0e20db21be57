import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LEDGER_START } from '../../pipeline/ledger/log/leaf.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import type { SampleOptions } from '../../pipeline/sample/span.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { filesBelow } from '../files-below.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { readVerified } from './verified.ts';

/** SHA-256 of every file of a ledger, by name. */
function hashes(path: string): Record<string, string> {
  return Object.fromEntries(filesBelow(path).map(([name, bytes]) => [name, hash('sha256', bytes)]));
}

test('data/keys/ledger.vkey is the key that signs samples', async () => {
  expect(await readFile('data/keys/ledger.vkey', 'utf8')).toBe(
    `${formatVerifierKey(demoSigner().verifier)}\n`,
  );
});

test('equal options give equal bytes, another seed different ones', async () => {
  await using folder = await temporaryFolder();
  const options = { from: '2026-01-01', to: '2026-01-03T10:30:00Z', seed: 5 };
  await writeSample({ out: folder.path('a'), ...options });
  await writeSample({ out: folder.path('b'), ...options });
  await writeSample({ out: folder.path('c'), ...options, seed: 6 });
  const first = hashes(folder.path('a'));
  expect(Object.keys(first)).toHaveLength(9 * 2 + 1);
  expect(hashes(folder.path('b'))).toEqual(first);
  expect(hashes(folder.path('c'))).not.toEqual(first);
});

/** Roots of the last checkpoint. A change of data/sample or of the generator changes them; do not change them otherwise. */
const ROOTS: readonly (readonly [options: SampleOptions, root: string])[] = [
  [
    { from: '2026-02-14', to: '2026-02-20T12:00:00Z', seed: 77 },
    'LW0l3A6jC8RKDWWqPpQdOb1oP1ewExlQOZWyzTbjYKg=',
  ],
  [{ to: '2025-07-20', events: 5000, seed: 3 }, 'ZdBwYhxhz/GNxjdJw6+Fm2Pes3qJ2yMR9EVAE5Ly3UY='],
];

test.each(ROOTS)('%o gives the same ledger in every version', async (options, root) => {
  await using folder = await temporaryFolder();
  const out = folder.path('ledger');
  const { snapshot } = await writeSample({ out, ...options });
  const checkpoint = await readFile(join(out, 'snapshots', `${snapshot}.checkpoint`), 'utf8');
  expect(checkpoint.split('\n')[2]).toBe(root);
});

test('a longer ledger starts with the same bytes', async () => {
  await using folder = await temporaryFolder();
  await writeSample({ out: folder.path('short'), to: '2025-07-05T09:00:00Z' });
  await writeSample({ out: folder.path('long'), to: '2025-07-07' });
  const { 'head.ndjson': head, ...sealed } = hashes(folder.path('short'));
  expect(head).toBeDefined();
  expect(hashes(folder.path('long'))).toMatchObject(sealed);
  const lines = await readFile(join(folder.path('short'), 'head.ndjson'), 'utf8');
  const { events, snapshots } = await readVerified(folder.path('long'));
  const start = snapshots.find(({ id }) => id === '2025-07-05T06Z')!.size;
  const ids = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ids).toEqual(events.slice(start, start + ids.length));
});

test('a snapshot contains the events of its six hours, and the head the later ones', async () => {
  await using folder = await temporaryFolder();
  const out = folder.path('ledger');
  const progress: number[] = [];
  const written = await writeSample({
    out,
    to: '2025-07-05T20:00:00Z',
    onProgress: (events) => progress.push(events),
  });
  const { events, snapshots, head } = await readVerified(out);
  expect(snapshots[0]!.id).toBe('2025-07-03T06Z');
  expect(snapshots.at(-1)!.id).toBe('2025-07-05T18Z');
  expect(written).toMatchObject({
    events: events.length,
    size: events.length,
    snapshots: 11,
    snapshot: '2025-07-05T18Z',
  });
  expect(written.timestamp).toBe(events.at(-1)!.timestamp);
  expect(progress).toEqual([...snapshots.map(({ size }) => size), events.length]);
  let seq = 0;
  for (const { id, size } of snapshots) {
    const end = id.replace('Z', ':00:00Z');
    expect(events[size - 1]!.timestamp < end && events[size]!.timestamp >= end).toBe(true);
    seq = size;
  }
  expect(head).toBe(events.length - seq);
  expect(events.at(-1)!.timestamp < '2025-07-05T20:00:00Z').toBe(true);
});

describe('a number of events', () => {
  test.each([1, 40, 3000])('of %i is met exactly, over the same dates if possible', async (events) => {
    await using folder = await temporaryFolder();
    const out = folder.path('ledger');
    const written = await writeSample({ out, to: '2025-08-05T14:00:00Z', events });
    const verified = await readVerified(out);
    expect(written.events).toBe(events);
    expect(verified.events).toHaveLength(events);
    if (events >= 3000) expect(verified.events.at(-1)!.timestamp > '2025-08-05T12:00').toBe(true);
    const state = verified.events.reduce((state, event) => apply(state, { event, hash: '' }), emptyState());
    expect(state.findings.recent).toEqual([]);
  });

  test('is met even if it cuts through the events of one second', () => {
    const sizes = Array.from({ length: 40 }, (_, more) => 20 + more);
    const found = sizes.map(
      (events) => [...sampleEvents({ to: '2025-07-04', events })].flatMap((slot) => slot.events).length,
    );
    expect(found).toEqual(sizes);
  });
});

describe('the folder', () => {
  test('is not touched if it contains other files', async () => {
    await using folder = await temporaryFolder();
    const out = folder.path('papers');
    await mkdir(out);
    await writeFile(join(out, 'thesis.txt'), 'years of work');
    const attempt = writeSample({ out, to: '2025-07-04' });
    await expect(attempt).rejects.toThrow(expect.objectContaining({ code: 'usage', found: 'thesis.txt' }));
    expect(await readdir(out)).toEqual(['thesis.txt']);
  });

  test('is not touched if another key signed the ledger in it', async () => {
    await using folder = await temporaryFolder();
    const out = folder.path('ledger');
    const signer = signerFromSeed('ledger.example.org/production', new Uint8Array(32).fill(3));
    const writer = new SnapshotWriter(out, LEDGER_START, [signer]);
    await writer.seal('2025-07-03T06Z');
    const before = hashes(out);
    await expect(writeSample({ out, to: '2025-07-04' })).rejects.toThrow(
      'a ledger of origin ledger.example.org/production',
    );
    expect(hashes(out)).toEqual(before);
  });

  test('may contain an older sample, which only valid options replace', async () => {
    await using folder = await temporaryFolder();
    const out = folder.path('ledger');
    await writeSample({ out, to: '2025-07-06T03:00:00Z' });
    const before = hashes(out);
    await expect(writeSample({ out, to: 'never' })).rejects.toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
    expect(hashes(out)).toEqual(before);
    await writeSample({ out, to: '2025-07-04', seed: 9 });
    expect((await readVerified(out)).snapshots).toHaveLength(4);
  });

  test('must not be a file', async () => {
    await using folder = await temporaryFolder();
    await writeFile(folder.path('file'), '');
    await expect(writeSample({ out: folder.path('file'), to: '2025-07-04' })).rejects.toThrow(
      expect.objectContaining({ code: 'usage', found: expect.stringContaining('ENOTDIR') }),
    );
  });
});

test.skipIf(!existsSync('/proc/self/fd'))(
  'a snapshot that a full disk refuses leaves no file open, over which Node would end a server',
  async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    const writer = new SnapshotWriter(ledger, LEDGER_START, [demoSigner()]);
    await symlink('/dev/full', join(ledger, 'snapshots/next.ndjson.zst.tmp'));
    await expect(writer.seal('2026-01-01T06Z')).rejects.toMatchObject({ code: 'disk_full' });
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(open).not.toContain('/dev/full');
  },
);
