import { describe, expect, test } from 'vitest';
import {
  formatLatest,
  formatPublicManifest,
  formatSignedText,
  type Latest,
  type PublicManifest,
  parseLatest,
  parsePublicManifest,
  parseSignedText,
} from '../../pipeline/release/format/public-manifest.ts';
import {
  formatSnapshot,
  formatSnapshotIndex,
  parseSnapshot,
  parseSnapshotIndex,
  type Snapshot,
  type SnapshotIndex,
} from '../../pipeline/release/format/snapshot-index.ts';

const SHA256 = '0123456789abcdef'.repeat(4);
const ROOT = `${'A'.repeat(43)}=`;
const AS_OF = '2025-12-01T05:58:12Z';
const LOG = { origin: 'ledger.example.org', size: 12, root_hash: ROOT };
const FILE = { sha256: SHA256, bytes: 3, media_type: 'application/json', last_modified: AS_OF };

const MANIFEST: PublicManifest = {
  schema_version: '1.0.0',
  publisher: 'data.example.org',
  keys: ['data.example.org+0011aabb+AQ=='],
  version: 1764568692,
  release: '2025-12-01T06Z-1a2b3c4d',
  snapshot: '2025-12-01T06Z',
  as_of: AS_OF,
  expires: '2025-12-03T05:58:12Z',
  log: { ...LOG, checkpoint: 'ledger.example.org\n12\n…' },
  files: [
    { path: 'economy/mic-history.csv', ...FILE, rows: 2 },
    { path: 'economy/supply', ...FILE },
  ],
};

const LATEST: Latest = {
  version: MANIFEST.version,
  release: MANIFEST.release,
  snapshot: MANIFEST.snapshot,
  as_of: AS_OF,
  expires: MANIFEST.expires,
  manifest: { path: 'manifest.json', sha256: SHA256, bytes: 1000 },
  log: { size: 12, root_hash: ROOT },
};

const SNAPSHOT: Snapshot = {
  schema_version: '1.0.0',
  id: '2025-12-01T06Z',
  release: MANIFEST.release,
  software: 'cathedral-data-service 1.0.0',
  as_of: AS_OF,
  log: LOG,
  files: [
    {
      path: 'economy/mic-history.csv',
      sha256: SHA256,
      bytes: 15,
      media_type: 'text/csv',
      head: 'a,b\n',
      range: { of: 'economy/mic-history.csv', last: 11 },
    },
    {
      path: 'economy/supply',
      sha256: SHA256,
      bytes: 3,
      media_type: 'application/json',
      url: 'snapshots/2025-12-01T06Z/economy/supply',
    },
  ],
};

const INDEX: SnapshotIndex = ['2025-12-01T12Z', '2025-12-01T06Z'].map((id) => ({
  id,
  release: `${id}-1a2b3c4d`,
  as_of: AS_OF,
  log_size: 12,
  root_hash: ROOT,
  index: { path: `snapshots/${id}/index.json`, sha256: SHA256, bytes: 100 },
}));

describe('what was formatted', () => {
  test('is parsed to the same', () => {
    expect(parsePublicManifest(formatPublicManifest(MANIFEST))).toEqual(MANIFEST);
    expect(parseLatest(formatLatest(LATEST))).toEqual(LATEST);
    expect(parseSnapshot(formatSnapshot(SNAPSHOT), 'x')).toEqual(SNAPSHOT);
    expect(parseSnapshotIndex(formatSnapshotIndex(INDEX))).toEqual(INDEX);
    const signed = { version: 7, sha256: SHA256, bytes: 1000 };
    expect(parseSignedText(formatSignedText(signed))).toEqual(signed);
  });

  test('is signed as four lines', () => {
    expect(formatSignedText({ version: 7, sha256: SHA256, bytes: 1000 })).toBe(
      `cathedral-manifest/v1\n7\n${SHA256}\n1000\n`,
    );
  });
});

describe('a manifest is refused', () => {
  const [history, supply] = MANIFEST.files as [(typeof MANIFEST.files)[0], (typeof MANIFEST.files)[0]];
  test.each<[string, object]>([
    ['with an unknown member', { more: 1 }],
    ['of another schema', { schema_version: '2.0.0' }],
    ['without a key', { keys: [] }],
    ['with nine keys', { keys: Array(9).fill(MANIFEST.keys[0]) }],
    ['of version 0', { version: 0 }],
    ['with a fractional version', { version: 1.5 }],
    ['with an invalid time', { as_of: '2025-13-01T00:00:00Z' }],
    ['with a snapshot that is not a slot', { snapshot: '../../etc' }],
    ['with a root of 31 bytes', { log: { ...MANIFEST.log, root_hash: `${'A'.repeat(42)}==` } }],
    ['with a negative size', { log: { ...MANIFEST.log, size: -1 } }],
    ['with a file twice', { files: [supply, supply] }],
    ['with files out of order', { files: [supply, history] }],
    ['with a path outside the release', { files: [{ ...supply, path: '../supply' }] }],
    ['with an absolute path', { files: [{ ...supply, path: '/etc/passwd' }] }],
    ['with itself as a file', { files: [{ ...supply, path: 'manifest.json' }] }],
    ['with a file of the log', { files: [{ ...supply, path: 'log/checkpoint' }] }],
    ['with a file of a snapshot', { files: [{ ...supply, path: 'Snapshots/x' }] }],
    ['with a hash in capitals', { files: [{ ...supply, sha256: SHA256.toUpperCase() }] }],
    ['with a negative length', { files: [{ ...supply, bytes: -1 }] }],
  ])('%s', (_, change) => {
    const text = JSON.stringify({ ...MANIFEST, ...change });
    expect(() => parsePublicManifest(text, 'm')).toThrow(
      expect.objectContaining({ code: 'release_invalid' }),
    );
  });

  test('with a duplicate member', () => {
    const text = JSON.stringify(MANIFEST).replace('{', '{"version":1,');
    expect(() => parsePublicManifest(text)).toThrow(expect.objectContaining({ code: 'release_invalid' }));
  });
});

test.each([
  '',
  'cathedral-manifest/v2\n7\n',
  `cathedral-manifest/v1\n0\n${SHA256}\n1000\n`,
  `cathedral-manifest/v1\n07\n${SHA256}\n1000\n`,
  `cathedral-manifest/v1\n-7\n${SHA256}\n1000\n`,
  `cathedral-manifest/v1\n9999999999999999\n${SHA256}\n1000\n`,
  `cathedral-manifest/v1\n7\n${SHA256.slice(2)}\n1000\n`,
  `cathedral-manifest/v1\n7\n${SHA256}\n1000`,
  `cathedral-manifest/v1\n7\n${SHA256}\n1000\nmore\n`,
])('a signed text of a different form is refused: %j', (text) => {
  expect(() => parseSignedText(text)).toThrow(expect.objectContaining({ code: 'release_invalid' }));
});

test('an index of snapshots that is not newest first is refused', () => {
  const text = JSON.stringify(INDEX.toReversed());
  expect(() => parseSnapshotIndex(text)).toThrow(expect.objectContaining({ code: 'release_invalid' }));
});

test('the newest release’s manifest may not exceed the size that readers accept', () => {
  const text = JSON.stringify({ ...LATEST, manifest: { ...LATEST.manifest, bytes: 1 << 30 } });
  expect(() => parseLatest(text)).toThrow(expect.objectContaining({ code: 'release_invalid' }));
});
