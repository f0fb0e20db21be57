import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { publishSite, type SiteOptions } from '../../pipeline/bucket/publish-site.ts';
import { openObjectStore } from '../../pipeline/objects/object-store.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { type Published, readCurrent } from '../../pipeline/release/format/release.ts';
import { headersFor } from '../../pipeline/release/format/response-headers.ts';
import { runWords } from '../contract/commands/seam.ts';
import { InProcessStore, type S3Call } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { NOW } from '../release/small-service.ts';
import { isSweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { useObjects } from '../setups/use-objects.ts';
import { smallReleases } from './pushed-releases.ts';

const objects = useObjects();

const DAY_MS = 86_400_000;
const RECORD = '.cathedral-site.json';
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
};

const folder = useFolder();
/** OUT after its first and after its second release. */
let first: string;
let second: string;
let release: Published;

beforeAll(async () => {
  const { outs } = await smallReleases();
  [first, second] = [join(folder, 'first'), join(folder, 'second')];
  cpSync(outs[0]!, first, { recursive: true, verbatimSymlinks: true });
  cpSync(outs[1]!, second, { recursive: true, verbatimSymlinks: true });
  release = (await readCurrent(second))!;
});

/** What a bucket has once a folder was published to it. To publish takes seconds, so the tests of what comes next begin with a copy. */
const published = new Map<string, InProcessStore['objects']>();

/** A bucket in this process to which one of the folders was published, or none, and what publishes to it. */
async function bucket(out?: string) {
  const server = await InProcessStore.start();
  const store = await openObjectStore(server.bucket('site'), CREDENTIALS, {
    access: 'write',
    software: 'test/1',
    wait: async () => {},
  });
  onTestFinished(() => {
    store.close();
    server.stop();
  });
  const publish = (more: Partial<SiteOptions> = {}) =>
    publishSite({
      out: second,
      store,
      waitMs: 0,
      graceMs: DAY_MS,
      now: () => NOW,
      folderPages: false,
      recheck: false,
      log: () => {},
      ...more,
    });
  if (out !== undefined) {
    if (!published.has(out)) {
      await publish({ out });
      published.set(out, copyOf(server.objects));
    }
    for (const [name, object] of copyOf(published.get(out)!)) server.objects.set(name, object);
  }
  const keys = () => [...server.objects.keys()].map((name) => name.slice('site/'.length)).sort();
  const bytesOf = (key: string) => server.objects.get(`site/${key}`)?.bytes;
  /** The calls that `work` makes, as `PUT latest.json`, in the order in which they arrive. */
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = server.calls.length;
    await work();
    return server.calls.slice(before).map(({ method, key }) => `${method} ${key}`);
  };
  return { server, store, publish, keys, bytesOf, callsOf };
}

const copyOf = (objects: InProcessStore['objects']) =>
  new Map([...objects].map(([name, object]) => [name, { ...object }]));

/** The calls of a run that finds nothing to do. They are under way at once, so either may arrive first. */
const LOOKS = ['GET ', `GET ${RECORD}`];

const isUpload = ({ method, key }: S3Call) => method === 'PUT' && key !== RECORD;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Public paths as the signed manifest has them, with the files that no manifest lists. */
async function publicPaths(out: string): Promise<string[]> {
  const listed = JSON.parse(readFileSync(join(out, 'current/public/manifest.json'), 'utf8')).files;
  const beside = await Promise.all(
    ['log', 'snapshots'].map(async (name) =>
      (await listTree(join(out, name))).files.map((path) => `${name}/${path}`),
    ),
  );
  const proofs = ['manifest.json', 'manifest.json.sig', 'latest.json'];
  return [...listed.map(({ path }: { path: string }) => path), ...proofs, ...beside.flat()].sort();
}

describe('a published site', () => {
  test('has what everybody may read, and nothing else', async () => {
    const { keys, server } = await bucket(second);
    expect(keys()).toEqual([RECORD, ...(await publicPaths(second))].sort());
    // By content too: nothing restricted, unlisted, compressed or of the log's entries, whatever it might be called.
    const stored = new Set([...server.objects.values()].map(({ bytes }) => sha256(bytes)));
    const { files } = await listTree(release.dir);
    const entries = (await listTree(join(second, 'log-entries'))).files;
    const secret = [
      ...files.filter((path) => !path.startsWith('public/') || /\.(gz|br)$|_headers$/.test(path)),
      ...entries.map((path) => `../../log-entries/${path}`),
    ];
    expect(secret.filter((path) => path.startsWith('restricted/')).length).toBeGreaterThan(1);
    expect(entries.length).toBeGreaterThan(0);
    expect(secret.filter((path) => stored.has(sha256(readFileSync(join(release.dir, path)))))).toEqual([]);
  });

  test('is uploaded once; then only what changed is', async () => {
    const { publish, callsOf, server } = await bucket();
    const report = await publish({ out: first });
    const paths = await publicPaths(first);
    expect(report).toMatchObject({ uploaded: { files: paths.length }, unchanged: 0, removed: 0, kept: 0 });
    expect((await callsOf(() => publish({ out: first }))).sort()).toEqual(LOOKS);
    const before = new Map(server.objects);
    const calls = await callsOf(publish);
    const uploads = calls.filter((call) => call.startsWith('PUT ') && call !== `PUT ${RECORD}`);
    const changed = [...server.objects].filter(
      ([name, { etag }]) => before.get(name)?.etag !== etag && !name.endsWith(RECORD),
    );
    expect(uploads).toHaveLength(changed.length);
    expect(calls.filter((call) => call.startsWith('HEAD'))).toEqual([]);
  });

  test('at no moment refers to something that is not there, however it is interrupted, and resumes', async () => {
    const { publish, server, keys, bytesOf, callsOf } = await bucket(first);
    const expected = await publicPaths(second);
    const finished = async (limit: number) => {
      let uploads = 0;
      server.plan = (call) => {
        if (isUpload(call)) uploads += 1;
        return uploads > limit ? { status: 403, code: 'AccessDenied' } : null;
      };
      return publish().then(
        () => true,
        () => false,
      );
    };
    let attempts = 0;
    while (!(await finished(isSweep ? 9 : 40))) {
      attempts += 1;
      const { files } = JSON.parse(bytesOf('manifest.json')!.toString());
      expect(files.filter(({ path }: { path: string }) => !bytesOf(path))).toEqual([]);
      const list = JSON.parse(bytesOf('snapshots/index.json')!.toString());
      for (const { index } of list) {
        expect(sha256(bytesOf(index.path)!)).toBe(index.sha256);
        for (const { url } of JSON.parse(bytesOf(index.path)!.toString()).files)
          if (url) expect(bytesOf(url)).toBeDefined();
      }
      // The newer manifest has all of its files in their new form.
      if (bytesOf('manifest.json')!.equals(readFileSync(join(second, 'current/public/manifest.json'))))
        for (const { path, sha256: hash } of files) expect(sha256(bytesOf(path)!)).toBe(hash);
    }
    expect(attempts).toBeGreaterThan(1);
    expect(keys().filter((key) => key !== RECORD)).toEqual(expect.arrayContaining(expected));
    server.plan = () => null;
    expect((await callsOf(publish)).sort()).toEqual(LOOKS);
  });

  test('puts the signature before the manifest, and the pointer last', async () => {
    const { publish, callsOf } = await bucket();
    const calls = await callsOf(publish);
    expect(calls.slice(-4)).toEqual([
      'PUT manifest.json.sig',
      'PUT manifest.json',
      'PUT latest.json',
      `PUT ${RECORD}`,
    ]);
    const uploads = calls.filter((call) => call.startsWith('PUT ')).map((call) => call.slice(4));
    const at = (path: string) => uploads.indexOf(path);
    const lastOf = (pattern: RegExp) => uploads.findLastIndex((path) => pattern.test(path));
    expect(lastOf(/^log\/tile\//)).toBeLessThan(at('log/checkpoint'));
    expect(lastOf(/^snapshots\/2/)).toBeLessThan(at('snapshots/index.json'));
    expect(lastOf(/^(schemas|economy)\//)).toBeLessThan(at('log/checkpoint'));
  });

  test('loses what no release refers to after the grace, and nothing that it did not upload', async () => {
    const { publish, server, store, keys } = await bucket(first);
    const foreign = { bytes: Buffer.from('x'), sha256: sha256(Buffer.from('x')) };
    await store.put('letter.pdf', foreign);
    // Also under a name that every object of JavaScript has.
    await store.put('constructor', foreign);
    // The first release had a file that the second one does not have.
    const record = server.objects.get(`site/${RECORD}`)!;
    const { etag } = (await store.put('economy/old.csv', foreign)) as { etag: string };
    const text = JSON.parse(record.bytes.toString());
    text.files['economy/old.csv'] = { sha256: foreign.sha256, etag, headers: {} };
    record.bytes = Buffer.from(JSON.stringify(text));
    await store.put('snapshots/2020-01-01T06Z/index.json', foreign);
    // The newest bundle of an earlier log, which the next one has in full.
    await store.put('log/public/v1/000.p/2', foreign);
    expect(await publish()).toMatchObject({ removed: 0, kept: 3 });
    expect(await publish({ now: () => NOW + DAY_MS - 1 })).toMatchObject({ removed: 0, kept: 3 });
    expect(await publish({ now: () => NOW + DAY_MS })).toMatchObject({ removed: 3, kept: 0 });
    expect(keys()).toEqual([RECORD, 'constructor', 'letter.pdf', ...(await publicPaths(second))].sort());
  });

  test('is repaired: an object that something else replaced or removed is uploaded again', async () => {
    const { publish, server, bytesOf } = await bucket(second);
    const right = bytesOf('economy/supply')!;
    const object = server.objects.get('site/economy/supply')!;
    Object.assign(object, { bytes: Buffer.alloc(right.length, 'x'), etag: 'f'.repeat(32), headers: {} });
    server.objects.delete('site/publisher.vkey');
    expect(await publish()).toMatchObject({ uploaded: { files: 2 } });
    expect(bytesOf('economy/supply')).toEqual(right);
    // With the same entity tag, only a recheck finds it.
    const index = server.objects.get(
      `site/${JSON.parse(bytesOf('snapshots/index.json')!.toString())[0].index.path}`,
    )!;
    index.headers = { ...index.headers, 'cache-control': 'no-store' };
    expect(await publish()).toMatchObject({ uploaded: { files: 0 } });
    expect(await publish({ recheck: true })).toMatchObject({ uploaded: { files: 1 } });
  });
});

describe('publishing is refused', () => {
  test('to the bucket through which machines share releases', async () => {
    const { publish, store, keys } = await bucket();
    await store.put(`blobs/${'0'.repeat(64)}`, { bytes: Buffer.from('x'), sha256: sha256(Buffer.from('x')) });
    await expect(publish()).rejects.toMatchObject({ code: 'config_invalid' });
    expect(keys()).toHaveLength(1);
  });

  test('of an earlier release than the bucket has', async () => {
    const { publish, callsOf } = await bucket(second);
    const refused = () => expect(publish({ out: first })).rejects.toMatchObject({ code: 'release_refused' });
    // Both at once, so in any order.
    expect((await callsOf(refused)).sort()).toEqual(LOOKS);
  });

  test('of another service', async () => {
    const { publish, server } = await bucket(first);
    const record = server.objects.get(`site/${RECORD}`)!;
    const other = { ...JSON.parse(record.bytes.toString()), ledger: 'other.example.org' };
    record.bytes = Buffer.from(JSON.stringify(other));
    await expect(publish()).rejects.toMatchObject({ code: 'release_refused', found: 'other.example.org' });
  });

  test('of a log with another history than the bucket has, unless that one is damaged', async () => {
    const { publish, server } = await bucket(first);
    const object = server.objects.get('site/log/checkpoint')!;
    const [origin, size, , ...more] = object.bytes.toString().split('\n');
    const other = Buffer.alloc(32, 7).toString('base64');
    object.bytes = Buffer.from([origin, size, other, ...more].join('\n'));
    await expect(publish()).rejects.toMatchObject({ code: 'log_forked' });
    object.bytes = Buffer.from('no note');
    expect((await publish()).version).toBe(release.manifest.signed!.version);
  });

  test('of a folder without a release, and beside another publication', async () => {
    const { publish, server } = await bucket(first);
    const missing = join(folder, 'mis/typed');
    await expect(publish({ out: missing })).rejects.toMatchObject({ code: 'release_invalid', found: 'none' });
    // Nothing was made, not even for the lock.
    expect(existsSync(join(folder, 'mis'))).toBe(false);
    server.plan = ({ method, key }) => {
      if (method === 'PUT' && key === 'latest.json') server.objects.get(`site/${RECORD}`)!.etag = 'other';
      return null;
    };
    await expect(publish()).rejects.toMatchObject({ code: 'publish_failed' });
  });
});

describe.skipIf(objects.isMissing)('a bucket of Ceph that everybody may read', () => {
  let address: string;
  let base: string;

  beforeAll(async () => {
    address = await objects.newBucket();
    base = address.replace('s3+', '');
    await (await objects.gateway()).allowReading(new URL(base).pathname.slice(1));
  });

  test('is verified by its address after the command has run', async () => {
    const args = ['publish', '--to', address, '--out', second, '--json'];
    const published = await runWords(args, ENVIRONMENT);
    expect([published.status, published.stderr]).toEqual([
      0,
      expect.not.stringContaining(CREDENTIALS.secretAccessKey),
    ]);
    expect(JSON.parse(published.stdout)).toMatchObject({ release: release.manifest.release, unchanged: 0 });
    const { status, stdout } = await runWords([
      'verify',
      base,
      '--static',
      '--accept-expired',
      '--verifier-key',
      release.manifest.signed!.keys[0]!,
    ]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^files +verified/m)]);
    expect(stdout).toMatch(/^log +verified/m);
    expect(stdout).toMatch(/^snapshots +verified/m);
  });

  test('answers with the media type and the cache time of each file, and without a content coding', async () => {
    for (const file of release.manifest.files) {
      const response = await fetch(`${base}/${file.path}`);
      if (file.restricted) {
        expect([file.path, response.status]).toEqual([file.path, 403]);
        continue;
      }
      const headers = headersFor(file);
      expect([file.path, response.status, sha256(await response.bytes())]).toEqual([
        file.path,
        200,
        file.sha256,
      ]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': headers['Content-Type'],
        'cache-control': headers['Cache-Control'],
        'x-amz-meta-sha256': file.sha256,
      });
      expect(response.headers.get('content-encoding')).toBe(null);
    }
  });
});

test('the page of a folder may also have the address of the folder', async () => {
  const { publish, keys, bytesOf } = await bucket();
  const out = join(folder, 'with-page');
  cpSync(second, out, { recursive: true, verbatimSymlinks: true });
  // The list of snapshots is the one page that a release without a site may have.
  const page = '<!doctype html><title>Snapshots</title>';
  writeFileSync(join(out, 'snapshots/index.html'), page);
  await publish({ out, folderPages: true });
  expect(keys()).toContain('snapshots/');
  expect(bytesOf('snapshots/')!.toString()).toBe(page);
  expect(await publish({ out, folderPages: true })).toMatchObject({ uploaded: { files: 0 }, kept: 0 });
});
