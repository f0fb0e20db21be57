import { cp, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BuildReport } from '../../pipeline/build/build.ts';
import { check } from '../../pipeline/build/check.ts';
import { checkpointOf } from '../../pipeline/build/checkpoint-of.ts';
import { openPublisher } from '../../pipeline/build/publisher.ts';
import { refreshRelease } from '../../pipeline/build/refresh-release.ts';
import { publishSnapshots } from '../../pipeline/build/snapshots/publish-snapshots.ts';
import { hashesOf } from '../../pipeline/build/snapshots/restore.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { STATE_VERSION } from '../../pipeline/model/state.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import type { SnapshotIndex } from '../../pipeline/release/format/snapshot-index.ts';
import { openStaging } from '../../pipeline/release/staging/staging.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { textsBelow } from '../files-below.ts';
import { updateMirror } from '../mirror/update-mirror.ts';
import { useFolder } from '../setups/use-folder.ts';
import { type BuildParts, build } from './run-build.ts';

const folder = useFolder();
const ledger = join(folder, 'ledger');
/** The run that made `whole`. */
let whole: BuildReport;
const signed = [demoSigner().verifier];

beforeAll(async () => {
  await writeSample({ out: ledger, from: '2025-12-31', to: '2026-01-02', seed: 7 });
  whole = await build(options('whole'));
  await build(options('last-but-one', { until: (await snapshotIds()).at(-2)! }));
});

/** Copies `whole`, which tests only look at, or `last-but-one`, which lacks the last snapshot. */
async function copied(from: 'whole' | 'last-but-one', out: string): Promise<void> {
  await cp(join(folder, from), join(folder, out), { recursive: true, verbatimSymlinks: true });
}

function options(out: string, more: Partial<BuildParts> = {}): BuildParts {
  return {
    ledger,
    out: join(folder, out),
    verifiers: signed,
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    print: null,
    waitMs: 0,
    log: () => {},
    ...more,
  };
}

/** Every served file of the release, with its bytes. */
const published = (out: string) => textsBelow(join(folder, out, 'current'));

const snapshotIds = async () =>
  (await readdir(join(ledger, 'snapshots')))
    .filter((name) => name.endsWith('.zst'))
    .map((name) => name.slice(0, 14))
    .sort();

test('a release can do without other formats, also where the previous one has files of closed years', async () => {
  const until = (await snapshotIds()).at(-2)!;
  const { manifest } = await build(options('less', { extras: true, until }));
  const closed = manifest.files.filter(({ path, immutable }) => immutable && path.endsWith('-2025.parquet'));
  expect(closed.length).toBeGreaterThan(0);
  const { outcome, manifest: next } = await build(options('less'));
  expect(outcome).toBe('published');
  expect(next.files.filter(({ path }) => path.endsWith('.parquet'))).toEqual([]);
});

describe('a run', () => {
  test('of a ledger whose first slot has not ended says when there is something to publish', async () => {
    const unsealed = join(folder, 'unsealed');
    await mkdir(join(unsealed, 'snapshots'), { recursive: true });
    await expect(build(options('nothing', { ledger: unsealed }))).rejects.toThrow(
      'expected a ledger with a sealed event: events are sealed, and then published, once their slot has ended',
    );
  });

  test('reads only new snapshots; older ones may be missing', async () => {
    const copy = join(folder, 'pruned-ledger');
    await cp(ledger, copy, { recursive: true });
    const ids = await snapshotIds();
    await copied('last-but-one', 'pruned');
    for (const id of ids.slice(0, -1)) await rm(join(copy, 'snapshots', `${id}.ndjson.zst`));
    for (const id of ids.slice(0, -1)) await rm(join(copy, 'snapshots', `${id}.checkpoint`));
    expect(await build(options('pruned', { ledger: copy }))).toMatchObject({
      outcome: 'published',
      snapshots: 1,
    });
  });

  test('over a damaged ledger names the damage and leaves the published files unchanged', async () => {
    const copy = join(folder, 'damaged-ledger');
    await cp(ledger, copy, { recursive: true });
    const last = (await snapshotIds()).at(-1)!;
    await copied('last-but-one', 'damaged');
    const before = published('damaged');
    const link = await readlink(join(folder, 'damaged', 'current'));
    const file = join(copy, 'snapshots', `${last}.checkpoint`);
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(/^\d+$/m, (size) => `${Number(size) + 1}`),
    );
    await expect(build(options('damaged', { ledger: copy }))).rejects.toThrow(`snapshots/${last}.checkpoint`);
    expect(published('damaged')).toEqual(before);
    expect(await readlink(join(folder, 'damaged', 'current'))).toBe(link);
  });

  test('extends the log with each release, and creates it if a release has none', async () => {
    await copied('whole', 'logged');
    const checkpoint = join(folder, 'logged/log/checkpoint');
    const lines = (await readFile(checkpoint, 'utf8')).split('\n');
    const { origin, size, root } = whole.manifest.ledger;
    expect(lines.slice(0, 3)).toEqual([origin, `${size}`, Buffer.from(root, 'hex').toString('base64')]);
    for (const name of ['log', 'log-entries']) await rm(join(folder, 'logged', name), { recursive: true });
    expect((await build(options('logged'))).outcome).toBe('unchanged');
    expect((await readFile(checkpoint, 'utf8')).split('\n')).toEqual(lines);
  });

  test('removes what a killed one left, with new snapshots and without', async () => {
    for (const [from, outcome] of [
      ['last-but-one', 'published'],
      ['whole', 'unchanged'],
    ] as const) {
      await copied(from, `left-${from}`);
      const out = join(folder, `left-${from}`);
      for (const name of ['staging-dead/public', 'staging-log-dead', 'staging-snapshot-dead'])
        await mkdir(join(out, name), { recursive: true });
      expect((await build(options(`left-${from}`))).outcome).toBe(outcome);
      expect((await readdir(out)).filter((name) => name.startsWith('staging-'))).toEqual([]);
    }
  });
});

const CLOSED = 'government/transparency-2025.json';
const keyFile = (out: string) => join(folder, `${out}.key`);
const signs = (out: string) =>
  ({ kind: 'signs', keyFile: keyFile(out), name: 'data.example.org', now: () => Date.parse(NOW) }) as const;
const NOW = '2026-01-02T01:00:00Z';

/** Publishes the current release as another version: with this format of the state, and with other words in the closed report. */
async function publishAs(software: string, format: string, options: BuildParts): Promise<void> {
  const { out, baseUrl, ledger, verifiers } = options;
  const current = (await readCurrent(out))!;
  const { timestamp, inputs, files, unlisted } = current.manifest;
  const report = await readFile(join(current.dir, 'public', CLOSED), 'utf8');
  const without = {
    files: files.filter(({ path }) => path !== CLOSED),
    unlisted: unlisted.filter(({ file }) => file !== 'state.json'),
  };
  const previous = { ...current, manifest: { ...current.manifest, ...without } };
  await using staging = await openStaging(out, previous, { reuse: true });
  await refreshRelease(staging, previous);
  const { media_type: mediaType, ...about } = files.find(({ path }) => path === CLOSED)!;
  const content = report.replace('"closed": true', '"closed":  true');
  await staging.write({ ...about, mediaType, content });
  const place = {
    out,
    baseUrl,
    waitMs: 0,
    ledger: openDirectory(ledger),
    verifiers,
    rebuild: false,
    keyName: 'x',
  };
  const { signing } = (await openPublisher(signs('earlier'), { ...place, previous }))!;
  const state = `${JSON.stringify(current.state).replace(`cathedral-state/${STATE_VERSION}`, format)}\n`;
  const facts = { timestamp, ledger: current.manifest.ledger, software, inputs };
  await staging.publish({
    facts,
    state,
    sign: (release) => {
      const checkpoint = checkpointOf(ledger, release.ledger, verifiers);
      return signing!.sign(release, { checkpoint, isServed: true });
    },
    prepare: (release) => {
      const record = (index: SnapshotIndex) => signing!.record(hashesOf(index));
      return publishSnapshots(out, release, { days: 9, sign: signing!.signText, record });
    },
  });
}

describe('a release of another version', () => {
  const mirror = async ({ out, baseUrl }: BuildParts) =>
    updateMirror(baseUrl, `${out}-mirror`, {
      origin: await FolderOrigin.at(out),
      keys: null,
      now: () => Date.parse(NOW),
    });
  const parts = (more: Partial<BuildParts> = {}) =>
    options('earlier', { publisher: signs('earlier'), ...more });
  const snapshots = { days: 9 };

  test('is rebuilt from genesis if it is an earlier one; readers, mirrors and a check accept what follows', async () => {
    const until = (await snapshotIds()).at(-3)!;
    await build(parts({ until }));
    await publishAs('cathedral-data-service 0.0.9', 'cathedral-state/0', parts());
    await mirror(parts());
    const cited = await readFile(join(folder, 'earlier/snapshots', until, 'index.json'), 'utf8');
    const { [`public/${CLOSED}`]: closed } = published('earlier');
    const lines: string[] = [];
    const report = await build(parts({ snapshots, log: (line) => lines.push(line) }));
    expect(report.migrated).toContain('cathedral-state/0');
    expect(lines[0]).toContain('from genesis');
    expect(lines).toContain(`${CLOSED} stays as an earlier version published it`);
    // What a rebuild by this version alone would have, but for the closed report, which never changes.
    const dataOf = ({ manifest }: BuildReport) =>
      manifest.files
        .filter(({ kind, path }) => kind === 'data' && /\.csv$|^economy/.test(path))
        .map(({ path, sha256 }) => [path, sha256]);
    expect(dataOf(report)).toEqual(dataOf(whole));
    expect(published('earlier')[`public/${CLOSED}`]).toBe(closed);
    expect(await readFile(join(folder, 'earlier/snapshots', until, 'index.json'), 'utf8')).toBe(cited);
    expect(await readdir(join(folder, 'earlier/snapshots'))).toEqual(
      expect.arrayContaining((await snapshotIds()).slice(-3)),
    );
    expect(await mirror(parts())).toMatchObject({ outcome: 'mirrored' });
    expect(await check(parts())).toEqual([]);
  });

  test('is not replaced by accident if it is a later one', async () => {
    const later = `cathedral-state/${STATE_VERSION + 1}`;
    await publishAs('cathedral-data-service 9.0.0', later, parts());
    const link = await readlink(join(folder, 'earlier/current'));
    await expect(build(parts({ snapshots }))).rejects.toMatchObject({
      code: 'release_invalid',
      found: `${later}, of a later version`,
    });
    expect(await readlink(join(folder, 'earlier/current'))).toBe(link);
    expect(await build(parts({ snapshots, rebuild: true }))).toMatchObject({ outcome: 'published' });
  });
});

describe('a check', () => {
  test.each(['log/tile/0/000', 'log/public/v2/000', 'log-entries/000'])(
    'finds that %s is changed or lost',
    async (path) => {
      await copied('whole', 'tampered');
      const place = join(folder, 'tampered', path);
      const bytes = await readFile(place);
      bytes[bytes.length - 1]! ^= 1;
      await writeFile(place, bytes);
      const places = async () => (await check(options('tampered'))).map((finding) => finding.place);
      expect(await places()).toEqual([expect.stringContaining(path)]);
      await rm(place);
      expect(await places()).toEqual([expect.stringContaining(path)]);
    },
  );

  test('finds a number that contradicts the ledger, even if the manifest matches it', async () => {
    const other = join(folder, 'other-ledger');
    await writeSample({ out: other, from: '2025-12-31', to: '2026-01-02', seed: 8 });
    const places = (await check(options('whole', { ledger: other }))).map(({ place }) => place);
    expect(places.join('\n')).toContain('economy/supply');
  });
});
