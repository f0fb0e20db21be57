import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newNoteKey, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { withLease } from '../../pipeline/postgres/lease.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import { signRelease } from '../../pipeline/release/signing/sign-release.ts';
import { useStore } from '../setups/use-store.ts';
import { BASE_URL, NOW } from './small-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KEYS = [newNoteKey('data.example.org', NOW)];
const FOLDERS = { nameOf: async () => 'the bucket', isAbandoned: async () => true };

/** A release of so many events. */
function release(size: number): Manifest {
  return {
    format: 'cathedral-release/1',
    release: '2025-07-03T06Z-aaaaaaaa',
    timestamp: `2025-07-03T05:00:${size}Z`,
    ledger: { origin: 'ledger.example.org', snapshot: '2025-07-03T06Z', size, root: 'a'.repeat(64) },
    software: 'test',
    inputs: '',
    files: [],
    segments: {},
    unlisted: [],
    content: '',
    digest: '',
  };
}

const store = useStore();

test.skipIf(store.isMissing)(
  'a shared record keeps nothing of a change that fails, and knows the keys that signed last: a copy of the key file may be ahead, never behind',
  async () => {
    const address = await store.newDatabase();
    const database = await openDatabase(address, { application: 'a test', connections: 2 });
    onTestFinished(() => database.close());
    const out = await temporaryFolder();
    await withLease(database, { name: 'publisher', holder: 'a test', waitMs: 0 }, async (lease) => {
      const records = postgresRecords(database, lease, FOLDERS);
      const place = { keyFile: join(out, 'publisher.key'), records, out, baseUrl: BASE_URL, previous: null };
      const sign = (size: number, keys = KEYS) => {
        const [first, ...others] = keys.map(signerOf);
        const signing = { checkpoint: 'a note', signers: [first!, ...others] as const };
        return signRelease(
          release(size),
          { ...signing, signers: [first!, ...others] },
          { ...place, now: () => NOW },
        );
      };
      const next = newNoteKey('data.example.org', NOW);
      await sign(10);
      const before = await records.read();
      const failing = records.change('test', () => Promise.reject(new RangeError('no')));
      await expect(failing).rejects.toThrow(RangeError);
      expect(await records.read()).toEqual(before);
      await expect(sign(11, [next])).rejects.toThrow(
        /copy this file from the publisher that has these keys.*refused/,
      );
      await sign(11, [next, ...KEYS]);
      await expect(sign(12)).rejects.toThrow(/release_refused/);
    });
  },
);
