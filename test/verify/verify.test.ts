import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { formatBundle, parseBundle } from '../../pipeline/ledger/log/entry-bundle.ts';
import { readMirrorState } from '../../pipeline/mirror/mirror-state.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import {
  formatSnapshot,
  formatSnapshotIndex,
  LIST_PATH as LIST,
  LIST_SIGNATURE_PATH as LIST_SIGNATURE,
  parseSnapshot,
  parseSnapshotIndex,
} from '../../pipeline/release/format/snapshot-index.ts';
import type { Trust, VerifyOptions } from '../../pipeline/verify/checks.ts';
import { formatVerification } from '../../pipeline/verify/describe-verification.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import type { Origin } from '../../pipeline/verify/origin.ts';
import { readSmall } from '../../pipeline/verify/origin.ts';
import { PageOrigin } from '../../pipeline/verify/page-origin.ts';
import { type Verification, verify } from '../../pipeline/verify/verify.ts';
import { answer, type Lie, LyingServer, pour, serve, stream } from '../contract/lies/host.ts';
import {
  BEGIN,
  LEDGER,
  logOf,
  PUBLISHER,
  type Site,
  STRANGER,
  signedList,
  smallSite,
  writeSite,
} from '../mirror/small-service.ts';
import { contents, httpOrigin, servedBy, updateMirror } from '../mirror/update-mirror.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

let server: LyingServer;

beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 3 }));
});
afterEach(() => server.close());

async function look({
  origin = httpOrigin(server.url),
  keys = [PUBLISHER.verifier],
  ledgerKeys = null,
  checkpoint = null,
  ...more
}: Partial<Trust & VerifyOptions & { origin: Origin }> = {}): Promise<Verification> {
  const trust = { keys, ledgerKeys, checkpoint };
  return verify(origin, trust, {
    parallel: 4,
    now: () => BEGIN,
    wait: async () => {},
    log: () => {},
    ...more,
  });
}

const states = ({ verdicts }: Verification) =>
  Object.fromEntries(verdicts.map(({ check, state }) => [check, state]));
/** Newer than the third release. */
const NEWER = '{"timestamp":"2025-12-01T12:00:00.5Z","events":301}';

/** By so many unknown keys, of nearly 5 kB each. */
function largeSignatures(count: number): string {
  const line = (index: number) =>
    `— witness.example/${index % 3} ${Buffer.alloc(4990, 1 + index).toString('base64')}\n`;
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

describe('the verification of a service', () => {
  test('reads nothing of a history without rows, from a host or a folder', async () => {
    const files = (all: Site) => all.set('economy/mic-history.csv', Buffer.from('event,what\n'));
    server.site = smallSite({ release: 3, files });
    expect((await look()).findings).toEqual([]);
    expect(server.requests.filter((path) => path.includes('bytes='))).toEqual([]);
    const folder = await temporaryFolder();
    await updateMirror(server.url, folder);
    const origin = await FolderOrigin.at(folder);
    expect((await look({ origin })).findings).toEqual([]);
  });

  test('accepts a snapshot list that arrives a moment after its release', async () => {
    const path = 'snapshots/index.json.sig';
    const signature = server.site.get(path)!;
    server.site.set(path, smallSite({ release: 2 }).get(path)!);
    const wait = async () => void server.site.set(path, signature);
    expect((await look({ wait })).findings).toEqual([]);
  });

  test('accepts a file that a cache before the service answers with a stale copy once, and says that it asked again', async () => {
    const path = 'economy/supply';
    const stale = smallSite({ release: 2 }).get(path)!;
    server.lies.set(path, (response) => {
      server.lies.delete(path);
      response.end(stale);
    });
    const lines: string[] = [];
    expect((await look({ log: (line) => lines.push(line) })).findings).toEqual([]);
    expect(lines).toContain('1 file differs from the manifest; asking again');
  });

  test('accepts notes that fifteen witnesses cosigned, with large signatures', async () => {
    const cosigned = (note: string) => note + largeSignatures(15);
    server.site = smallSite({
      release: 3,
      manifest: ({ log, ...manifest }) => ({
        ...manifest,
        log: { ...log, checkpoint: cosigned(log.checkpoint) },
      }),
    });
    for (const path of ['manifest.json.sig', LIST_SIGNATURE, 'log/checkpoint'])
      server.site.set(path, Buffer.from(cosigned(server.site.get(path)!.toString())));
    const folder = await temporaryFolder();
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    expect((await look({ ledgerKeys: [LEDGER.verifier] })).findings).toEqual([]);
  });

  test('accepts a log checkpoint that is newer than the release', async () => {
    for (const [path, bytes] of logOf(500, (index) => `event ${index}`).files) server.site.set(path, bytes);
    expect((await look()).findings).toEqual([]);
    const forked = logOf(500, (index) => `other ${index}`).files;
    server.site.set('log/checkpoint', forked.get('log/checkpoint')!);
    for (const [path, bytes] of forked) if (!server.site.has(path)) server.site.set(path, bytes);
    expect(states(await look()).log).toBe('failed');
  });

  test('reports a newer answer of a running service as not proven, and does not count it', async () => {
    answer(server, NEWER);
    stream(server);
    const verification = await look();
    const { findings, verdicts, notProven } = verification;
    expect([findings, notProven]).toEqual([[], ['economy/supply']]);
    const looked = { place: server.url, sample: null, isTrusted: true };
    expect(formatVerification(looked, verification)).toMatch(/^not proven: 1 answer .*\/economy\/supply/m);
    expect(verdicts.find(({ check }) => check === 'files')!.detail).toMatch(
      /^8 of 9 read, \d+\skB, as listed$/,
    );
    server.site.delete('snapshots/2025-12-01T12Z/economy/supply');
    expect(states(await look()).files).toBe('failed');
  });

  test.each<[why: string, change: () => unknown, path?: string]>([
    ['is as old as the release', () => answer(server, '{"timestamp":"2025-12-01T12:00:00Z","events":999}')],
    ['does not say its time', () => answer(server, '{"events":999}')],
    ['has a time that is none', () => answer(server, '{"timestamp":"9","events":999}')],
    ['is no JSON', () => answer(server, 'events: 999')],
    ['is the forged release file', () => server.site.set('economy/supply', Buffer.from('{"events":999}'))],
    ['is gone', () => server.site.delete('economy/supply')],
    ['fails', () => server.lies.set('economy/supply', (response) => response.writeHead(500).end(NEWER))],
    ['has no end', () => server.lies.set('economy/supply', (response) => void pour(response))],
    [
      'is at a path that a service does not answer from newer events',
      () => {
        server.site.set('snapshots/2025-12-01T12Z/index.html', server.site.get('index.html')!);
        server.site.set('index.html', Buffer.from(NEWER));
      },
      'index.html',
    ],
  ])('accepts no answer as newer that %s', async (_, change, path = 'economy/supply') => {
    stream(server);
    change();
    const { findings, notProven } = await look();
    expect([findings.map(({ place }) => place), notProven]).toEqual([[`${server.url}/${path}`], []]);
  });

  test('accepts no newer answer from a host that only serves files', async () => {
    answer(server, NEWER);
    expect(states(await look()).files).toBe('failed');
    server.lies.set('live', (response) => response.end('<!doctype html>a page in the place of every file'));
    expect(states(await look()).files).toBe('failed');
    stream(server);
    const origin = httpOrigin(server.url, { isStatic: true });
    expect(states(await look({ origin })).files).toBe('failed');
  });

  test('starts again if a new release is published in the meantime', async () => {
    const next = smallSite({ release: 4 });
    server.lies.set('index.html', (response, request) => {
      server.site = next;
      serve(response, request, next.get('index.html'));
    });
    const { release, findings } = await look();
    expect([release?.manifest.version, findings]).toEqual([4, []]);
  });
});

test('a history is asked for once for itself and once for all snapshots, since services count each request', async () => {
  expect((await look()).findings).toEqual([]);
  expect(server.requests.filter((path) => path.startsWith('economy/mic-history.csv'))).toEqual([
    'economy/mic-history.csv',
    expect.stringMatching(/^economy\/mic-history.csv bytes=\d+-$/),
  ]);
});

describe('a host that sends endless data', () => {
  const HISTORY = 'economy/mic-history.csv';

  test('is refused if it sends so slowly that the end is hours away', async () => {
    server.lies.set('economy/large.bin', (response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(20)), 5);
      response.on('close', () => clearInterval(timer));
    });
    const origin = httpOrigin(server.url, { stallMs: 300 });
    const { findings } = await look({ origin });
    expect(findings).toMatchObject(
      [{ code: 'mirror_unreachable', found: /^\d+ bytes in 300 ms$/ }].map(({ found, ...rest }) => ({
        ...rest,
        found: expect.stringMatching(found),
      })),
    );
  });

  test('ends the run at its time limit, which is no finding about the file', async () => {
    server.lies.set('economy/large.bin', () => {});
    const origin = httpOrigin(server.url, { stallMs: 600_000, timeLimitMs: 500 });
    expect(await failureOf(() => look({ origin }))).toMatchObject({
      code: 'mirror_stopped',
      expected: 'an end of the run within 0.5 s',
    });
  });

  test('is cut off by the page in a browser as well', async () => {
    const { fetch } = globalThis;
    onTestFinished(() => void Object.assign(globalThis, { fetch }));
    // A browser completes addresses with that of the page.
    const fetchHere = (path: string, options: RequestInit) => fetch(server.url + path, options);
    Object.assign(globalThis, { fetch: fetchHere });
    let left = 0;
    const errors = { missing: 404, refused: 403 };
    for (const [path, status] of Object.entries(errors))
      server.lies.set(path, (response) => {
        response.on('close', () => (left += 1));
        pour(response.writeHead(status));
      });
    server.lies.set('slow', (response) => void response.write('x'));
    const origin = new PageOrigin();
    expect(await origin.open('missing')).toBe(null);
    expect(await failureOf(() => origin.open('refused'))).toMatchObject({ found: 'status 403' });
    await expect.poll(() => left).toBe(2);
    expect(await failureOf(() => readSmall(new PageOrigin(300), 'slow', { most: 100 }))).toMatchObject({
      code: 'mirror_unreachable',
      found: expect.stringMatching(/bytes in 300 ms$/),
    });
  });

  test('ends the run at once if the daily quota is used up, and says when to return', async () => {
    const refuse: Lie = (response) => response.writeHead(429, { 'retry-after': '75146' }).end();
    for (const path of server.site.keys()) if (/^economy/.test(path)) server.lies.set(path, refuse);
    const stopped = {
      code: 'mirror_stopped',
      expected: expect.stringContaining('CATHEDRAL_MIRROR_API_KEY'),
      found: 'status 429, to be asked again in 20 h 53 min',
    };
    expect(await failureOf(() => look())).toMatchObject(stopped);
    expect(server.requests.filter((path) => path.startsWith('snapshots/'))).toEqual([]);
    const folder = await temporaryFolder();
    expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject(stopped);
    const origin = httpOrigin(server.url, { apiKey: 'a key' });
    expect(await failureOf(() => look({ origin }))).toMatchObject({
      expected: expect.not.stringContaining('KEY'),
    });
  });

  test('to a key of other areas is no refusal: public files need none', async () => {
    const asked: (string | undefined)[] = [];
    server.lies.set('economy/supply', (response, request, bytes) => {
      asked.push(request.headers.authorization);
      if (request.headers.authorization) response.writeHead(403).end();
      else serve(response, request, bytes);
    });
    const origin = httpOrigin(server.url, { apiKey: 'a_key' });
    expect((await look({ origin })).findings).toEqual([]);
    expect(asked.slice(0, 2)).toEqual(['Bearer a_key', undefined]);
  });

  test('is retried within a minute, with the reason and the time', async () => {
    const lines: string[] = [];
    server.lies.set('index.html', (response, request, bytes) => {
      server.lies.set('index.html', (again) => serve(again, request, bytes));
      response.writeHead(503, { 'retry-after': '60' }).end();
    });
    const origin = httpOrigin(server.url, { log: (line) => lines.push(line) });
    expect((await look({ origin })).findings).toEqual([]);
    expect(lines).toEqual([`${server.url}/index.html: status 503; trying again in 60 s`]);
  });

  test('cannot make a snapshot or an old history larger than two releases', async () => {
    const entries = parseSnapshotIndex(server.site.get(LIST)!.toString());
    const [path, old] = ['snapshots/2025-12-01T00Z/index.json', `snapshots/histories/${'0'.repeat(64)}`];
    entries[1]!.histories = { [HISTORY]: old };
    server.lies.set(old, (response) => {
      response.writeHead(200, { 'content-length': '5000000000000' });
      response.on('error', () => {});
      pour(response);
    });
    const snapshot = parseSnapshot(server.site.get(path)!.toString(), path);
    for (const file of snapshot.files) if ('url' in file) file.bytes = 5_000_000_000;
    const bytes = Buffer.from(formatSnapshot(snapshot));
    server.site.set(path, bytes);
    Object.assign(entries[2]!.index, { sha256: sha256(bytes), bytes: bytes.length });
    for (const [at, text] of signedList(formatSnapshotIndex(entries), 3))
      server.site.set(at, Buffer.from(text));
    const { findings } = await look();
    expect(findings.map(({ place, expected }) => [place, expected])).toEqual([
      [`${server.url}/${old}`, expect.stringMatching(/^a file of at most \d{7} bytes$/)],
      [`${server.url}/${path}`, expect.stringMatching(/^files of at most \d{7} bytes together$/)],
    ]);
  });
});

describe('the verification of a folder', () => {
  test('accepts no file as a newer answer, and no copy in a snapshot instead of the file', async () => {
    const folder = await temporaryFolder();
    await writeSite(folder, server.site);
    const origin = await FolderOrigin.at(folder);
    const place = join(folder, 'economy/supply');
    for (const change of [() => writeFile(place, NEWER), () => rm(place), () => mkdir(place)]) {
      await change();
      const { findings, notProven } = await look({ origin });
      expect([findings.map((finding) => finding.place), notProven]).toEqual([[place], []]);
    }
  });

  test('finds unsigned files in the log and the snapshots of a mirror and of a copy', async () => {
    const [folder, copy] = [await temporaryFolder(), await temporaryFolder()];
    server.site = smallSite({ release: 2 });
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 3 });
    await updateMirror(server.url, folder);
    await writeSite(copy, server.site);
    const part = 'log/tile/1/000.p/1';
    for (const root of [folder, copy]) {
      const paths = [
        'log/evil.html',
        'log/tile/0/000.html',
        'log/tile/0/000.p/100',
        'log/tile/0/001.p/45',
        'log/tile/00/000',
        'log/tile/entries/000',
        'snapshots/evil.html',
        'snapshots/2020-01-01T00Z/evil.html',
        'snapshots/2025-12-01T06Z/evil.html',
        `snapshots/histories/${'0'.repeat(64)}`,
      ];
      await rename(join(root, 'log/tile/0/000'), join(root, 'log/tile/0/000.html'));
      await copyFile(join(root, 'log/tile/0/000.html'), join(root, 'log/tile/0/000'));
      for (const path of paths.filter((one) => !one.endsWith('000.html'))) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), Buffer.alloc(3200));
      }
      const origin = await FolderOrigin.at(root);
      const { findings } = await look({ origin });
      expect(findings.map(({ place }) => place.slice(root.length + 1)).sort()).toEqual(paths.sort());
      expect(await readFile(join(root, part))).toHaveLength(32);
    }
  });

  test('accepts the pages of snapshots in the folder of a service, but not in a mirror', async () => {
    const [folder, copy] = [await temporaryFolder(), await temporaryFolder()];
    await updateMirror(server.url, folder);
    await writeSite(copy, server.site);
    const css = Buffer.from('body { margin: 0 }');
    const pages = {
      'snapshots/index.html': 'a page',
      'snapshots/2025-12-01T06Z/index.html': 'a page',
      [`snapshots/assets/look-${sha256(css).slice(0, 12)}.css`]: css,
      [`snapshots/histories/${sha256('rows')}`]: 'rows',
    };
    const surplus = async (root: string) => {
      for (const [path, text] of Object.entries(pages)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
      const origin = await FolderOrigin.at(root);
      return (await look({ origin })).findings.map(({ place }) => place.slice(root.length + 1));
    };
    expect(await surplus(copy)).toEqual([]);
    // What a kill leaves of a file that was being written. The next run writes it again.
    const written = [
      'log/checkpoint',
      'snapshots/index.json',
      'snapshots/index.json.sig',
      ...Object.keys(pages),
    ];
    for (const path of written) await writeFile(join(copy, `${path}.tmp`), 'half');
    expect(await surplus(copy)).toEqual([]);
    await writeFile(join(copy, 'snapshots/evil.html.tmp'), 'half');
    expect(await surplus(copy)).toEqual(['snapshots/evil.html.tmp']);
    expect((await surplus(folder)).sort()).toEqual(Object.keys(pages).slice(0, 2).sort());
  });

  test('accepts an unlisted snapshot only if a known key signed it', async () => {
    const folder = await temporaryFolder();
    const entries = parseSnapshotIndex(server.site.get(LIST)!.toString()).slice(0, 2);
    for (const [at, text] of signedList(formatSnapshotIndex(entries), 3))
      server.site.set(at, Buffer.from(text));
    await writeSite(folder, server.site);
    const origin = await FolderOrigin.at(folder);
    expect((await look({ origin })).findings).toEqual([]);
    const foreign = smallSite({ release: 1, signers: [STRANGER] });
    for (const [path, bytes] of foreign)
      if (path.startsWith('snapshots/2')) await writeFile(join(folder, path), bytes);
    const [found] = (await look({ origin })).findings;
    expect(found).toMatchObject({ place: join(folder, 'snapshots/2025-12-01T00Z/index.json') });
  });

  test('terminates whatever special file replaces a file', async () => {
    const folder = await temporaryFolder();
    await updateMirror(server.url, folder);
    const places = [
      ...'mirror.json log/checkpoint log/tile/0/000 snapshots/index.json'.split(' '),
      ...'snapshots/2025-12-01T06Z/index.json current/public/economy/large.bin'.split(' '),
      ...'current/public/latest.json'.split(' '),
    ].map((path) => join(folder, path));
    for (const place of places) {
      await rename(place, `${folder}/aside`);
      for (const [command, ...args] of [
        ['mkfifo', place],
        ['ln', '-s', '/dev/zero', place],
        ['ln', '-s', place, place],
        ['ln', '-s', '.', place],
      ].slice(0, place.endsWith('large.bin') ? 4 : 1)) {
        execFileSync(command!, args);
        const origin = await FolderOrigin.at(folder);
        const found = place.endsWith('mirror.json')
          ? [await failureOf(() => readMirrorState(folder))]
          : (await look({ origin })).findings;
        expect([place, found.length > 0]).toEqual([place, true]);
        await rm(place);
      }
      await rename(`${folder}/aside`, place);
    }
  });

  test('finds an unsigned file among the variants that hosts add', async () => {
    const folder = await temporaryFolder();
    await writeSite(folder, server.site);
    const origin = await FolderOrigin.at(folder);
    for (const path of ['_headers', 'more/index.html', 'more/index.html.br']) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), 'nobody signed this');
    }
    await writeFile(join(folder, 'index.html.gz'), gzipSync(server.site.get('index.html')!));
    const { findings } = await look({ origin });
    expect(findings.map(({ place }) => place.slice(folder.length))).toEqual([
      '/more/index.html',
      '/more/index.html.br',
    ]);
  });

  test('finds that what says which events are public is missing beside them', async () => {
    const folder = await temporaryFolder();
    await writeSite(folder, server.site);
    const origin = await FolderOrigin.at(folder);
    expect((await look({ origin })).findings).toEqual([]);
    const policy = join(folder, 'log/public/policy.json');
    await rm(policy);
    expect((await look({ origin })).findings.map(({ place }) => place)).toEqual([policy]);
    await rm(dirname(policy), { recursive: true });
    expect((await look({ origin })).findings).toEqual([]);
  });

  test('finds compressed variants that differ from their files', async () => {
    const folder = await temporaryFolder();
    await writeSite(folder, server.site);
    const history = server.site.get('economy/mic-history.csv')!;
    const variants: [path: string, bytes: Buffer][] = [
      ['economy/large.bin.br', brotliCompressSync(server.site.get('economy/large.bin')!)],
      ['economy/mic-history.csv.br', brotliCompressSync(history.subarray(0, -2))],
      ['economy/mic-history.csv.gz', gzipSync(Buffer.alloc(64 << 20))],
      ['economy/supply.gz', Buffer.from('not compressed')],
      [
        'index.html.br',
        Buffer.concat([brotliCompressSync(server.site.get('index.html')!), Buffer.alloc(200_000)]),
      ],
      ['index.html.gz', gzipSync('another page')],
      ['latest.json.gz', Buffer.alloc(0)],
      ['manifest.json.br', brotliCompressSync('{}')],
    ];
    for (const [path, bytes] of variants) await writeFile(join(folder, path), bytes);
    const verification = await look({ origin: await FolderOrigin.at(folder) });
    expect(states(verification)).toMatchObject({ files: 'verified', encodings: 'failed', names: 'verified' });
    const places = verification.findings.map(({ place }) => place.slice(folder.length + 1).split(',')[0]);
    expect(places.sort()).toEqual(variants.slice(1).map(([path]) => path));
    const [, longer] = variants.find(([path]) => path === 'index.html.br')!;
    expect(verification.findings).toContainEqual(expect.objectContaining({ found: `${longer.length}` }));
  });

  test('finds an older bundle of public events that is not the beginning of the newest, or has an event that is not in the log', async () => {
    const folder = await temporaryFolder();
    await writeSite(folder, server.site);
    const origin = await FolderOrigin.at(folder);
    const [path, newest] = [...server.site].find(([name]) => /^log\/public\/v\d+\/000$/.test(name))!;
    const entries = parseBundle(newest, 256, path).slice(0, 100);
    await mkdir(join(folder, `${path}.p`));
    const place = join(folder, `${path}.p/100`);
    const placesWith = async (bytes: Uint8Array) => {
      await writeFile(place, bytes);
      return (await look({ origin })).findings.map((finding) => finding.place);
    };
    expect(await placesWith(formatBundle(entries))).toEqual([]);
    const first = entries.findIndex((entry) => entry.length > 0);
    expect(await placesWith(formatBundle(entries.with(first, new Uint8Array())))).toEqual([place]);
    expect(await placesWith(formatBundle(entries).subarray(0, -1))).toEqual([place]);
    await writeFile(place, formatBundle(entries));
    await writeFile(`${place}.gz`, gzipSync('another'));
    const found = async () => (await look({ origin })).findings.map(({ place }) => place.split(',')[0]);
    expect(await found()).toEqual([`${place}.gz`]);
    await rm(`${place}.gz`);
    const other = join(folder, 'log/public/v99/000');
    await mkdir(dirname(other));
    await writeFile(other, newest);
    expect(await found()).toEqual([]);
    await writeFile(other, formatBundle(parseBundle(newest, 256, path).with(first, Buffer.from('another'))));
    expect(await found()).toEqual([other]);
  });

  test('finds links in place of files even if they lead to the same bytes, and accepts a linked snapshots folder', async () => {
    const folder = await temporaryFolder();
    await updateMirror(server.url, folder);
    const aside = await temporaryFolder();
    const paths = [
      ...'current/public/economy/supply current/public/economy/large.bin'.split(' '),
      ...'current/public/philosophy log/tile/0/000 snapshots/2025-12-01T06Z/economy/supply'.split(' '),
    ].map((path) => join(folder, path));
    for (const [at, path] of paths.entries()) {
      await rename(path, join(aside, `${at}`));
      await symlink(join(aside, `${at}`), path);
    }
    await rename(join(folder, 'snapshots'), join(aside, 'snapshots'));
    await symlink(join(aside, 'snapshots'), join(folder, 'snapshots'));
    const origin = await FolderOrigin.at(folder);
    const { findings } = await look({ origin });
    expect(findings.map(({ place, found }) => [place, found])).toEqual(
      [paths[1], paths[0], paths[2], paths[3], paths[4]].map((path) => [path, 'a link or a special file']),
    );
  });
});
