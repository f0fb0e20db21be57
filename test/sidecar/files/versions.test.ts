import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
import { demoSigner } from '../../../pipeline/ledger/demo-key.ts';
import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { openFileBody } from '../../../src/sidecar/files/file-body.ts';
import { SnapshotFiles } from '../../../src/sidecar/files/snapshot-files.ts';
import { build } from '../../build/run-build.ts';
import { get, tinyApp } from '../tiny-app.ts';

/** One run each. With a day of snapshots, the last run removes those of 2025 but the last one, and the first of 2026. */
const SLOTS = [
  '2025-12-31T06Z',
  '2025-12-31T12Z',
  '2025-12-31T18Z',
  '2026-01-01T00Z',
  '2026-01-01T06Z',
  '2026-01-01T12Z',
  '2026-01-01T18Z',
  '2026-01-02T00Z',
  '2026-01-02T06Z',
];
const NEWEST = SLOTS.at(-1)!;
const KEPT = ['2025-12-31T18Z', ...SLOTS.slice(4)];
const MINTS = 'economy/mic-history.csv';

let folder: string;
/** By slot and path: the bytes that were published. */
const published = new Map<string, Map<string, Buffer>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-versions-'));
  const ledger = join(folder, 'ledger');
  await writeSample({ out: ledger, from: '2025-12-29', to: '2026-01-03', seed: 1 });
  for (const until of SLOTS) {
    await build({
      ledger,
      out: join(folder, 'out'),
      verifiers: [demoSigner().verifier],
      documents: 'data/documents',
      companions: 'data/keys/companions.json',
      baseUrl: 'https://data.example.org',
      software: 'cathedral-data-service/test',
      waitMs: 0,
      log: () => {},
      until,
      snapshots: { days: 1 },
    });
    const { dir, manifest } = (await readCurrent(join(folder, 'out')))!;
    const files = manifest.files.filter(({ kind, restricted }) => kind !== 'page' && !restricted);
    const read = files.map(async ({ path }) => [path, await readFile(join(dir, 'public', path))] as const);
    published.set(until, new Map(await Promise.all(read)));
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function service() {
  const out = join(folder, 'out');
  const { app } = await tinyApp(out, { asDiskErrors: true, services: { snapshots: new SnapshotFiles(out) } });
  return (url: string, headers: Record<string, string> = {}) => get(app, url, headers);
}

const textAt = (slot: string, path: string) => published.get(slot)!.get(path)!.toString();
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a file as of a time', () => {
  test('is the one of the last snapshot at or before it, histories whole', async () => {
    const ask = await service();
    const asked: [asOf: string, slot: string][] = [
      ...KEPT.map((id): [string, string] => [id, id]),
      ['2026-01-01T06:00:00Z', '2026-01-01T06Z'],
      ['2026-01-01T11:59:59.999Z', '2026-01-01T06Z'],
      ['2026-01-01T13:30:00%2B02:00', '2026-01-01T06Z'],
      ['2026-01-01', '2026-01-02T00Z'],
      ['2027-01-01', NEWEST],
    ];
    for (const [asOf, slot] of asked)
      for (const path of [
        MINTS,
        'economy/mii-by-day.csv',
        'philosophy/decisions.json',
        'economy/supply',
        'schemas/economy/supply.schema.json',
      ]) {
        const { statusCode, body, headers } = await ask(`/${path}?as_of=${asOf}`);
        expect([asOf, path, statusCode, body]).toEqual([asOf, path, 200, textAt(slot, path)]);
        expect(headers).toMatchObject({
          'content-location': `/snapshots/${slot}/${path}`,
          link: `</${path}>; rel="original"`,
          etag: `"${sha256(Buffer.from(body))}"`,
          'access-control-allow-origin': '*',
          'cache-control': asOf.startsWith('2027') ? CACHE_CONTROL.data : CACHE_CONTROL.immutable,
        });
      }
  });

  test('has its permanent address below /snapshots/, as histories have, with ranges and conditions', async () => {
    const ask = await service();
    for (const id of KEPT)
      for (const { path } of HISTORIES.filter(({ assembled }) => assembled)) {
        const { statusCode, body, headers } = await ask(`/snapshots/${id}/${path}`);
        expect([id, path, statusCode, body]).toEqual([id, path, 200, textAt(id, path)]);
        expect(headers['cache-control']).toBe(CACHE_CONTROL.immutable);
        expect(headers['memento-datetime']).toBe(new Date(`${id.slice(0, 13)}:00:00Z`).toUTCString());
      }
    const url = `/snapshots/${KEPT[1]}/${MINTS}`;
    const whole = textAt(KEPT[1]!, MINTS);
    const header = whole.indexOf('\n');
    const part = await ask(url, { Range: `bytes=${header - 3}-${header + 40}` });
    expect([part.statusCode, part.body]).toEqual([206, whole.slice(header - 3, header + 41)]);
    expect(part.headers['content-range']).toBe(`bytes ${header - 3}-${header + 40}/${whole.length}`);
    expect((await ask(url, { 'If-None-Match': part.headers.etag as string })).statusCode).toBe(304);
    expect((await ask(url, { 'If-Match': '"other"' })).statusCode).toBe(412);
  });

  test('is answered where its snapshot was removed but the file did not change, and refused with the nearest where it did', async () => {
    const ask = await service();
    const removed = '2026-01-01T00Z';
    const rows = 'economy/mii-by-day.csv';
    expect(textAt(removed, rows)).toBe(textAt('2025-12-31T18Z', rows));
    // The day 31 December has its row since 06 h, and the rows of 30 December were there long before the first snapshot that is kept.
    const texts: [string, string][] = [
      ['diplomacy/standards.json', '2025-12-31T18Z'],
      ['economy/cathedral-multipliers.csv', '2025-12-31T18Z'],
    ];
    for (const [path, from] of texts) {
      const { statusCode, body, headers } = await ask(`/${path}?as_of=${removed}`);
      expect([path, statusCode, body]).toEqual([path, 200, textAt(removed, path)]);
      expect(headers['content-location']).toBe(`/snapshots/${from}/${path}`);
      expect((await ask(`/snapshots/${removed}/${path}`)).body).toBe(body);
    }
    for (const url of [`/${MINTS}?as_of=${removed}`, `/snapshots/${removed}/${MINTS}`]) {
      const { statusCode, json } = await ask(url);
      expect([statusCode, json().code]).toEqual([404, 'version_not_kept']);
      for (const id of ['2025-12-31T18Z', '2026-01-01T06Z'])
        expect(json().detail).toContain(`/snapshots/${id}/${MINTS}`);
    }
    expect((await ask(`/${MINTS}?as_of=2025-12-31T12Z`)).json()).toMatchObject({
      code: 'before_first_snapshot',
      detail: expect.stringContaining(`/snapshots/2025-12-31T18Z/${MINTS}`),
    });
    // Its newest row is from the evening before, so it was the same at noon.
    expect((await ask(`/${rows}?as_of=2025-12-31T12Z`)).body).toBe(textAt('2025-12-31T12Z', rows));
  });

  test('is what citations printed in the release with it call permanent, for as long as the snapshot is kept', async () => {
    const ask = await service();
    for (const slot of KEPT) {
      const entries = textAt(slot, 'academics/citations.bib').split('\n@software').slice(1);
      const cited = entries.flatMap((entry) => {
        const [, path] = /url = \{https:\/\/data\.example\.org\/(.*)\}/.exec(entry)!;
        const [, permanent] =
          /Permanent address: \\url\{https:\/\/data\.example\.org([^}]*)\}/.exec(entry) ?? [];
        // The hash is in groups, so that a line can break between them.
        const [, hash = ''] = /SHA-256 ([0-9a-f ]+)\./.exec(entry) ?? [];
        const whole = permanent?.endsWith('sha256=') ? permanent + hash.replaceAll(' ', '') : permanent;
        return whole && published.get(slot)!.has(path!) ? [[path!, whole] as const] : [];
      });
      expect(cited.length).toBeGreaterThan(25);
      for (const [path, permanent] of cited) {
        const { statusCode, body } = await ask(permanent);
        expect([slot, path, permanent, statusCode, body]).toEqual([
          slot,
          path,
          permanent,
          200,
          textAt(slot, path),
        ]);
      }
    }
  });

  test('is found by its hash', async () => {
    const ask = await service();
    for (const slot of [NEWEST, KEPT[2]!]) {
      const bytes = published.get(slot)!.get('economy/supply')!;
      const { statusCode, body } = await ask(`/economy/supply?sha256=${sha256(bytes)}`);
      expect([statusCode, body]).toEqual([200, bytes.toString()]);
    }
    const { statusCode, json } = await ask(`/economy/supply?sha256=${'ab'.repeat(32)}`);
    expect([statusCode, json().code]).toEqual([404, 'version_not_kept']);
  });
});

test('a long history is streamed: its header, then the end of the file, in any range', async () => {
  const file = join(folder, 'long.csv');
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, row) => `row ${row}\n`).join(''));
  await writeFile(file, Buffer.concat([Buffer.from('a newer row\n'), bytes]));
  const head = Buffer.from('column\n');
  const whole = Buffer.concat([head, bytes]);
  for (const [first, last] of [
    [0, whole.length - 1],
    [0, 3],
    [5, 300_000],
    [7, 7],
    [400_000, whole.length - 1],
  ]) {
    const body = await openFileBody({ file, head }, whole.length, { first: first!, last: last! });
    const parts: Buffer[] = [];
    for await (const part of body.parts()) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).equals(whole.subarray(first, last! + 1))).toBe(true);
  }
  const shorter = openFileBody({ file, head }, whole.length + 100, null);
  await expect(shorter).rejects.toThrow(/expected at least \d+ bytes/);
});

const REFUSED: [url: string, status: number, code: string][] = [
  ['/economy/supply?as_of=yesterday', 400, 'invalid_parameter'],
  ['/economy/supply?as_of=2026-02-30', 400, 'invalid_parameter'],
  ['/economy/supply?as_of=2026-01-01T25Z', 400, 'invalid_parameter'],
  ['/economy/supply?as_of=', 400, 'invalid_parameter'],
  ['/economy/supply?as_of=2026-01-01&as_of=2026-01-01', 400, 'invalid_parameter'],
  [`/economy/supply?as_of=2026-01-01&sha256=${'0'.repeat(64)}`, 400, 'invalid_parameter'],
  ['/economy/supply?sha256=0', 400, 'invalid_parameter'],
  ['/economy/supply?asof=2026-01-01', 400, 'unknown_parameter'],
  ['/snapshots/2026-01-01T06Z/economy/mic-history.csv?as_of=2026-01-01', 400, 'unknown_parameter'],
  ['/snapshots/2026-02-30T06Z/economy/mic-history.csv', 404, 'not_found'],
  ['/snapshots/2027-01-01T06Z/economy/mic-history.csv', 404, 'not_found'],
  ['/snapshots/2026-01-01T06Z/economy/none.csv', 404, 'not_found'],
  ['/snapshots/2026-01-01T00Z/manifest.json', 404, 'not_found'],
  ['/snapshots/2026-01-01T00Z/index.json', 404, 'not_found'],
  ['/snapshots/2026-01-01T06Z/government/compliance-report.json', 404, 'not_found'],
  ['/snapshots/2026-01-01T06Z/government/ledger/export', 404, 'not_found'],
  ['/government/compliance-report.json?as_of=2026-01-01', 401, 'key_required'],
  ['/snapshots/2026-01-01T06Z/../../state.json', 404, 'not_found'],
];

test('an unknown parameter, a value that is no time, and what no snapshot has are refused, restricted files among them', async () => {
  const ask = await service();
  for (const [url, status, code] of REFUSED) {
    const { statusCode, json } = await ask(url);
    expect([url, statusCode, json().code]).toEqual([url, status, code]);
  }
});
