import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { parseSnapshotIndex } from '../../pipeline/release/format/snapshot-index.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { verifyPublishedFile } from '../../pipeline/verify/verify-published-file.ts';
import { findFile } from '../../pipeline/verify/versions/find-file.ts';
import { smallReleases } from '../bucket/pushed-releases.ts';

test('a file is found in the current release, or in the newest snapshot that has its bytes', async () => {
  const [first = '', , third = ''] = (await smallReleases()).outs;
  const origin = await FolderOrigin.at(third);
  const find = async (bytes: Uint8Array) => findFile(origin, { sha256: sha256(bytes), keys: null });
  const supply = (out: string) => readFile(join(out, 'current/public/economy/supply'));
  const [now, before] = [await supply(third), await supply(first)];
  expect(now.equals(before)).toBe(false);
  expect((await find(now)).found).toMatchObject({ paths: ['economy/supply'], snapshot: null });
  const list = await readFile(join(third, 'snapshots/index.json'), 'utf8');
  const snapshots = parseSnapshotIndex(list, 'the list');
  expect((await find(before)).found).toMatchObject({
    paths: ['economy/supply'],
    snapshot: snapshots.at(-1)!.id,
    release: snapshots.at(-1)!.release,
  });
  expect(await find(Buffer.from('forged'))).toMatchObject({ found: null, snapshots: snapshots.length });
});

test('where the current release has expired, the answer says that a newer one may be withheld', async () => {
  const out = (await smallReleases()).outs[2]!;
  const config = { what: 'supply', logUrl: null, out, timeLimit: 60, readerKeys: null };
  const bytes = await readFile(join(out, 'current/public/economy/supply'));
  const linesAt = async (now: number) => {
    const progress = { stage: () => {}, note: () => {}, update: () => {}, end: () => {} };
    const chunks = async function* () {
      yield bytes;
    };
    const reading = { now: () => now, wait: async () => {}, progress };
    const { facts, lines } = await verifyPublishedFile(config, chunks(), reading);
    return { expires: Date.parse(facts.expires), text: lines.join('\n') };
  };
  const { expires, text } = await linesAt(0);
  expect(text).not.toContain('expired');
  expect((await linesAt(expires)).text).toBe(text);
  expect((await linesAt(expires + 1)).text).toMatch(
    /\nThe current release expired at .*withholding a newer one\.$/,
  );
});
