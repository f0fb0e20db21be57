import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../listen.ts';
import { useFolder } from '../setups/use-folder.ts';
import { linesOf, listPublic } from './release/listing.ts';
import { publish, runHere } from './release/seam.ts';

const ARCHIVE = join(import.meta.dirname, 'published-1/published-1.tar.zst');
const NOW = Date.parse('2026-01-01T02:00:00Z');

const folder = useFolder();
let server: Server;
let address: string;
beforeAll(async () => {
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: zstdDecompressSync(await readFile(ARCHIVE)) });
  server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://host');
    const isBeside = /^\/(log|snapshots)\//.test(pathname);
    const file = join(folder, isBeside ? 'out' : 'out/current/public', pathname);
    if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else createReadStream(file).pipe(response);
  });
  ({ origin: address } = await listen(server));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const run = (name: string, ...words: string[]) =>
  runHere(name, [...words, '--verifier-key', join(folder, 'publisher.vkey')], { now: () => NOW });

describe('a release that version 1.0.0 published, on a plain static host', () => {
  test('is verified', async () => {
    const { status, stdout } = await run(
      'verify',
      address,
      '--ledger-key',
      join(folder, 'ledger.vkey'),
      '--json',
    );
    const { findings } = JSON.parse(stdout) as { findings: unknown[] };
    expect([findings, status]).toEqual([[], 0]);
  });

  test.each([
    [
      'economy/mic-history.csv',
      '2025-12-31T12Z',
      'd67ea0dfa9fae42434eea57c242f7697e1499308e2e29e8a2845236e87e3a8dc',
    ],
    [
      'economy/mic-history.csv',
      '2026-01-01T00Z',
      '3a0c59da1f8e0912b7ac841260034a0ab690ab400925e01aee81f984d86961af',
    ],
    [
      'economy/supply',
      '2025-12-31T18:00:00Z',
      'a1d337091ba14edcf68fcd90bf52db233243eee512d7135e9279de57f6e37cc6',
    ],
    [
      'government/transparency.json',
      '2026-01-01T00Z',
      '34d7638ea78519ef6947e49f431eb2e98dcc978322f0ff58963011f07ec04b2e',
    ],
  ])('gives %s as of %s', async (path, time, digest) => {
    const file = join(folder, 'fetched');
    expect((await run('fetch', address, path, time, '--save-as', file)).status).toBe(0);
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(digest);
  });

  test('is mirrored, and the mirror is verified', async () => {
    const mirror = join(folder, 'mirror');
    expect((await run('mirror', address, mirror)).status).toBe(0);
    expect((await run('verify', mirror)).status).toBe(0);
  });

  /**
   * A run resumes from the state, the rows and the days that an earlier version wrote. If this version writes others, its run has to rebuild,
   * which a higher STATE_VERSION makes it do.
   */
  test('is continued by a run, which gives what a rebuild gives', async () => {
    const about = {
      ledger: join(folder, 'ledger'),
      key: (await readFile(join(folder, 'ledger.vkey'), 'utf8')).trim(),
      documents: 'data/documents',
      now: '2026-01-02T01:00:00Z',
      // The other formats are made of these files.
      contents: 'data',
    } as const;
    const [out, other] = [join(folder, 'out'), join(folder, 'other')];
    await publish({ ...about, out });
    await publish({ ...about, out: other, isRebuild: true });
    // The two have other keys, other snapshots and other unfinished tiles beside the last one.
    const differs = /^snapshots\/|\.p\/|^(publisher\.vkey|manifest\.json|latest\.json) /;
    // What an earlier version compressed is taken over as it is.
    const withoutEncodings = (line: string) => line.split(' | ').toSpliced(3, 1).join(' | ');
    const lines = async (place: string) =>
      (await linesOf(await listPublic(place))).filter((line) => !differs.test(line)).map(withoutEncodings);
    expect(await lines(out)).toEqual(await lines(other));
    // Without the key of a demo that ran in this checkout.
    const check = ['--out', out, '--publisher-key', join(folder, 'none.key')];
    expect((await runHere('check', check, { now: () => Date.parse(about.now) })).status).toBe(0);
  });
});
