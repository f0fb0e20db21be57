import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePdf, pdfJobs } from '../../../pipeline/build/pdf/pdfs.ts';
import { publishSnapshots } from '../../../pipeline/build/snapshots/publish-snapshots.ts';
import { publishedIds } from '../../../pipeline/build/snapshots/read-published.ts';
import { restoredRelease } from '../../../pipeline/build/snapshots/restore.ts';
import { readNoteKeys, signerOf } from '../../../pipeline/ledger/notes/note-keys.ts';
import { emptyState, emptyYear } from '../../../pipeline/model/empty-state.ts';
import { listTree } from '../../../pipeline/release/disk/list-tree.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { type Provable, proofOf } from '../../../pipeline/release/format/proof-files.ts';
import { type Published, readCurrent } from '../../../pipeline/release/format/release.ts';
import { openStaging } from '../../../pipeline/release/staging/staging.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { updateMirror } from '../../mirror/update-mirror.ts';
import { ORGANISATION } from '../../organisation.ts';
import { keptService } from '../../release/kept-service.ts';
import { BASE_URL, type SmallService } from '../../release/small-service.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

const SEALED = [40, 300, 20, 1, 5, 30];
const snapshots = { days: 366 };

/** A service that has published the first snapshots of its ledger in sequence. */
const published = keptService(...SEALED.slice(0, 4));

async function publishUpTo(of: SmallService, sealed: number, more = {}) {
  await of.seal(...SEALED.slice(0, sealed));
  return of.publish({ snapshots, ...more });
}

async function mirrorOf({ out }: SmallService, folder: string) {
  const origin = await FolderOrigin.at(out);
  const keys = null;
  return updateMirror(BASE_URL, folder, { origin, keys, acceptExpired: true });
}

/** The hash of each file, by path below `OUT/<folder>`. */
async function bytesIn(out: string, folder: string): Promise<string[]> {
  const { files } = await listTree(join(out, folder));
  return Promise.all(files.map(async (path) => `${path} ${sha256(await readFile(join(out, folder, path)))}`));
}

/** The folders of OUT that operators have to back up according to docs/operations.md. */
async function namedInDocs(): Promise<string[]> {
  const text = await readFile('docs/operations.md', 'utf8');
  const section = text.split('\n## ').find((part) => part.startsWith('Back-up'))!;
  return [...section.matchAll(/`CATHEDRAL_OUT\/(\w+)`/g)].map(([, name]) => name!);
}

/** Deletes the output folder and restores the folders `kept` from the copy `from`. */
async function restore(of: SmallService, kept: readonly string[], from = of.out): Promise<void> {
  const lost = `${of.out}.lost`;
  await rm(lost, { recursive: true, force: true });
  await rename(of.out, lost);
  for (const name of kept)
    await cp(join(from === of.out ? lost : from, name), join(of.out, name), { recursive: true });
}

test('after a restore according to docs/operations.md, cited addresses keep their bytes and mirrors continue', async () => {
  const of = await published(2);
  const [early, late] = [`${of.out}-early`, `${of.out}-late`];
  await mirrorOf(of, early);
  for (let sealed = 3; sealed <= 4; sealed += 1) await publishUpTo(of, sealed);
  await mirrorOf(of, late);
  const [cited, log] = [await bytesIn(of.out, 'snapshots'), await bytesIn(of.out, 'log')];
  const manifest = await readFile(join(of.out, 'current/public/manifest.json'));

  await restore(of, await namedInDocs());
  await publishUpTo(of, 4);
  expect(await bytesIn(of.out, 'snapshots')).toEqual(cited);
  const again = await bytesIn(of.out, 'log');
  // Partial tiles of earlier sizes only served readers at that time.
  expect(log).toEqual(expect.arrayContaining(again));
  expect(again).toEqual(expect.arrayContaining(log.filter((file) => !file.includes('.p/'))));
  expect(await readFile(join(of.out, 'current/public/manifest.json'))).toEqual(manifest);
  expect(await mirrorOf(of, late)).toMatchObject({ outcome: 'unchanged' });
  expect(await mirrorOf(of, early)).toMatchObject({ outcome: 'mirrored', snapshots: 2 });

  await publishUpTo(of, 5);
  const now = new Set(await bytesIn(of.out, 'snapshots'));
  expect(cited.filter((file) => !/^index\.json/.test(file) && !now.has(file))).toEqual([]);
  expect(await mirrorOf(of, late)).toMatchObject({ outcome: 'mirrored', snapshots: 1 });
});

test('after a restore together with an upgrade, the snapshots stay and the version grows', async () => {
  const of = await published(3);
  await of.publish({ snapshots, sourceCode: 'https://other.example.org/source' });
  const { signed } = (await readCurrent(of.out))!.manifest;
  const mirror = `${of.out}-mirror`;
  await mirrorOf(of, mirror);
  const cited = (await bytesIn(of.out, 'snapshots')).filter((file) => !/^index\.json/.test(file));
  // The signing record comes from an older backup, too. The snapshot list still has the version.
  await restore(of, ['snapshots']);
  await rm(`${of.keyFile}.signed`, { recursive: true });
  const { manifest } = await of.publish({ snapshots, software: 'cathedral-data-service/next' });
  expect(manifest.signed!.version).toBe(signed!.version + 1);
  expect(await bytesIn(of.out, 'snapshots')).toEqual(expect.arrayContaining(cited));
  expect(await mirrorOf(of, mirror)).toMatchObject({ outcome: 'mirrored', snapshots: 0 });
});

describe('nothing is published', () => {
  test('if signed snapshots are missing, until they are copied from a mirror', async () => {
    const of = await published(3);
    const mirror = `${of.out}-mirror`;
    await mirrorOf(of, mirror);
    const cited = await bytesIn(of.out, 'snapshots');
    await restore(of, []);
    // Before its first release is signed, it publishes the data files alone.
    const passing = { snapshots: null, publisher: { ...of.signsWith(of.keyFile), lasts: false } };
    const refused = { code: 'release_refused', place: join(of.out, 'snapshots') };
    expect(await failureOf(() => of.publish(passing))).toMatchObject(refused);
    const failure = await failureOf(() => of.publish({ snapshots }));
    expect(failure).toMatchObject(refused);
    expect(failure.found).toBe('3 of them missing, 2025-07-03T06Z to 2025-07-03T18Z');
    expect(failure.message).toContain('copy the folder snapshots of a mirror there');
    expect(await readCurrent(of.out)).toBe(null);
    await cp(join(mirror, 'snapshots'), join(of.out, 'snapshots'), { recursive: true });
    // Left by a killed run: neither refused nor served.
    await writeFile(join(of.out, 'snapshots/2025-07-03T06Z/index.json.tmp'), '{"half');
    await of.publish({ snapshots });
    expect(await bytesIn(of.out, 'snapshots')).toEqual(expect.arrayContaining(cited));
    expect(await mirrorOf(of, mirror)).toMatchObject({ outcome: 'unchanged' });
  });

  test('if the snapshots come from an older backup; if given up, their addresses stay empty and mirrors continue', async () => {
    const old = join(await temporaryFolder(), 'old');
    await cp((await published(2)).out, old, { recursive: true });
    const of = await published(4);
    const mirror = `${of.out}-mirror`;
    await mirrorOf(of, mirror);
    await restore(of, ['snapshots'], old);
    expect(await failureOf(() => of.publish({ snapshots }))).toMatchObject({
      code: 'release_refused',
      found: '2 of them missing, 2025-07-03T18Z to 2025-07-04T00Z',
    });
    const givesUp = { snapshots, publisher: { ...of.signsWith(of.keyFile), givesUp: true } };
    const refused = await failureOf(() => of.publish(givesUp));
    expect(refused).toMatchObject({ code: 'release_refused', place: 'snapshots/2025-07-04T00Z' });
    expect(refused.message).toContain('run again when the ledger has sealed its next snapshot');
    await publishUpTo(of, 5, givesUp);
    await publishUpTo(of, 6);
    expect((await publishedIds(of.out)).sort()).toEqual([
      '2025-07-03T06Z',
      '2025-07-03T12Z',
      '2025-07-04T06Z',
      '2025-07-04T12Z',
    ]);
    expect(await mirrorOf(of, mirror)).toMatchObject({ outcome: 'mirrored', snapshots: 2 });
  });

  test('over a snapshot whose bytes differ from the signed ones', async () => {
    const of = await published(2);
    const place = join(of.out, 'snapshots/2025-07-03T06Z/index.json');
    await writeFile(place, (await readFile(place, 'utf8')).replace('/test', '/evil'));
    await rm(join(of.out, 'snapshots/index.json'));
    const failure = await failureOf(() => publishUpTo(of, 3));
    expect(failure).toMatchObject({ code: 'release_refused', place: join(place, '..') });
    expect(failure.message).toContain('restore this folder from its back-up or from a mirror');
  });

  test.each([
    ['the index of one', 'index.json', '2025-07-03T06Z'],
    ['a file of one', 'economy/supply', '2025-07-03T06Z'],
    ['the manifest of the newest', 'manifest.json', '2025-07-03T12Z'],
  ])('if the copy was incomplete: %s is missing', async (_, name, id) => {
    const of = await published(2);
    await restore(of, ['snapshots']);
    const folder = join(of.out, 'snapshots', id);
    await rm(join(folder, name));
    const failure = await failureOf(() => of.publish({ snapshots }));
    expect(failure).toMatchObject({ code: 'release_refused' });
    expect(failure.message).toContain(`restore ${folder} from its back-up or from a mirror`);
    expect(await readCurrent(of.out)).toBe(null);
  });

  test('if the signing record is lost, too, and the list names a missing snapshot', async () => {
    const of = await published(3);
    await restore(of, ['snapshots']);
    await rm(`${of.keyFile}.signed`, { recursive: true });
    await rm(join(of.out, 'snapshots/2025-07-03T18Z'), { recursive: true });
    expect(await failureOf(() => of.publish({ snapshots }))).toMatchObject({
      code: 'release_refused',
      found: '1 of them missing, 2025-07-03T18Z',
    });
    await writeFile(join(of.out, 'snapshots/index.json.sig'), 'garbage');
    expect(await failureOf(() => of.publish({ snapshots }))).toMatchObject({
      code: 'release_invalid',
      place: join(of.out, 'snapshots/index.json.sig'),
    });
  });

  test('if output folder and ledger come from the same older backup, even without new events', async () => {
    const of = await published(2);
    const old = `${of.out}-old`;
    await cp(of.out, old, { recursive: true, verbatimSymlinks: true });
    await publishUpTo(of, 3);
    await rm(of.out, { recursive: true });
    await rename(old, of.out);
    const failure = await failureOf(() => publishUpTo(of, 2));
    expect(failure).toMatchObject({ code: 'release_refused', found: 'a ledger of 340' });
    expect(failure.message).toContain('at least the 360 events published');
    // The ledger has grown again, differently: as long as the signed one, but with other events.
    await of.seal(40, 300, 50);
    const forked = await failureOf(() => of.publish({ snapshots }));
    expect(forked).toMatchObject({ code: 'release_refused', place: 'snapshots/2025-07-03T18Z.checkpoint' });
  });
});

test('a signing record older than the list does not require snapshots that were removed by age', async () => {
  const of = await published(2);
  const record = `${of.keyFile}.signed`;
  await cp(record, `${record}-old`, { recursive: true });
  await publishUpTo(of, 3, { snapshots: { days: 0 } });
  expect(await publishedIds(of.out)).toEqual(['2025-07-03T18Z']);
  await restore(of, ['snapshots']);
  await rm(record, { recursive: true });
  await rename(`${record}-old`, record);
  expect(await publishUpTo(of, 3, { snapshots: { days: 0 } })).toMatchObject({ outcome: 'published' });
});

test('a closed year’s PDF is restored from the newest snapshot, not printed by another browser', async () => {
  const of = await published(1);
  const path = 'government/transparency-2024.pdf';
  const previous = (await readCurrent(of.out))!;
  const { timestamp, ledger, inputs, software } = previous.manifest;
  const signer = signerOf((await readNoteKeys(of.keyFile))![0]!);
  // The first release of this snapshot, with the PDF.
  await rm(join(of.out, 'snapshots'), { recursive: true });
  await using staging = await openStaging(of.out, null, { reuse: false });
  const pdf = { kind: 'data', area: 'government', restricted: false, rows: null, immutable: true } as const;
  const [mediaType, content] = ['application/pdf', '%PDF as it was printed'];
  await staging.write({ ...pdf, path, mediaType, content, modified: '2025-01-01T00:00:00Z' });
  const facts = { timestamp, ledger, inputs, software };
  const sign = async (release: Provable) =>
    proofOf(release, { version: 7, expires: timestamp, checkpoint: 'x', signers: [signer] });
  const prepare = (release: Published) => publishSnapshots(of.out, release, { days: 1, sign: null });
  await staging.publish({ facts, state: '{}', sign, prepare });
  await restore(of, ['snapshots']);

  const kept = (await restoredRelease(of.out))!;
  expect(kept.manifest.signed!.version).toBe(7);
  await using again = await openStaging(of.out, kept, { reuse: false });
  await again.write({ ...pdf, path: 'government/transparency-2024.json', mediaType, content: '{}' });
  const state = { ...emptyState(), since: '2024-06-01T00:00:00Z', year: emptyYear(2025, '2025-01-01', 0n) };
  const options = {
    baseUrl: 'https://data.example.org',
    printing: { page: async () => Buffer.from('%PDF by another'), charts: async () => [] },
    organisation: ORGANISATION,
    log: () => {},
  };
  const [closed] = await pdfJobs(again, { state }, options);
  expect(closed).toMatchObject({ path, carried: true });
  await makePdf(again, closed!, options);
  const file = again.files().find((one) => one.path === path)!;
  expect([file.sha256, file.immutable]).toEqual([sha256(content), true]);
  expect(await readFile(join(again.dir, 'public', path), 'utf8')).toBe(content);
});
