import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { storeFiles } from '../../../pipeline/config/store-place.ts';
import { readVerifiers } from '../../../pipeline/ledger/reading/ledger-verifiers.ts';
import { headsIn, signOwnHead } from '../../../src/sidecar/access-log/own-heads.ts';
import { readSignedHeads } from '../../../src/sidecar/access-log/signed-heads.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { openStores } from '../../../src/sidecar/open-stores.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { expired, openTemporaryLog, readerOf, tamperWith } from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const SERVICE = 'https://data.example.org';

/** The folder of a machine's stores, and its access log. */
async function machine() {
  const store = await temporaryFolder();
  const dir = join(store, 'access-log');
  const { log } = await openTemporaryLog({ dir, heads: headsIn(store) });
  const fill = async (from: number, count: number) => {
    for (let at = from; at < from + count; at += 1) await log.append(sampleAccess(at));
  };
  const files = storeFiles(store);
  return {
    store,
    dir,
    log,
    fill,
    files,
    sign: () => signOwnHead(store, SERVICE, START),
    heads: () => readdirSync(join(dir, 'heads')).sort(),
    /** A server that starts now, and stops again. */
    restarted: async () => {
      const { log } = await openTemporaryLog({ dir, heads: headsIn(store) });
      await log.append(sampleAccess(99)).finally(log.close);
    },
    faults: async () => {
      const signed = await readSignedHeads(headsIn(store), await readVerifiers(files.headVerifiers));
      return (await verifyAccessLog(await readerOf(dir), { signed })).faults.map(({ kind }) => kind);
    },
  };
}

/** As a server that starts. */
async function openServer(store: string) {
  const stores = await openStores({ store, baseUrl: SERVICE }, pino({ level: 'silent' }));
  await stores.signNewest();
  return stores;
}

test('a server signs at its start what an earlier one left, then each hour what is new, and the rest at its end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = await temporaryFolder();
  const open = () => openServer(store);
  const heads = () => readdirSync(join(store, 'access-log/heads')).map((name) => Number(name.slice(0, 12)));
  const first = await openTemporaryLog({ dir: join(store, 'access-log') });
  await first.log.append(sampleAccess(0));
  await first.log.close();
  const { accessLog, close } = await open();
  expect(heads()).toEqual([0]);
  await accessLog.append(sampleAccess(1));
  await vi.advanceTimersByTimeAsync(3_599_000);
  expect(heads()).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.poll(heads).toEqual([0, 1]);
  await accessLog.append(sampleAccess(2));
  await close();
  expect(heads()).toEqual([0, 1, 2]);
});

test('a server whose key for heads others can read goes on, and says so until it has signed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = await temporaryFolder();
  const { headKey } = storeFiles(store);
  const open = () => openServer(store);
  const first = await open();
  await first.accessLog.append(sampleAccess(0));
  await first.close();
  chmodSync(headKey, 0o644);
  const { accessLog, checks, close } = await open();
  await accessLog.append(sampleAccess(1));
  expect(checks.headsFault?.()).toBe('the newest entry of the access log is not signed');
  chmodSync(headKey, 0o600);
  await vi.advanceTimersByTimeAsync(3_600_000);
  await expect.poll(() => checks.headsFault?.()).toBeNull();
  await close();
});

describe('a head that the server of one machine signs', () => {
  test('is a file for each new newest entry, under a key that only the server has', async () => {
    const { fill, sign, heads, files, faults } = await machine();
    expect(await sign()).toBeNull();
    await fill(0, 3);
    expect(await sign()).toMatchObject({
      seq: 2,
      note: expect.stringContaining('\n— data.example.org/access-log '),
    });
    expect(await sign()).toBeNull();
    await fill(3, 2);
    // Two servers on one machine have one key.
    await Promise.all([sign(), sign()]);
    expect(heads()).toEqual([
      expect.stringMatching(/^000000000002-[0-9a-f]{16}\.note$/),
      expect.stringMatching(/^000000000004-[0-9a-f]{16}\.note$/),
    ]);
    expect(statSync(files.headKey).mode & 0o077).toBe(0);
    expect(readFileSync(files.headVerifiers, 'utf8')).toMatch(/^data\.example\.org\/access-log\+[^\n]+\n$/);
    expect(await faults()).toEqual([]);
  });

  test('is missed by a server that starts after the log was cut off, and by a verification', async () => {
    const { dir, log, fill, sign, restarted, faults } = await machine();
    await fill(0, 6);
    await sign();
    await log.close();
    const before = await restarted().then(() => faults());
    expect(before).toEqual([]);
    tamperWith(
      dir,
      `DELETE FROM access_log_entries WHERE seq >= 4;
       UPDATE access_log_head SET (seq, hash) = (SELECT seq, hash FROM access_log_entries WHERE seq = 3)`,
    );
    expect(await failureOf(restarted)).toMatchObject({
      code: 'access_log_broken',
      place: expect.stringMatching(/access-log\/heads\/000000000005-/),
      found: 'no such entry',
    });
    expect(await faults()).toEqual(['signed_head_differs']);
  });

  test('is missed where an older copy of the file took its place, or none', async () => {
    const { dir, log, fill, sign, restarted, files } = await machine();
    await fill(0, 2);
    await log.close();
    copyFileSync(files.accessLog, join(dir, 'older'));
    const again = await openTemporaryLog({ dir });
    await again.log.append(sampleAccess(2));
    await again.log.close();
    await sign();
    copyFileSync(join(dir, 'older'), files.accessLog);
    expect(await failureOf(restarted)).toMatchObject({ code: 'access_log_broken' });
    for (const end of ['', '-wal', '-shm']) rmSync(`${files.accessLog}${end}`, { force: true });
    expect(await failureOf(restarted)).toMatchObject({ code: 'access_log_broken' });
    // On purpose, with its heads: a new log begins.
    rmSync(join(dir, 'heads'), { recursive: true });
    await restarted();
  });

  test('is not missed once its entry was removed by age, and a half-written one is none', async () => {
    const { store, dir, log, fill, sign, restarted, faults } = await machine();
    await fill(0, 4);
    await sign();
    await log.close();
    writeFileSync(join(dir, 'heads', '000000000009-0000000000000000.note.tmp'), 'half');
    await expired(dir, START + 3_600_000, START + 7_200_000);
    await restarted();
    expect(await faults()).toEqual([]);
    expect((await Array.fromAsync(headsIn(store).list('access-log/heads/'))).length).toBe(1);
  });

  test('is never written again, whatever a killed server left beside it, and is signed once', async () => {
    const { dir, fill, sign, heads, faults } = await machine();
    await fill(0, 2);
    await sign();
    const [name = ''] = heads();
    const path = join(dir, 'heads', name);
    const kept = readFileSync(path, 'utf8');
    // A kill between the link and the removal leaves two names of one file.
    linkSync(path, `${path}.tmp`);
    const folder = statSync(join(dir, 'heads')).mtimeMs;
    expect(await sign()).toBeNull();
    expect(statSync(join(dir, 'heads')).mtimeMs).toBe(folder);
    const head = { bytes: Buffer.from('another'), sha256: '', headers: {} };
    expect(await headsIn(join(dir, '..')).put(`access-log/heads/${name}`, head, 'absent')).toBe('refused');
    expect(readFileSync(path, 'utf8')).toBe(kept);
    expect(heads()).toEqual([name, `${name}.tmp`]);
    expect(await faults()).toEqual([]);
  });

  test('has a verifier key that a run of another user can read, in a folder that the server makes', async () => {
    const store = join(await temporaryFolder(), 'made', 'store');
    const before = process.umask(0o022);
    onTestFinished(() => void process.umask(before));
    const { close } = await openServer(store);
    await close();
    const modes = ['', 'access-log.vkey', 'access-log', 'keys', 'limits'].map(
      (name) => statSync(join(store, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o644, 0o700, 0o700, 0o700]);
  });

  test('stays verifiable after the key was lost: the older verifier key stays beside the new one', async () => {
    const { fill, sign, files, faults } = await machine();
    await fill(0, 2);
    await sign();
    rmSync(files.headKey);
    await fill(2, 2);
    await sign();
    expect(await readVerifiers(files.headVerifiers)).toHaveLength(2);
    expect(await faults()).toEqual([]);
  });
});
