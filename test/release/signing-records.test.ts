import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newNoteKey, signerOf } from '../../pipeline/ledger/note-keys.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { withLease } from '../../pipeline/postgres/lease.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import { signRelease } from '../../pipeline/release/signing/sign-release.ts';
import { recordSnapshots, type SigningRecords } from '../../pipeline/release/signing/signing-record.ts';
import { useStore } from '../setups/use-store.ts';
import { BASE_URL, NOW } from './small-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

const postgres = useStore();

/** Records for one publisher each, over the same storage. */
type Open = (keyFile: string) => Promise<SigningRecords>;

const KEYS = [newNoteKey('data.example.org', NOW)];

/** A release of so many events; `fork`: of which history. */
function release(size: number, fork: 'a' | 'b' = 'a'): Manifest {
  const id = `2025-07-03T06Z-${fork.repeat(8)}`;
  return {
    format: 'cathedral-release/1',
    release: id,
    timestamp: `2025-07-03T05:00:${String(size % 60).padStart(2, '0')}Z`,
    ledger: { origin: 'ledger.example.org', snapshot: '2025-07-03T06Z', size, root: fork.repeat(64) },
    software: 'test',
    inputs: '',
    files: [],
    segments: {},
    unlisted: [],
    content: '',
    digest: '',
  };
}

interface Publisher {
  records: SigningRecords;
  sign: (release: Manifest, keys?: typeof KEYS) => ReturnType<typeof signRelease>;
}

async function publisher(open: Open, folder: string): Promise<Publisher> {
  const keyFile = join(folder, 'publisher.key');
  const records = await open(keyFile);
  const place = { keyFile, records, out: folder, baseUrl: BASE_URL, previous: null, now: () => NOW };
  return {
    records,
    sign: (release, keys = KEYS) => {
      const [first, ...others] = keys.map(signerOf);
      return signRelease(release, { checkpoint: 'a note', signers: [first!, ...others] }, place);
    },
  };
}

const versionIn = async ({ records }: Publisher) => (await records.read()).services[BASE_URL]?.version;

function contract(name: string, isThere: boolean, storage: () => Promise<Open>): void {
  describe.skipIf(!isThere)(`a signing record in ${name}`, () => {
    const two = async () => {
      const [open, folder] = [await storage(), await temporaryFolder()];
      return [await publisher(open, folder), await publisher(open, folder)] as const;
    };

    test('names the release that was signed last, and its snapshots', async () => {
      const [one, other] = await two();
      expect(await other.records.read()).toMatchObject({ services: {}, replaced: [] });
      const { version, sha256 } = await one.sign(release(10));
      const hashes = { '2025-07-03T06Z': '0'.repeat(64) };
      await recordSnapshots({ ...one, baseUrl: BASE_URL }, { snapshots: hashes, lost: {} });
      expect((await other.records.read()).services[BASE_URL]).toMatchObject({
        version,
        sha256,
        ledger: { size: 10 },
        snapshots: hashes,
      });
    });

    test('lets only one of two releases of the same events pass, also at once', async () => {
      const [one, other] = await two();
      const signed = await Promise.allSettled([one.sign(release(10, 'a')), other.sign(release(10, 'b'))]);
      expect(signed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [rejected] = signed.filter((end) => end.status === 'rejected');
      expect(rejected!.reason.message).toMatch(
        /root .* of the 10 events that were published .*release_refused/,
      );
      const [fulfilled] = signed.filter((end) => end.status === 'fulfilled');
      expect(await versionIn(one)).toBe(fulfilled!.value.version);
    });

    test('gives each of many releases at once a version of its own, and the same bytes the same', async () => {
      const publishers = await two();
      const ends = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((at) =>
          publishers[at % 2]!.sign({ ...release(10), release: `2025-07-03T06Z-0000000${at}` }),
        ),
      );
      expect(new Set(ends.map(({ version }) => version)).size).toBe(6);
      const last = (await publishers[0].records.read()).services[BASE_URL]!;
      const again = await publishers[1].sign({ ...release(10), release: last.release });
      expect(again).toMatchObject({ version: last.version, sha256: last.sha256 });
    });

    test('keeps nothing of a change that fails', async () => {
      const [one] = await two();
      await one.sign(release(10));
      const before = await one.records.read();
      const failing = one.records.change('test', async () => {
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await one.records.read()).toEqual(before);
    });
  });
}

contract('a file', true, async () => async (keyFile) => fileRecords(keyFile, { waitMs: 600_000 }));

describe.skipIf(postgres.isMissing)('PostgreSQL', () => {
  const FOLDERS = { nameOf: async () => 'the bucket', isAbandoned: async () => true };
  const connect = async (address: string) => {
    const database = await openDatabase(address, {
      application: 'a test',
      connections: 2,
      timeoutMs: 60_000,
    });
    onTestFinished(() => database.close());
    return database;
  };

  contract('PostgreSQL', true, async () => {
    const address = await postgres.newDatabase();
    const database = await connect(address);
    const ended = Promise.withResolvers<void>();
    const held = await new Promise<Parameters<typeof postgresRecords>[1]>((resolve) => {
      const options = { name: 'publisher', holder: 'a test', waitMs: 0 };
      void withLease(database, options, (lease) => {
        resolve(lease);
        return ended.promise;
      });
    });
    onTestFinished(() => ended.resolve());
    return async () => postgresRecords(await connect(address), held, FOLDERS);
  });

  test('refuses a publisher that has lost the lease, and keeps nothing of it', async () => {
    const database = await connect(await postgres.newDatabase());
    const options = { name: 'publisher', holder: 'a test', waitMs: 0 };
    const stale = await withLease(database, options, async (lease) => lease);
    const open = (lease: typeof stale) => async () => postgresRecords(database, lease, FOLDERS);
    const folder = await temporaryFolder();
    await withLease(database, options, async (lease) => {
      const late = await publisher(open(stale), folder);
      await expect(late.sign(release(10))).rejects.toThrow(/epoch 1.*epoch 2 \(locked\)/);
      expect(await versionIn(late)).toBeUndefined();
      const leader = await publisher(open(lease), folder);
      await leader.sign(release(10));
      await expect(late.sign(release(11))).rejects.toThrow(/locked/);
      expect((await leader.records.read()).services[BASE_URL]!.ledger.size).toBe(10);
    });
  });

  test('knows the keys that signed last: a copy of the key file may be ahead, and never behind', async () => {
    const database = await connect(await postgres.newDatabase());
    const folder = await temporaryFolder();
    await withLease(database, { name: 'publisher', holder: 'a test', waitMs: 0 }, async (lease) => {
      const { sign } = await publisher(async () => postgresRecords(database, lease, FOLDERS), folder);
      const next = newNoteKey('data.example.org', NOW);
      await sign(release(10));
      const other = sign(release(11), [next]);
      await expect(other).rejects.toThrow(/copy this file from the publisher that has these keys.*refused/);
      await sign(release(11), [next, ...KEYS]);
      await expect(sign(release(12))).rejects.toThrow(/release_refused/);
    });
  });
});
