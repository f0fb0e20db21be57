import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import type { HttpOrigin } from '../../pipeline/verify/http-origin.ts';
import { originAt } from '../../pipeline/verify/reader.ts';
import { answer, LyingServer, serve, stream } from '../contract/lies/host.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { NEXT_PUBLISHER, PUBLISHER, STRANGER, signedList, smallSite } from './small-service.ts';
import { contents, httpOrigin, servedBy, updateMirror } from './update-mirror.ts';

let server: LyingServer;
let folder: string;

beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 1 }));
  folder = await temporaryFolder();
});
afterEach(() => server.close());

const NOTES = ['log/checkpoint', 'manifest.json.sig', 'snapshots/index.json.sig'];

describe('a mirror', () => {
  test('leaves only what it serves and what it remembers', async () => {
    await updateMirror(server.url, folder);
    const names = (await readdir(folder)).filter((name) => !name.startsWith('lock'));
    expect(names.sort()).toEqual(['current', 'log', 'mirror.json', 'releases', 'snapshots']);
  });

  test('that lacks its first release is no evidence of anything: a reader is told to finish it', async () => {
    const page = server.site.get('index.html')!;
    server.site.delete('index.html');
    await failureOf(() => updateMirror(server.url, folder));
    const options = { apiKey: null, isStatic: true, log: () => {}, wait: async () => {} };
    const read = () => originAt(folder, { timeLimit: 60 }, options);
    expect(await failureOf(read)).toMatchObject({
      code: 'mirror_stopped',
      expected: expect.stringContaining('run `cathedral mirror` on this folder again'),
    });
    server.site.set('index.html', page);
    await updateMirror(server.url, folder);
    await expect(read()).resolves.toBeDefined();
  });

  test('asks an unchanged origin only for news and for further signatures', async () => {
    await updateMirror(server.url, folder);
    server.requests.length = 0;
    const { outcome } = await updateMirror(server.url, folder);
    expect([outcome, server.requests]).toEqual(['unchanged', ['latest.json', ...NOTES]]);
  });

  test('adds later signatures, and never replaces the ones it needs', async () => {
    await updateMirror(server.url, folder);
    const before = new Map(server.site);
    const cosigned = (path: string) =>
      `${before.get(path)}— witness.example/1 ${Buffer.alloc(70, 1).toString('base64')}\n`;
    const offer = async (note: (path: string) => string) => {
      for (const path of NOTES) server.site.set(path, Buffer.from(note(path)));
      return updateMirror(server.url, folder).catch((error) => error);
    };
    expect((await offer(cosigned)).outcome).toBe('unchanged');
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    const held = contents(server.site);
    const others: ((path: string) => string)[] = [
      (path) => `${before.get(path)}`,
      (path) =>
        cosigned(path).replace(/^— (?:data|ledger)\..*\n/m, (line) => line.replace(/ \S+\n$/, ' AAAAAAA=\n')),
      // A checkpoint of another text is of another log, or of another tree of this one.
      (path) =>
        path === NOTES[0] ? `${before.get(path)}` : cosigned(path).replace('\n', ' of another release\n'),
      (path) => cosigned(path) + `${before.get(path)}`.match(/^— .*\n/m)![0].replace(/.{6}\n$/, 'AAAA==\n'),
    ];
    for (const note of others) {
      expect((await offer(note)).outcome).toBe('unchanged');
      expect(contents(await servedBy(folder))).toEqual(held);
    }
  });

  test('recognises an unchanged origin without entity tags', async () => {
    await updateMirror(server.url, folder);
    server.lies.set('latest.json', (response, _, bytes) => response.end(bytes));
    const { outcome, requests } = await updateMirror(server.url, folder);
    expect([outcome, requests]).toEqual(['unchanged', 1 + NOTES.length]);
  });

  test('fetches only what is new in a release, each content once', async () => {
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 3 });
    server.requests.length = 0;
    await updateMirror(server.url, folder);
    expect(server.requests.toSorted()).toEqual([
      ...'economy/mic-history.csv economy/supply index.html latest.json log/checkpoint'.split(' '),
      ...'log/public/policy.json log/public/v2/000 log/public/v2/001.p/44 log/tile/0/000'.split(' '),
      ...'log/tile/0/001.p/44 log/tile/1/000.p/1 manifest.json manifest.json.sig'.split(' '),
      ...'snapshots/2025-12-01T06Z/economy/supply snapshots/2025-12-01T06Z/index.json'.split(' '),
      ...'snapshots/2025-12-01T06Z/manifest.json snapshots/2025-12-01T06Z/manifest.json.sig'.split(' '),
      ...'snapshots/2025-12-01T12Z/index.json snapshots/index.json snapshots/index.json.sig'.split(' '),
    ]);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('fetches all public events again once newer decisions chose them', async () => {
    server.site = smallSite({ release: 3 });
    await updateMirror(server.url, folder);
    const site = [...smallSite({ release: 4 })].map(([path, bytes]): [string, Buffer] =>
      path === 'log/public/policy.json'
        ? [path, Buffer.from(`${bytes}`.replace('"version": 2', '"version": 3'))]
        : [path.replace('log/public/v2/', 'log/public/v3/'), bytes],
    );
    server.site = new Map(site);
    await updateMirror(server.url, folder);
    const served = await servedBy(folder);
    const bundles = ['000', '001.p/44', '001.p/144'].map((path) => `log/public/v3/${path}`);
    for (const path of [...bundles, 'log/public/policy.json'])
      expect([path, served.get(path)]).toEqual([path, server.site.get(path)]);
  });

  test('takes nothing from a former attempt that is not what its name says', async () => {
    const staging = join(folder, 'staging');
    await mkdir(staging, { recursive: true });
    const [whole, cut, other] = [...server.site]
      .filter(([path]) => !/^(log|snapshots)\/|json/.test(path))
      .map(([, bytes]) => bytes) as [Buffer, Buffer, Buffer];
    await writeFile(join(staging, sha256(whole)), whole);
    await writeFile(join(staging, sha256(cut)), cut.subarray(0, 5));
    await writeFile(join(staging, sha256(other)), Buffer.alloc(other.length, 'x'));
    await writeFile(join(staging, `${sha256(other)}.part`), 'of something else');
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('links unchanged files to those of the previous release', async () => {
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 2 });
    await updateMirror(server.url, folder);
    const [before, now] = await Promise.all(
      ['1', '2'].map((version) => stat(join(folder, 'releases', version, 'public/economy/large.bin'))),
    );
    expect(now!.ino).toBe(before!.ino);
  });

  test('writes no part of the log again that is there, which a power failure could take meanwhile', async () => {
    await updateMirror(server.url, folder);
    const parts = ['public/v2/000.p/100', 'tile/0/000.p/100'].map((path) => join(folder, 'log', path));
    const numbers = () => Promise.all(parts.map(async (part) => (await stat(part)).ino));
    const before = await numbers();
    await updateMirror(server.url, folder, { recheck: true });
    expect(await numbers()).toEqual(before);
    server.site = smallSite({ release: 2 });
    await updateMirror(server.url, folder);
    expect(await numbers()).toEqual(before);
  });

  describe('of a table that has grown', () => {
    const row = (index: number) => `${index},${sha256(Buffer.from(`${index}`))}`;
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => `${row(count - 1 - index)}\n`).join('');
    const grown = (release: number, change = (text: string) => text) =>
      smallSite({
        release,
        files: (files, version) => {
          const changed = version === release ? change : (text: string) => text;
          files.set('economy/rows.csv', Buffer.from(`index,hash\n${changed(rows(3000 + version * 40))}`));
          // Longer than what is kept in memory.
          files.set('economy/rows.ndjson', Buffer.from(changed(rows(16_000 + version * 40))));
        },
        manifest: ({ files, ...manifest }) => ({
          ...manifest,
          files: files.map((file) => ({ ...file, media_type: typeOf(file.path) ?? file.media_type })),
        }),
      });
    const typeOf = (path: string) =>
      path.endsWith('.ndjson') ? 'application/x-ndjson' : path.includes('rows') ? 'text/csv' : null;
    const asked = () => server.requests.filter((one) => one.startsWith('economy/rows')).toSorted();

    beforeEach(async () => {
      server.site = grown(1);
      await updateMirror(server.url, folder);
      server.requests.length = 0;
    });

    test('fetches only its beginning', async () => {
      const before = new Map(server.site);
      server.site = grown(2);
      const { bytes } = await updateMirror(server.url, folder);
      const more = (path: string) => server.site.get(path)!.length - before.get(path)!.length;
      expect(asked()).toEqual([
        `economy/rows.csv bytes=0-${more('economy/rows.csv') + 'index,hash\n'.length - 1}`,
        `economy/rows.ndjson bytes=0-${more('economy/rows.ndjson') - 1}`,
      ]);
      // The rest of the release is small.
      expect(bytes).toBeLessThan(30_000);
      expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    });

    test('fetches all of it if older rows have changed', async () => {
      server.site = grown(2, (all) => all.replace('\n7,', '\n8,'));
      await updateMirror(server.url, folder);
      expect(asked()).toHaveLength(4);
      expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    });

    test('fetches all of it if the old copy is damaged', async () => {
      for (const name of ['rows.csv', 'rows.ndjson']) {
        const place = join(folder, 'current/public/economy', name);
        const bytes = await readFile(place);
        bytes[100_000]! ^= 1;
        await writeFile(place, bytes);
      }
      server.site = grown(2);
      await updateMirror(server.url, folder);
      expect(asked()).toHaveLength(4);
      expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    });

    test('takes what a host gives that knows no ranges, or another release for a moment', async () => {
      const [second, third] = [grown(2), grown(3)];
      server.site = second;
      server.lies.set('economy/rows.csv', (response, _, bytes) => response.end(bytes));
      let isFirst = true;
      server.lies.set('economy/rows.ndjson', (response, request, bytes) => {
        serve(response, request, isFirst ? third.get('economy/rows.ndjson') : bytes);
        isFirst = false;
      });
      await updateMirror(server.url, folder);
      expect(contents(await servedBy(folder))).toEqual(contents(second));
    });
  });

  /** Sends a part, and cuts the connection once it was read. */
  async function cut(response: ServerResponse, part: Buffer, { traffic }: HttpOrigin): Promise<void> {
    const before = traffic.bytes;
    response.write(part);
    while (traffic.bytes - before < part.length / 2) await sleep(5);
    response.destroy();
  }

  test('resumes a partly fetched file', async () => {
    const origin = httpOrigin(server.url);
    const large = server.site.get('economy/large.bin')!;
    server.lies.set('economy/large.bin', (response, request, bytes) => {
      if (server.requests.filter((one) => one.startsWith('economy/large.bin')).length > 1)
        return serve(response, request, bytes);
      response.writeHead(200, { 'content-length': large.length });
      return cut(response, bytes!.subarray(0, 200_000), origin);
    });
    await updateMirror(server.url, folder, { origin });
    const asked = server.requests.filter((one) => one.startsWith('economy/large.bin'));
    expect(asked).toEqual([
      'economy/large.bin',
      expect.stringMatching(/^economy\/large\.bin bytes=[1-9]\d+-$/),
    ]);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('works with hosts that do not support ranges', async () => {
    const origin = httpOrigin(server.url);
    let times = 0;
    server.lies.set('economy/large.bin', (response, _, bytes) => {
      times += 1;
      response.writeHead(200, { 'content-length': bytes!.length });
      if (times > 1) return response.end(bytes);
      return cut(response, bytes!.subarray(0, 200_000), origin);
    });
    await updateMirror(server.url, folder, { origin });
    expect(times).toBe(2);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('detects a range of a different file, and fetches the whole file', async () => {
    const release = server.site.get('manifest.json')!.toString();
    const { sha256 } = JSON.parse(release).files.find(
      ({ path }: { path: string }) => path === 'economy/large.bin',
    );
    await mkdir(join(folder, 'staging'));
    await writeFile(join(folder, 'staging', `${sha256}.part`), 'x'.repeat(1000));
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('retries after a server error, a limited number of times', async () => {
    let times = 0;
    server.lies.set('index.html', (response, request, bytes) => {
      times += 1;
      return times < 3 ? response.writeHead(503).end() : serve(response, request, bytes);
    });
    expect((await updateMirror(server.url, folder)).outcome).toBe('mirrored');
    times = -10;
    const error = await failureOf(async () => updateMirror(server.url, await temporaryFolder()));
    expect(error).toMatchObject({ code: 'mirror_unreachable', place: `${server.url}/index.html` });
    expect(error.message).toContain('an answer within 3 attempts, found status 503');
  });

  test('follows redirects only within its origin', async () => {
    server.lies.set('index.html', (response) => response.writeHead(301, { location: '/home' }).end());
    server.site.set('home', server.site.get('index.html')!);
    expect((await updateMirror(server.url, folder)).outcome).toBe('mirrored');
    server.lies.set('index.html', (response) =>
      response.writeHead(302, { location: 'http://127.0.0.2/index.html' }).end(),
    );
    const error = await failureOf(async () => updateMirror(server.url, await temporaryFolder()));
    expect(error).toMatchObject({
      code: 'mirror_unreachable',
      found: 'a redirect to http://127.0.0.2/index.html',
    });
  });

  test('reads the file of a live path from its snapshot if the service answers with newer data', async () => {
    answer(server, '{"timestamp":"2025-12-01T00:00:01Z","events":101}');
    expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject({
      code: 'mirror_mismatch',
    });
    stream(server);
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('copies the old version of a rewritten history, which older snapshots need', async () => {
    const before = server.site.get('economy/mic-history.csv')!;
    await updateMirror(server.url, folder);
    server.site = smallSite({
      release: 2,
      files: (files, release) => {
        if (release === 2) files.set('economy/mic-history.csv', Buffer.from('event,what\n0,written anew\n'));
      },
    });
    const index = JSON.parse(server.site.get('snapshots/index.json')!.toString());
    const old = `snapshots/histories/${sha256(before)}`;
    index[1].histories = { 'economy/mic-history.csv': old };
    for (const [path, text] of signedList(JSON.stringify(index), 2)) server.site.set(path, Buffer.from(text));
    server.site.set(old, before);
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    const fresh = await temporaryFolder();
    await updateMirror(server.url, fresh);
    const parts = (line: string) => line.includes('.p/');
    expect(contents(await servedBy(fresh)).filter((line) => !parts(line))).toEqual(
      contents(server.site).filter((line) => !parts(line)),
    );
    server.site.set(old, Buffer.concat([before.subarray(1), Buffer.from('x')]));
    const error = await failureOf(async () => updateMirror(server.url, await temporaryFolder()));
    expect(error).toMatchObject({ code: 'mirror_mismatch', place: `${server.url}/${old}` });
  });

  test('tries again if a release is swapped during the update', async () => {
    const next = smallSite({ release: 2 });
    server.lies.set('manifest.json.sig', (response, request, bytes) => {
      server.site = next;
      server.lies.clear();
      serve(response, request, bytes);
    });
    const lines: string[] = [];
    const { manifest } = await updateMirror(server.url, folder, { lines });
    expect(manifest.version).toBe(2);
    expect(lines[0]).toMatch(/mirror_mismatch.*trying again/);
    // The partial tile of the first release, which this mirror never saw, is there for whoever holds its checkpoint.
    expect(contents(await servedBy(folder))).toEqual(contents(next));
  });

  test('tries again if a release arrives before its snapshot list', async () => {
    await updateMirror(server.url, folder);
    const [before, next] = [server.site, smallSite({ release: 2 })];
    const lists = ['snapshots/index.json', 'snapshots/index.json.sig'];
    server.site = new Map([...next, ...lists.map((path) => [path, before.get(path)!] as const)]);
    const lines: string[] = [];
    // The list first, then its signature: a step with each look.
    const wait = async () => {
      const path = lists.shift();
      if (path) server.site.set(path, next.get(path)!);
    };
    const { manifest } = await updateMirror(server.url, folder, { lines, wait });
    expect(manifest.version).toBe(2);
    expect(lines.filter((line) => line.endsWith('; trying again'))).toEqual([
      expect.stringMatching(/index\.json\.sig: .*version 2, release-2.*an older list, of version 1/),
      expect.stringMatching(/index\.json\.sig: .*version 2, release-2.*an older list, of version 1/),
    ]);
    expect(contents(await servedBy(folder))).toEqual(contents(next));
  });

  test('that is refused at first leaves no folder, and later nothing of the refused release', async () => {
    const expired = Date.parse('2026-01-01T00:00:00Z');
    const missing = join(folder, 'new/mirror');
    for (const [more, code] of [
      [{ keys: [STRANGER.verifier] }, 'mirror_untrusted'],
      [{ now: () => expired }, 'mirror_expired'],
    ] as const)
      expect(await failureOf(() => updateMirror(server.url, missing, more))).toMatchObject({ code });
    expect(await readdir(folder)).toEqual([]);
    await updateMirror(server.url, missing);
    const before = await readdir(missing);
    server.site = smallSite({ release: 2 });
    const late = await failureOf(() => updateMirror(server.url, missing, { now: () => expired }));
    expect(late).toMatchObject({ code: 'mirror_expired' });
    expect(await readdir(missing)).toEqual(before);
  });

  test('waits for another update of its folder, and gives up after a time', async () => {
    await withLock(folder, { waitMs: 0, holder: 'a test' }, async () => {
      expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject({ code: 'locked' });
    });
  });

  test('repairs files, tiles and snapshots with a recheck', async () => {
    await updateMirror(server.url, folder);
    const large = join(folder, 'current/public/economy/large.bin');
    const bytes = await readFile(large);
    bytes[1000]! ^= 1;
    await writeFile(large, bytes);
    await truncate(join(folder, 'current/public/index.html'), 3);
    await writeFile(join(folder, 'log/tile/0/000.p/100'), Buffer.alloc(3200));
    await writeFile(join(folder, 'snapshots/2025-12-01T00Z/economy/supply'), '{"events":999}');
    for (const path of ['log/public/v2/000.p/100', 'snapshots/2025-12-01T00Z/manifest.json']) {
      await rm(join(folder, path));
      await mkdir(join(folder, path, 'folder'), { recursive: true });
    }
    const stored = join(folder, 'snapshots/2025-12-01T00Z/manifest.json.sig');
    await rm(stored);
    await symlink(join(folder, 'nowhere'), stored);
    expect((await updateMirror(server.url, folder)).outcome).toBe('unchanged');
    await writeFile(join(folder, 'snapshots/index.json'), '{');
    for (const path of ['log/checkpoint', 'snapshots/2025-12-01T00Z/index.json']) {
      await rm(join(folder, path));
      await mkdir(join(folder, path, 'folder'), { recursive: true });
    }
    await updateMirror(server.url, folder, { recheck: true });
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test.each([
    ['of its own', ['current', 'log', 'snapshots', 'staging']],
    ['of the service', ['log/public', 'log/tile/0/000.p', 'snapshots/2025-12-01T00Z/economy']],
  ])(
    'with a recheck, replaces files and links that lead nowhere in place of folders %s',
    async (_, paths) => {
      for (const damage of [writeFile, (place: string) => symlink('nowhere', place)]) {
        await updateMirror(server.url, folder);
        for (const path of paths) {
          await rm(join(folder, path), { recursive: true, force: true });
          await damage(join(folder, path), 'hello');
        }
        await updateMirror(server.url, folder, { recheck: true });
        expect(contents(await servedBy(folder))).toEqual(contents(server.site));
      }
    },
  );

  test('leaves a file in place of a folder alone without a recheck, because it may be the wrong folder', async () => {
    await writeFile(join(folder, 'log'), 'mine');
    expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject({
      code: 'publish_failed',
    });
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('mine');
  });

  test('replaces a damaged checkpoint by that of its origin, and with a recheck a damaged manifest, but goes back to no earlier release', async () => {
    const earlier = server.site;
    await updateMirror(server.url, folder);
    await writeFile(join(folder, 'log/checkpoint'), 'hello');
    server.site = smallSite({ release: 2 });
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    await writeFile(join(folder, 'log/checkpoint'), 'hello');
    expect((await updateMirror(server.url, folder)).outcome).toBe('unchanged');
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
    const manifest = join(folder, 'current/public/manifest.json');
    await writeFile(manifest, '{');
    expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject({ place: manifest });
    const later = server.site;
    server.site = earlier;
    const back = await failureOf(() => updateMirror(server.url, folder, { recheck: true }));
    expect(back).toMatchObject({ code: 'mirror_rollback' });
    server.site = later;
    await updateMirror(server.url, folder, { recheck: true });
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('uses a folder instead of a link with --without-links, before and after an update', async () => {
    await updateMirror(server.url, folder, { withoutLinks: true });
    server.site = smallSite({ release: 2 });
    await updateMirror(server.url, folder, { withoutLinks: true });
    expect((await stat(join(folder, 'current'))).isDirectory()).toBe(true);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('writes `_headers` and `.nojekyll` for hosts that read them', async () => {
    await updateMirror(server.url, folder);
    const headers = await readFile(join(folder, 'current/public/_headers'), 'utf8');
    expect(headers).toContain('/economy/supply\n  Content-Type: text/plain\n');
    expect(await readFile(join(folder, 'current/public/.nojekyll'), 'utf8')).toBe('');
  });
});

describe('the keys of a mirror', () => {
  const key = ({ verifier }: { verifier: Parameters<typeof formatVerifierKey>[0] }) =>
    formatVerifierKey(verifier);
  /** The first release, the one in which both sign, and those after that. */
  const signers = (release: number) =>
    [[PUBLISHER], [PUBLISHER, NEXT_PUBLISHER]][release - 1] ?? [NEXT_PUBLISHER];
  const remembered = async () => JSON.parse(await readFile(join(folder, 'mirror.json'), 'utf8'));

  test('are the first ones seen if none are given, and the result says so', async () => {
    expect((await updateMirror(server.url, folder, { keys: null })).firstUse).toBe(true);
    expect(await remembered()).toMatchObject({ anchors: { given: false }, keys: [key(PUBLISHER)] });
    server.site = smallSite({ release: 2, signers: [STRANGER] });
    expect(await failureOf(() => updateMirror(server.url, folder, { keys: null }))).toMatchObject({
      code: 'mirror_untrusted',
    });
  });

  test('change with a release that the old and the new key sign', async () => {
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 2, signers });
    await updateMirror(server.url, folder);
    expect((await remembered()).keys).toEqual([key(PUBLISHER), key(NEXT_PUBLISHER)]);
    server.site = smallSite({ release: 3, signers });
    await updateMirror(server.url, folder);
    expect(await remembered()).toMatchObject({
      anchors: { keys: [key(PUBLISHER)] },
      keys: [key(NEXT_PUBLISHER)],
    });
    server.site = smallSite({ release: 4, signers: [PUBLISHER] });
    expect(await failureOf(() => updateMirror(server.url, folder))).toMatchObject({
      code: 'mirror_untrusted',
    });
  });

  test('cannot sign the snapshot list once they are retired', async () => {
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 2, signers });
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 3, signers });
    const list = server.site.get('snapshots/index.json')!.toString();
    for (const [path, text] of signedList(list, 3, [PUBLISHER])) server.site.set(path, Buffer.from(text));
    const error = await failureOf(() => updateMirror(server.url, folder));
    expect(error).toMatchObject({
      code: 'mirror_untrusted',
      place: `${server.url}/snapshots/index.json.sig`,
    });
  });

  test('may be retired: snapshots that no current key signed are counted', async () => {
    server.site = smallSite({ release: 3, signers });
    const { snapshots, unvouched } = await updateMirror(server.url, folder, {
      keys: [NEXT_PUBLISHER.verifier],
    });
    expect([snapshots, unvouched]).toEqual([3, 1]);
  });

  test('must have signed every new snapshot', async () => {
    await updateMirror(server.url, folder);
    // A second one that a stranger made, under a release that the publisher did.
    const forged = smallSite({ release: 3, signers: (release) => [release === 2 ? STRANGER : PUBLISHER] });
    server.site = forged;
    const error = await failureOf(() => updateMirror(server.url, folder));
    expect(error).toMatchObject({
      code: 'mirror_untrusted',
      place: `${server.url}/snapshots/2025-12-01T06Z/index.json`,
      found: 'a signature by keys that the snapshot itself names',
    });
    expect([...(await servedBy(folder)).keys()].filter((path) => path.includes('06Z'))).toEqual([]);
  });

  test('are replaced by giving others', async () => {
    await updateMirror(server.url, folder);
    server.site = smallSite({ release: 2, signers: [STRANGER] });
    await updateMirror(server.url, folder, { keys: [STRANGER.verifier] });
    expect(await remembered()).toMatchObject({ anchors: { keys: [key(STRANGER)] }, keys: [key(STRANGER)] });
  });

  test('are verified for an unchanged release too if others are given', async () => {
    await updateMirror(server.url, folder);
    const error = await failureOf(() => updateMirror(server.url, folder, { keys: [STRANGER.verifier] }));
    expect(error).toMatchObject({ code: 'mirror_untrusted' });
  });
});
