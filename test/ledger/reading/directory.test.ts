import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDirectory, openListed } from '../../../pipeline/ledger/reading/directory.ts';
import { temporaryFolder } from '../test-ledger.ts';

/** A ledger folder with the given empty files in `snapshots`. */
function ledgerWith(...names: string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'snapshots'));
  for (const name of names) writeFileSync(join(folder, 'snapshots', name), '');
  return folder;
}

function both(...ids: string[]): string[] {
  return ids.flatMap((id) => [`${id}.ndjson.zst`, `${id}.checkpoint`]);
}

async function idsIn(folder: string, after: string | null = null): Promise<string[]> {
  return (await openDirectory(folder).snapshots(after)).map(({ id }) => id);
}

describe('a ledger folder', () => {
  test('lists its snapshots, oldest first', async () => {
    const folder = ledgerWith(...both('2025-12-01T06Z', '2024-12-31T18Z', '2025-12-01T00Z'));
    const snapshots = await openDirectory(folder).snapshots(null);
    expect(snapshots.map(({ id }) => id)).toEqual(['2024-12-31T18Z', '2025-12-01T00Z', '2025-12-01T06Z']);
    expect(snapshots[0]).toMatchObject({
      id: '2024-12-31T18Z',
      events: join(folder, 'snapshots/2024-12-31T18Z.ndjson.zst'),
      checkpoint: join(folder, 'snapshots/2024-12-31T18Z.checkpoint'),
    });
  });

  test('lists those after the last one read', async () => {
    const folder = ledgerWith(...both('2025-12-01T06Z', '2025-12-01T12Z', '2025-12-01T18Z'));
    expect(await idsIn(folder, '2025-12-01T06Z')).toEqual(['2025-12-01T12Z', '2025-12-01T18Z']);
    expect(await idsIn(folder, '2025-12-01T18Z')).toEqual([]);
    expect(await idsIn(folder, '2024-01-01T00Z')).toHaveLength(3);
  });

  test('that was listed stays as it was found', async () => {
    const folder = ledgerWith(...both('2025-12-01T06Z', '2025-12-01T12Z'));
    const listed = openListed(folder);
    expect(await listed.snapshots('2025-12-01T06Z')).toHaveLength(1);
    for (const name of both('2025-12-01T18Z')) writeFileSync(join(folder, 'snapshots', name), '');
    expect(await listed.snapshots(null)).toHaveLength(2);
    expect(await listed.snapshots('2025-12-01T12Z')).toEqual([]);
  });

  test('ignores a newest snapshot that has only its events', async () => {
    const folder = ledgerWith(...both('2025-12-01T06Z'), '2025-12-01T12Z.ndjson.zst');
    expect(await idsIn(folder)).toEqual(['2025-12-01T06Z']);
    expect(await idsIn(folder, '2025-12-01T06Z')).toEqual([]);
  });

  test.each([
    ['a checkpoint', '2025-12-01T12Z.ndjson.zst', '2025-12-01T12Z.checkpoint'],
    ['events', '2025-12-01T12Z.checkpoint', '2025-12-01T12Z.ndjson.zst'],
  ])('is unreadable if %s is missing before a later snapshot', async (_, there, missing) => {
    const folder = ledgerWith(there, ...both('2025-12-01T06Z', '2025-12-01T18Z'));
    await expect(idsIn(folder)).rejects.toMatchObject({
      code: 'ledger_unreadable',
      place: `snapshots/${missing}`,
    });
    // Snapshots already read are not checked again.
    expect(await idsIn(folder, '2025-12-01T12Z')).toEqual(['2025-12-01T18Z']);
  });

  test('is unreadable if the newest snapshot has only its checkpoint', async () => {
    const folder = ledgerWith(...both('2025-12-01T06Z'), '2025-12-01T12Z.checkpoint');
    await expect(idsIn(folder)).rejects.toMatchObject({ code: 'ledger_unreadable' });
  });

  test('may have temporary and unrelated files', async () => {
    const names = ['next.ndjson.zst.tmp', '2025-12-01T12Z.checkpoint.tmp', 'README', '.DS_Store', 'x.ndjson'];
    expect(await idsIn(ledgerWith(...both('2025-12-01T06Z'), ...names))).toEqual(['2025-12-01T06Z']);
  });

  test.each([
    '2025-12-01T05Z.ndjson.zst',
    '2025-02-30T06Z.checkpoint',
    'copy of 2025-12-01T06Z.ndjson.zst',
    '2025-12-01T06Z (1).checkpoint',
    '.ndjson.zst',
    '9999-99-99T06Z.ndjson.zst',
  ])('is refused with a snapshot file %j, which does not name a slot', async (name) => {
    await expect(idsIn(ledgerWith(...both('2025-12-01T06Z'), name))).rejects.toMatchObject({
      code: 'ledger_order',
      place: `snapshots/${name}`,
    });
  });

  test('is unreadable if it does not exist or is not a ledger', async () => {
    const folder = temporaryFolder();
    await expect(idsIn(folder)).rejects.toMatchObject({ code: 'ledger_unreadable', place: folder });
    writeFileSync(join(folder, 'snapshots'), 'a file');
    await expect(idsIn(folder)).rejects.toMatchObject({
      code: 'ledger_unreadable',
      found: expect.stringMatching(/^a file: /),
    });
    rmSync(folder, { recursive: true });
    await expect(idsIn(folder)).rejects.toMatchObject({
      code: 'ledger_unreadable',
      found: expect.stringContaining('nothing'),
    });
  });

  test('without snapshots has none', async () => {
    expect(await idsIn(ledgerWith())).toEqual([]);
  });
});
