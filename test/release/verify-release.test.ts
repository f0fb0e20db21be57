import {
  appendFile,
  cp,
  mkdir,
  readFile,
  rename,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareManifests } from '../../pipeline/build/compare-manifests.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { formatManifest, parseManifest, sealWithText } from '../../pipeline/release/format/manifest.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { publishTiny } from './publish-tiny.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Positions in a file whose every byte need not be tried: a fixed sample, the end included. */
function sample(length: number, most: number): number[] {
  if (length <= most) return Array.from({ length }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.floor(((i + 1) * (length - 1)) / most));
}

async function tinyRelease() {
  const { release } = await publishTiny(await temporaryFolder(), { events: 60 });
  return release;
}

describe('one flipped byte is found', () => {
  test('in every file of a release', async () => {
    const { dir } = await tinyRelease();
    const { files } = await listTree(dir);
    expect(files.length).toBeGreaterThan(25);
    for (const file of files) {
      const bytes = await readFile(join(dir, file));
      for (const at of sample(bytes.length, 1)) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 0x20;
        await writeFile(join(dir, file), damaged);
        const problems = await verifyRelease(dir);
        expect(problems, `${file} at ${at}`).not.toEqual([]);
        expect(problems[0]!.place).toContain(file);
      }
      await writeFile(join(dir, file), bytes);
    }
    expect(await verifyRelease(dir)).toEqual([]);
  });

  test('at every position of a manifest, white space too, and with every bit', async () => {
    const { dir } = await tinyRelease();
    const text = await readFile(join(dir, 'manifest.json'));
    const positions = sample(text.length, 300);
    for (const at of positions) {
      const damaged = Buffer.from(text);
      damaged[at]! ^= 1 << (at % 8);
      expect(() => parseManifest(damaged.toString(), 'manifest.json'), `byte ${at}`).toThrow(
        'release_invalid',
      );
    }
  });
});

describe('a release folder', () => {
  test('with a file missing, one too many, a link, an empty folder or another name is not whole', async () => {
    const { dir } = await tinyRelease();
    const damages: [string, (dir: string) => Promise<unknown>][] = [
      ['public/economy/supply', (dir) => unlink(join(dir, 'public/economy/supply'))],
      ['public/economy/supply.br', (dir) => unlink(join(dir, 'public/economy/supply.br'))],
      ['public/_headers', (dir) => unlink(join(dir, 'public/_headers'))],
      ['public/economy/other.json', (dir) => writeFile(join(dir, 'public/economy/other.json'), '{}')],
      ['restricted/x.gz', (dir) => writeFile(join(dir, 'restricted/x.gz'), '')],
      ['public/secrets', (dir) => symlink('/etc', join(dir, 'public/secrets'))],
      ['public/empty', (dir) => mkdir(join(dir, 'public/empty'))],
      ['public/index.html', (dir) => truncate(join(dir, 'public/index.html'), 10)],
      ['public/index.html', (dir) => appendFile(join(dir, 'public/index.html'), ' ')],
      ['manifest.json', (dir) => unlink(join(dir, 'manifest.json'))],
    ];
    for (const [place, damage] of damages) {
      const copy = join(await temporaryFolder(), basename(dir));
      await cp(dir, copy, { recursive: true });
      expect(await verifyRelease(copy)).toEqual([]);
      await damage(copy);
      expect(
        (await verifyRelease(copy)).map((problem) => problem.place),
        place,
      ).toEqual([place]);
    }
    const renamed = join(await temporaryFolder(), 'slot-60-00000000');
    await rename(dir, renamed);
    expect(await verifyRelease(renamed)).toMatchObject([
      { place: '.', expected: `a folder ${basename(dir)}` },
    ]);
  });

  test('with a file behind a link of its own name is not whole', async () => {
    const { dir } = await tinyRelease();
    const file = join(dir, 'public/index.html');
    await rename(file, `${dir}.html`);
    await symlink(`${dir}.html`, file);
    expect(await verifyRelease(dir)).not.toEqual([]);
  });

  test('whose manifest was made to fit a damaged variant or segment is still not whole', async () => {
    const { dir, manifest } = await tinyRelease();
    const { format: _, release: __, content: ___, digest: ____, ...body } = structuredClone(manifest);
    const roi = body.files.find(({ path }) => path === 'economy/sentinel-roi.json')!;
    roi.encodings.gzip = { ...body.files.find(({ path }) => path === 'economy/supply')!.encodings.gzip! };
    body.segments['economy/mic-history.csv']![0]!.first_row += 1;
    const { manifest: forged } = sealWithText(body);
    const copy = join(await temporaryFolder(), forged.release);
    await cp(dir, copy, { recursive: true });
    await writeFile(join(copy, 'manifest.json'), formatManifest(forged));
    await cp(join(copy, 'public/economy/supply.gz'), join(copy, 'public/economy/sentinel-roi.json.gz'));
    const places = (await verifyRelease(copy)).map(({ place }) => place);
    expect(places).toContain('public/economy/sentinel-roi.json.gz decompressed');
    expect(places).toContain('manifest.json segments.economy/mic-history.csv');
  });
});

describe('manifests of the same ledger', () => {
  test('do not differ by when and how they were published', async () => {
    const [a, b] = [await temporaryFolder(), await temporaryFolder()];
    for (const events of [10, 60]) await publishTiny(a, { events });
    const first = (await publishTiny(a, { events: 60 })).release.manifest;
    const second = (await publishTiny(b, { events: 60 })).release.manifest;
    expect(first.files.map(({ modified }) => modified)).not.toEqual(
      second.files.map(({ modified }) => modified),
    );
    expect(compareManifests(first, second)).toEqual([]);
  });

  test('are compared file by file', async () => {
    const { manifest } = await tinyRelease();
    const other = structuredClone(manifest);
    other.ledger.root = '0'.repeat(64);
    const [lost] = other.files.splice(0, 1);
    other.files[0]!.sha256 = '1'.repeat(64);
    other.segments['economy/mic-history.csv']!.pop();
    const places = compareManifests(manifest, other).map(({ place }) => place);
    expect(places).toEqual([
      'manifest.json ledger root',
      `${other.files[0]!.path} sha256`,
      lost!.path,
      expect.stringMatching(/^segments\/economy\/mic-history.csv\/0-\d+\.part$/),
    ]);
  });
});
