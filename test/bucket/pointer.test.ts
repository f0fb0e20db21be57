import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blobKey, logKey, manifestKey } from '../../pipeline/bucket/layout.ts';
import { formatPointer, parsePointer, pointedCheckpoint } from '../../pipeline/bucket/pointer.ts';
import { formatSnapshotFiles, parseSnapshotFiles } from '../../pipeline/bucket/snapshot-files.ts';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { logFile } from '../../pipeline/release/log/log-folder.ts';
import { signer } from '../ledger/test-ledger.ts';

const root = 'ab'.repeat(32);
const blob = { sha256: 'cd'.repeat(32), bytes: 17 };
const checkpoint = signNote(formatCheckpoint({ origin: 'demo.example', size: 700, root }), signer);
const pointer = {
  service: 'https://data.example.org',
  version: 1_764_568_692,
  epoch: 3,
  release: '2025-12-01T06Z-1a2b3c4d',
  manifest: blob,
  log: { size: 700, checkpoint },
  snapshots: blob,
  switch_at: '2025-12-01T06:01:10.250Z',
  status: null,
};
const text = formatPointer(pointer);

test('a pointer is read as it was written, with the checkpoint of its log', () => {
  const parsed = parsePointer(text);
  expect(parsed).toEqual({ format: 'cathedral-pointer/1', ...pointer });
  expect(pointedCheckpoint(parsed)).toEqual({ origin: 'demo.example', size: 700, root });
});

describe('a pointer is refused', () => {
  const wrong: [name: string, text: string, place: string][] = [
    ['that is cut off', text.slice(0, -20), 'pointer.json'],
    ['that is a page of a proxy', '<html>', 'pointer.json'],
    ['with a member that nobody knows', text.replace('"epoch"', '"epoch2"'), 'epoch'],
    ['of another format', text.replace('pointer/1', 'pointer/2'), 'format'],
    ['with a hash in capitals', text.replaceAll('cd', 'CD'), 'manifest.sha256'],
    ['whose log is longer than its checkpoint says', text.replace('"size": 700', '"size": 701'), 'log.size'],
    [
      'whose checkpoint is no note',
      text.replace(/"checkpoint": "[^"]*"/, '"checkpoint": "x"'),
      'pointer.json',
    ],
  ];
  test.each(wrong)('%s', (_, given, place) => {
    expect(given).not.toBe(text);
    expect(() => parsePointer(given)).toThrow(
      expect.objectContaining({ code: 'release_invalid', place: expect.stringContaining(place) }),
    );
  });
});

test('the files below snapshots/ are listed in the order of their paths', () => {
  const files = { 'snapshots/index.json.sig': blob, 'snapshots/index.json': blob };
  const list = formatSnapshotFiles(files);
  expect(list).toBe(formatSnapshotFiles(Object.fromEntries(Object.entries(files).reverse())));
  expect(parseSnapshotFiles(list, 'a blob')).toEqual(files);
  for (const path of ['snapshots/../keys', 'state.json', '/snapshots/a'])
    expect(() => parseSnapshotFiles(list.replace('snapshots/index.json.sig', path), 'a blob')).toThrow(
      expect.objectContaining({ code: 'release_invalid' }),
    );
});

test('keys are names of blobs and manifests, and the paths of the log', () => {
  expect(blobKey(blob.sha256)).toBe(`blobs/${blob.sha256}`);
  expect(manifestKey(blob.sha256)).toBe(`manifests/${blob.sha256}.json`);
  for (const path of ['tile/0/x001/234', 'tile/1/000.p/17', 'tile/entries/x001/234', 'tile/entries/000.p/9'])
    expect(join('out', logKey(path))).toBe(logFile('out', path));
});
