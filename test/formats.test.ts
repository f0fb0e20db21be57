import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { parseKeyFile } from '../pipeline/attestation/key-file.ts';
import { parsePointer } from '../pipeline/bucket/pointer.ts';
import { parseSnapshotFiles } from '../pipeline/bucket/snapshot-files.ts';
import { readResume } from '../pipeline/build/resume.ts';
import { LEDGER_START } from '../pipeline/ledger/log/leaf.ts';
import { readMirrorState } from '../pipeline/mirror/mirror-state.ts';
import { emptyState } from '../pipeline/model/empty-state.ts';
import { formatState } from '../pipeline/model/state.ts';
import { parseManifest } from '../pipeline/release/format/manifest.ts';
import { parsePublicManifest } from '../pipeline/release/format/public-manifest.ts';
import { parseSignedList, parseSnapshot } from '../pipeline/release/format/snapshot-index.ts';
import { readStatus } from '../pipeline/release/format/status.ts';
import { readWitnessStates } from '../pipeline/release/log/cosign-log.ts';
import { parseSigningRecord } from '../pipeline/release/signing/signing-record.ts';
import { RowIndex } from '../pipeline/sources/import/row-index.ts';
import { failureOf, temporaryFolder } from './release/temporary-folder.ts';

/** A folder with this file. */
async function folderWith(name: string, text: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), text);
  return folder;
}

const state = JSON.parse(formatState(emptyState()));

/** What keeps facts that nothing else has: by its format, in the form of a later version, and what reads it. */
const KEPT: Record<string, [text: string, read: (text: string) => unknown]> = {
  'cathedral-release/1': ['{"format":"cathedral-release/2"}\n', (text) => parseManifest(text, 'here')],
  'cathedral-signed/1': ['{"format":"cathedral-signed/2"}', (text) => parseSigningRecord(text, 'here')],
  'cathedral-pointer/1': ['{"format":"cathedral-pointer/2"}', (text) => parsePointer(text, 'here')],
  'cathedral-snapshot-files/1': [
    '{"format":"cathedral-snapshot-files/2"}',
    (text) => parseSnapshotFiles(text, 'here'),
  ],
  'cathedral-mirror/1': [
    '{"format":"cathedral-mirror/2"}',
    async (text) => readMirrorState(await folderWith('mirror.json', text)),
  ],
  'cathedral-status/1': [
    '{"format":"cathedral-status/2"}',
    async (text) => readStatus(await folderWith('status.json', text)),
  ],
  'cathedral-attestation-key/1': [
    '{"format":"cathedral-attestation-key/2"}',
    (text) => parseKeyFile(text, 'here'),
  ],
  'cathedral-snapshots/v1': [
    `cathedral-snapshots/v2\n1\n${'0'.repeat(64)}\n1\n`,
    (text) => parseSignedList(text, 'here'),
  ],
  '1.0.0 of a signed manifest': ['{"schema_version":"2.0.0"}', (text) => parsePublicManifest(text, 'here')],
  '1.0.0 of a snapshot': ['{"schema_version":"2.0.0"}', (text) => parseSnapshot(text, 'here')],
  'cathedral-resume/1': [
    JSON.stringify({ format: 'cathedral-resume/2', state }),
    (text) => readResume(JSON.parse(text)),
  ],
  'cathedral-state/2': [
    JSON.stringify({ format: 'cathedral-resume/1', state: { ...state, format: 'cathedral-state/3' } }),
    (text) => readResume(JSON.parse(text)),
  ],
};

describe('a file that keeps what does not follow from the ledger', () => {
  test.each(Object.entries(KEPT))(
    'is refused if its number is higher than %s',
    async (name, [text, read]) => {
      const failure = await failureOf(async () => read(text));
      expect(failure).toMatchObject({
        name: 'CathedralError',
        code: expect.stringMatching(/^(release_invalid|config_invalid|attestation_refused)$/),
        place: expect.stringMatching(/^(here|state\.json$|\/.*\/(mirror|status)\.json)/),
        expected: expect.stringContaining(name.replace(/ of .*/, '')),
        found: expect.stringMatching(/cathedral-(\w|-)+\/v?[23]|"2\.0\.0"|^format: /),
      });
    },
  );
});

/** What follows from something else: by its format, in the form of this version, and what reads it, `null` for nothing. */
const DERIVED: Record<string, [text: string, read: (text: string) => unknown]> = {
  'cathedral-witnesses/1': [
    JSON.stringify({
      format: 'cathedral-witnesses/1',
      witnesses: { w: { cosigned: null, asked_at: '2025-12-01T06:00:00Z', fault: null } },
    }),
    async (text) => {
      const states = await readWitnessStates(await folderWith('witnesses.json', text));
      return Object.keys(states).length > 0 ? states : null;
    },
  ],
};

describe('a file that follows from something else', () => {
  test.each(Object.entries(DERIVED))('is read only with the number of %s', async (format, [text, read]) => {
    expect(await read(text)).not.toBeNull();
    for (const number of [0, 2])
      expect(await read(text.replace(format, format.replace('1', `${number}`)))).toBeNull();
  });

  test('is made anew where its number is another one: rows-import.db', async () => {
    const folder = await temporaryFolder();
    const position = { ...LEDGER_START, size: 7 };
    /** The size of the ledger that the index is of. */
    const sizeOf = () => {
      let size = 0;
      RowIndex.open(folder, 'row', (found) => {
        size = found.size;
        return true;
      })[Symbol.dispose]();
      return size;
    };
    const index = RowIndex.open(folder, 'row', () => true);
    index.save(position, 7);
    index[Symbol.dispose]();
    expect(sizeOf()).toBe(7);
    for (const number of [3, 5]) {
      const database = new DatabaseSync(join(folder, 'rows-import.db'));
      database.exec(`PRAGMA user_version = ${number}`);
      database.close();
      expect(sizeOf()).toBe(0);
    }
  });
});
