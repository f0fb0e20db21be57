import { setInterval } from 'node:timers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import {
  formatSignedList,
  formatSnapshot,
  formatSnapshotIndex,
  LIST_PATH as LIST,
  LIST_SIGNATURE_PATH as LIST_SIGNATURE,
  parseSnapshot,
  parseSnapshotIndex,
} from '../../pipeline/release/format/snapshot-index.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import {
  BEGIN,
  eventsOf,
  LEDGER,
  logOf,
  NEXT_PUBLISHER,
  PUBLISHER,
  proofsOf,
  type Site,
  STRANGER,
  signedByAll,
  signedList,
  smallSite,
} from './small-service.ts';
import { contents, httpOrigin, servedBy, type UpdateOptions, updateMirror } from './update-mirror.ts';

/** What the origin does once the mirror has its second release, and how the mirror refuses it. */
interface Lie {
  tell: (server: LyingServer) => void;
  options?: UpdateOptions;
  code: string;
  place?: string;
  expected?: string | RegExp;
  found?: string | RegExp;
}

let server: LyingServer;
let folder: string;

beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 2 }));
  folder = await temporaryFolder();
  await updateMirror(server.url, folder);
});
afterEach(() => server.close());

/** The third release, with some of its files otherwise. */
function third(...changes: [path: string, content: Buffer | string | null][]) {
  return ({ site }: LyingServer): void => {
    site.clear();
    for (const [path, bytes] of smallSite({ release: 3 })) site.set(path, bytes);
    for (const [path, content] of changes) {
      if (content === null) site.delete(path);
      else site.set(path, Buffer.from(content));
    }
  };
}

const replaced = (site: Site) => (server: LyingServer) => {
  server.site = site;
};
const original = (path: string, release = 3) => smallSite({ release }).get(path)!;
const changed = (path: string, at: number) => {
  const bytes = Buffer.from(original(path));
  bytes[at]! ^= 1;
  return bytes;
};
const listOf = (release: number) => parseSnapshotIndex(original(LIST, release).toString());
const listBytes = (release: number) => original(LIST, release).length;
const manifestOf = (release: number) => JSON.parse(original('manifest.json', release).toString());
const endless = (server: LyingServer, path: string) => {
  third()(server);
  server.lies.set(path, (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(Buffer.alloc(65_536, 'x')), 1);
    response.on('close', () => clearInterval(timer));
  });
};
const dripping = (server: LyingServer, path: string) => {
  third()(server);
  server.lies.set(path, (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
};

/** The files that prove the third release with a signature note of another text. */
const signature = (note: string) => third(['manifest.json.sig', note]);
const signedText = () => original('manifest.json.sig').toString().split('\n\n')[0]!;

/** The third release with a manifest that its publisher has signed, but that no publisher should. */
const signedManifest =
  (change: (manifest: ReturnType<typeof manifestOf>) => unknown) => (server: LyingServer) => {
    const manifest = manifestOf(3);
    change(manifest);
    const text = `${JSON.stringify(manifest, null, 1)}\n`;
    third(...proofsOf(manifestOf(3), [PUBLISHER], text))(server);
  };
const listed = (...paths: string[]) =>
  signedManifest((manifest) => {
    const [file] = manifest.files;
    manifest.files = [...manifest.files, ...paths.map((path) => ({ ...file, path }))].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    );
  });
/** The third release with a log, and a manifest of that log. */
const withLog = (change: (log: ReturnType<typeof manifestOf>['log']) => unknown) =>
  signedManifest(({ log }) => change(log));
const checkpointNote = (text: string) => signedByAll(text, [LEDGER]);

/** The third release with another list of snapshots, which its publisher has signed. */
const snapshots = (change: (index: ReturnType<typeof parseSnapshotIndex>) => unknown) => {
  const index = listOf(3);
  change(index);
  return third(...signedList(formatSnapshotIndex(index), 3));
};

const otherEvents = (index: number) => (index === 5 ? 'another event' : `event ${index}`);
const longNumber = '9'.repeat(20);

const LIES: Record<string, Lie> = {
  'serves an older release (rollback)': {
    tell: replaced(smallSite({ release: 1 })),
    code: 'mirror_rollback',
    place: 'latest.json',
    expected: 'version 2 or later',
    found: 'version 1',
  },
  'announces a version that nobody signed': {
    tell: third(['latest.json', original('latest.json').toString().replace('"version": 3', '"version": 9')]),
    code: 'mirror_mismatch',
    expected: /a signature of version 9/,
  },
  'serves another release of the same version': {
    tell: replaced(smallSite({ release: 2, files: (files) => files.set('extra', Buffer.from('one more')) })),
    code: 'mirror_forked',
    expected: /version 2 with the manifest/,
  },
  'keeps serving an expired release (freeze)': {
    tell: () => {},
    options: { now: () => BEGIN + 60 * 3_600_000 },
    code: 'mirror_expired',
    found: /valid until 2025-12-03T06:00/,
  },
  'serves a newer release that has already expired': {
    tell: third(),
    options: { now: () => BEGIN + 90 * 3_600_000 },
    code: 'mirror_expired',
  },
  'serves the manifest of one release and files of another (mix and match)': {
    tell: third(['economy/supply', original('economy/supply', 2)]),
    code: 'mirror_mismatch',
    place: 'economy/supply',
    expected: /^SHA-256/,
  },
  'lacks a file of which the snapshot has a copy': {
    tell: third(['economy/supply', null]),
    code: 'mirror_mismatch',
    place: 'economy/supply',
    found: 'no such file',
  },
  'serves a manifest of a different release than announced': {
    tell: third(['manifest.json', original('manifest.json', 2)]),
    code: 'mirror_mismatch',
    place: 'manifest.json',
  },
  'serves the signature of another release': {
    tell: third(['manifest.json.sig', original('manifest.json.sig', 2)]),
    code: 'mirror_mismatch',
    place: 'manifest.json.sig',
    found: /one of version 2/,
  },
  'announces a different time than the signed one': {
    tell: third([
      'latest.json',
      original('latest.json').toString().replace('2025-12-03T12', '2099-12-03T12'),
    ]),
    code: 'mirror_mismatch',
    place: 'manifest.json: expires',
  },
  'signs with another key': {
    tell: replaced(smallSite({ release: 3, signers: [STRANGER] })),
    code: 'mirror_untrusted',
    place: 'manifest.json.sig',
    expected: /a signature by data.example.org\+/,
  },
  'names a new key that has not signed': {
    tell: (server) => {
      const { keys } = JSON.parse(
        smallSite({ release: 3, signers: [PUBLISHER, NEXT_PUBLISHER] })
          .get('manifest.json')!
          .toString(),
      );
      signedManifest((manifest) => {
        manifest.keys = keys;
      })(server);
    },
    code: 'mirror_untrusted',
    expected: /a signature by each key of the manifest/,
  },
  'has a signature of different bytes': {
    tell: signature(
      original('manifest.json.sig')
        .toString()
        .replace('cathedral-manifest/v1\n3', 'cathedral-manifest/v1\n4'),
    ),
    code: 'mirror_untrusted',
    found: 'one that does not verify',
  },
  'does not sign': {
    tell: third(['manifest.json.sig', null]),
    code: 'mirror_mismatch',
    place: 'manifest.json.sig',
    found: 'no such file',
  },
  'has an empty signature': { tell: signature(''), code: 'mirror_invalid', place: 'manifest.json.sig' },
  'has a note of 101 signatures': {
    tell: signature(signedByAll(`${signedText()}\n`, Array(101).fill(PUBLISHER))),
    code: 'mirror_invalid',
    expected: 'at most 100 signatures',
    found: '101',
  },
  'has a note with two blank lines': {
    tell: signature(original('manifest.json.sig').toString().replace('\n\n', '\n\n\n')),
    code: 'mirror_untrusted',
  },
  'has a signed note with two blank lines': {
    tell: signature(signedByAll(`${signedText()}\n\n`, [PUBLISHER])),
    code: 'mirror_invalid',
  },
  'has a signed text in another format': {
    tell: signature(signedByAll('cathedral-manifest/v2\n3\n', [PUBLISHER])),
    code: 'mirror_invalid',
  },
  'has a version beyond the safe integers': {
    tell: signature(
      signedByAll(signedText().replace('\n3\n', `\n${longNumber}\n`).concat('\n'), [PUBLISHER]),
    ),
    code: 'mirror_invalid',
  },
  'has a latest.json that never ends (endless data)': {
    tell: (server) => endless(server, 'latest.json'),
    code: 'mirror_mismatch',
    place: 'latest.json',
    expected: 'at most 16384 bytes',
  },
  'has a signature that never ends': {
    tell: (server) => endless(server, 'manifest.json.sig'),
    code: 'mirror_mismatch',
    expected: 'at most 1000000 bytes',
  },
  'has a manifest that never ends': {
    tell: (server) => endless(server, 'manifest.json'),
    code: 'mirror_mismatch',
    place: 'manifest.json',
    expected: /^exactly \d+ bytes$/,
  },
  'announces a manifest of gigabytes': {
    tell: third([
      'latest.json',
      original('latest.json')
        .toString()
        .replace(/"bytes": \d+/, '"bytes": 5000000000'),
    ]),
    code: 'mirror_invalid',
    place: 'latest.json: manifest.bytes',
  },
  'has a file that never ends': {
    tell: (server) => endless(server, 'economy/supply'),
    code: 'mirror_mismatch',
    place: 'economy/supply',
    expected: '14 bytes',
    found: 'more',
  },
  'has a tile that never ends': {
    tell: (server) => endless(server, 'log/tile/0/001.p/44'),
    code: 'mirror_mismatch',
    expected: 'exactly 1408 bytes',
  },
  'has an index of snapshots that never ends': {
    tell: (server) => endless(server, 'snapshots/index.json'),
    code: 'mirror_mismatch',
    place: 'snapshots/index.json',
    expected: /^exactly \d+ bytes$/,
  },
  'sends a file so slowly that it never ends (slow drip)': {
    tell: (server) => dripping(server, 'economy/mic-history.csv'),
    options: { stallMs: 500 },
    code: 'mirror_unreachable',
    place: 'economy/mic-history.csv',
    found: /^\d+ bytes in 500 ms$/,
  },
  'does not answer': {
    tell: (server) => void server.lies.set('latest.json', () => {}),
    options: { stallMs: 500 },
    code: 'mirror_unreachable',
    found: '0 bytes in 500 ms',
  },
  'cuts a file short': {
    tell: third(['index.html', original('index.html').subarray(0, 10)]),
    code: 'mirror_mismatch',
    place: 'index.html',
    found: '10',
  },
  'cuts a file short without announcing its length': {
    tell: (server) => {
      third()(server);
      server.lies.set('index.html', (response, _, bytes) => {
        response.write(bytes!.subarray(0, 10));
        response.end();
      });
    },
    code: 'mirror_mismatch',
    place: 'index.html',
    found: '10',
  },
  'has different bytes of the same length': {
    tell: third(['index.html', original('index.html').toString().replace('Release', 'Relaese')]),
    code: 'mirror_mismatch',
    place: 'index.html',
    expected: /^SHA-256/,
  },
  'lacks a file': {
    tell: third(['index.html', null]),
    code: 'mirror_mismatch',
    place: 'index.html',
    found: 'no such file',
  },
  'sends a file with an unrequested content coding': {
    tell: (server) => {
      third()(server);
      server.lies.set('index.html', (response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      );
    },
    code: 'mirror_unreachable',
    found: 'gzip',
  },
  'answers every request with a page': {
    tell: (server) => server.lies.set('latest.json', (response) => response.end('<!doctype html>Sign in')),
    code: 'mirror_invalid',
    place: 'latest.json',
  },
  'has a log with another event in the past (fork)': {
    tell: replaced(smallSite({ release: 3, event: otherEvents })),
    code: 'mirror_forked',
    place: 'log',
    expected: /a log whose first 200 events have the root/,
  },
  'has another log of the same length': {
    tell: replaced(smallSite({ release: 3, events: eventsOf(2), event: otherEvents })),
    code: 'mirror_forked',
    expected: /of 200 events/,
  },
  'has a log that has shrunk': {
    tell: replaced(smallSite({ release: 3, events: 150 })),
    code: 'mirror_rollback',
    expected: 'a log of 200 events or more',
    found: '150',
  },
  'has the log of another ledger': {
    tell: withLog((log) => {
      log.origin = 'other.example.org';
    }),
    code: 'mirror_forked',
    expected: 'ledger.example.org',
  },
  'has different hashes in a tile': {
    tell: third(['log/tile/0/000', Buffer.alloc(8192, 7)]),
    code: 'mirror_mismatch',
    place: 'tile/0/000',
  },
  'has a public event with another salt': {
    tell: third(['log/public/v1/000', changed('log/public/v1/000', 3)]),
    code: 'mirror_mismatch',
    place: 'public/v1/000 entry 0',
  },
  'cuts public events short': {
    tell: third(['log/public/v1/000', original('log/public/v1/000').subarray(0, 1000)]),
    code: 'mirror_mismatch',
    place: 'public/v1/000',
  },
  'lacks public events that it says it has': {
    tell: third(['log/public/v1/000', null]),
    code: 'mirror_mismatch',
    found: 'no such file',
  },
  'says which events are public in another form': {
    tell: third(['log/public/policy.json', Buffer.from('{"version":"1"}')]),
    code: 'mirror_mismatch',
    place: 'public/policy.json',
  },
  'cuts a tile short': {
    tell: third(['log/tile/0/001.p/44', original('log/tile/0/001.p/44').subarray(0, 100)]),
    code: 'mirror_mismatch',
    found: '100',
  },
  'lacks a tile': {
    tell: third(['log/tile/0/001.p/44', null]),
    code: 'mirror_mismatch',
    expected: 'a tile of 44 hashes',
    found: 'no such file',
  },
  'has a checkpoint of another root than its manifest': {
    tell: withLog((log) => {
      log.checkpoint = logOf(300, otherEvents).checkpoint;
    }),
    code: 'mirror_mismatch',
    place: 'manifest.json: log.checkpoint',
  },
  'has a checkpoint of a negative size': {
    tell: withLog((log) => {
      log.checkpoint = checkpointNote(`ledger.example.org\n-5\n${log.root_hash}\n`);
    }),
    code: 'mirror_invalid',
    place: 'manifest.json: log.checkpoint:2',
    found: '"-5"',
  },
  'has a checkpoint with a hash of 31 bytes': {
    tell: withLog((log) => {
      log.checkpoint = checkpointNote(`ledger.example.org\n300\n${Buffer.alloc(31).toString('base64')}\n`);
    }),
    code: 'mirror_invalid',
    place: 'manifest.json: log.checkpoint:3',
  },
  'has a checkpoint with 101 signatures': {
    tell: withLog((log) => {
      log.checkpoint = signedByAll(log.checkpoint.split('\n\n')[0].concat('\n'), Array(101).fill(LEDGER));
    }),
    code: 'mirror_invalid',
    expected: 'at most 100 signatures',
  },
  'has a root hash of 31 bytes in its manifest': {
    tell: withLog((log) => {
      log.root_hash = Buffer.alloc(31).toString('base64');
    }),
    code: 'mirror_invalid',
    place: 'manifest.json: log.root_hash',
  },
  'lists a different length for bytes that the mirror has': {
    tell: signedManifest((manifest) => {
      const same = manifest.files.find(({ path }: { path: string }) => path === 'economy/large.bin');
      same.bytes = 8e15;
    }),
    code: 'mirror_mismatch',
    place: 'manifest.json: economy/large.bin',
    found: '8000000000000000',
  },
  'has a manifest with a byte order mark': {
    tell: third(...proofsOf(manifestOf(3), [PUBLISHER], `\ufeff${JSON.stringify(manifestOf(3), null, 1)}\n`)),
    code: 'mirror_invalid',
    place: 'manifest.json',
    found: /^[^\n\ufeff]*u\{feff\}[^\n\ufeff]*$/,
  },
  'changes a snapshot': {
    tell: snapshots((index) => {
      index[1]!.index.sha256 = '0'.repeat(64);
    }),
    code: 'mirror_mismatch',
    place: 'snapshots/2025-12-01T06Z/index.json',
    expected: /a snapshot never changes/,
  },
  'has different bytes in the index of a snapshot': {
    tell: third([
      'snapshots/2025-12-01T12Z/index.json',
      original('snapshots/2025-12-01T12Z/index.json').toString().replace('release-3', 'release-4'),
    ]),
    code: 'mirror_mismatch',
    place: 'snapshots/2025-12-01T12Z/index.json',
  },
  'has a snapshot of events that the log does not have': {
    tell: snapshots((index) => {
      index[0]!.root_hash = index[1]!.root_hash;
    }),
    code: 'mirror_forked',
    place: 'snapshots/2025-12-01T12Z/index.json',
  },
  'has a snapshot of more events than the log': {
    tell: snapshots((index) => {
      index[0]!.log_size = 301;
    }),
    code: 'mirror_mismatch',
    expected: 'a snapshot of at most 300 events',
  },
  'leaves a snapshot out of its list': {
    tell: third([LIST, formatSnapshotIndex(listOf(3).slice(1))]),
    code: 'mirror_mismatch',
    place: LIST,
  },
  'leaves a snapshot out of its list, with a blank in its place': {
    tell: third([LIST, formatSnapshotIndex(listOf(3).toSpliced(1, 1)).trimEnd().padEnd(listBytes(3))]),
    code: 'mirror_mismatch',
    place: LIST,
    expected: /^SHA-256 .*, which was signed$/,
  },
  'serves the previous snapshot list (rollback of the list alone)': {
    tell: third([LIST, original(LIST, 2)], [LIST_SIGNATURE, original(LIST_SIGNATURE, 2)]),
    code: 'mirror_mismatch',
    place: LIST_SIGNATURE,
    expected: 'the snapshot list signed with version 3, release-3, or later',
    found: 'an older list, of version 2',
  },
  'signed a list without the snapshot of its release': {
    tell: snapshots((index) => index.shift()),
    code: 'mirror_mismatch',
    place: LIST,
    expected: 'snapshot 2025-12-01T12Z, which the release was made from',
  },
  'no longer has a snapshot list': {
    tell: third([LIST, null], [LIST_SIGNATURE, null]),
    code: 'mirror_mismatch',
    place: LIST,
    expected: 'the snapshot list, which accompanies every signed release',
    found: 'no such file',
  },
  'has the signature of a missing list': {
    tell: third([LIST, null]),
    code: 'mirror_mismatch',
    place: LIST,
    found: 'no such file',
  },
  'does not sign its snapshot list': {
    tell: third([LIST_SIGNATURE, null]),
    code: 'mirror_mismatch',
    place: LIST_SIGNATURE,
    expected: 'the publisher’s signature of the snapshot list',
    found: 'no such file',
  },
  'has a snapshot list that another key signed': {
    tell: third(...signedList(original(LIST).toString(), 3, [STRANGER])),
    code: 'mirror_untrusted',
    place: LIST_SIGNATURE,
    expected: /a signature by data.example.org\+/,
  },
  'has a snapshot list whose signature is of different bytes': {
    tell: third([LIST_SIGNATURE, original(LIST_SIGNATURE, 2).toString().replace('/v1\n2\n', '/v1\n3\n')]),
    code: 'mirror_untrusted',
    found: 'one that does not verify',
  },
  'presents the signature of its manifest as that of its list': {
    tell: third([LIST_SIGNATURE, original('manifest.json.sig')]),
    code: 'mirror_invalid',
    place: LIST_SIGNATURE,
    expected: /^cathedral-snapshots\/v1/,
  },
  'signed a list of gigabytes': {
    tell: third([
      LIST_SIGNATURE,
      signedByAll(formatSignedList({ version: 3, sha256: '0'.repeat(64), bytes: 5_000_000_000 }), [
        PUBLISHER,
      ]),
    ]),
    code: 'mirror_mismatch',
    expected: 'a list of at most 16777216 bytes',
  },
  'has a signature of its list that never ends': {
    tell: (server) => endless(server, LIST_SIGNATURE),
    code: 'mirror_mismatch',
    place: LIST_SIGNATURE,
    expected: 'at most 1000000 bytes',
  },
  'has a snapshot at an address of another kind': {
    tell: snapshots((index) => {
      index[0]!.index.path = 'economy/supply';
    }),
    code: 'mirror_mismatch',
    found: 'economy/supply',
  },
};

/** The third release, with a snapshot that agrees with its index, and that with the list, but not with what was signed. */
function forgedSnapshot(server: LyingServer): void {
  third()(server);
  const [folder, forged] = ['snapshots/2025-12-01T12Z', Buffer.from('{"events":999}')];
  const snapshot = parseSnapshot(original(`${folder}/index.json`).toString(), 'index.json');
  for (const file of snapshot.files)
    if (file.path === 'economy/supply') Object.assign(file, { sha256: sha256(forged), bytes: forged.length });
  const index = Buffer.from(formatSnapshot(snapshot));
  snapshots(([newest]) => {
    Object.assign(newest!.index, { sha256: sha256(index), bytes: index.length });
  })(server);
  server.site.set(`${folder}/economy/supply`, forged);
  server.site.set(`${folder}/index.json`, index);
}

LIES['forges a file of a snapshot, and all that lists it'] = {
  tell: forgedSnapshot,
  code: 'mirror_mismatch',
  place: 'snapshots/2025-12-01T12Z/index.json: economy/supply',
  expected: /as signed$/,
};

const PATHS: Record<string, [paths: string[], code: string]> = {
  'a step to a parent folder': [['../outside'], 'mirror_invalid'],
  'a step to a parent folder in the middle': [['economy/../../outside'], 'mirror_invalid'],
  'an absolute path': [['/etc/cron.d/outside'], 'mirror_invalid'],
  'a NUL': [['economy/a\0b'], 'mirror_invalid'],
  'a backslash': [['economy\\..\\..\\outside'], 'mirror_invalid'],
  'a percent sign': [['economy/%2e%2e/outside'], 'mirror_invalid'],
  'an empty name': [['economy//outside'], 'mirror_invalid'],
  'a path twice': [['economy/supply'], 'mirror_invalid'],
  'a path that differs in case alone': [['Economy/Supply'], 'mirror_invalid'],
  'the manifest itself': [['manifest.json'], 'mirror_invalid'],
  'the manifest in capitals': [['MANIFEST.JSON'], 'mirror_invalid'],
  'a tile of the log': [['log/checkpoint'], 'mirror_invalid'],
  'a tile of the log, in capitals': [['Log/checkpoint'], 'mirror_invalid'],
  'a file below a file': [['economy/supply/more'], 'mirror_invalid'],
  'settings of a host': [['_headers'], 'mirror_invalid'],
  'settings of a host in capitals': [['_HEADERS'], 'mirror_invalid'],
  'a program of a host': [['_worker.js'], 'mirror_invalid'],
  'settings of a web server': [['economy/.htaccess'], 'mirror_invalid'],
};
for (const [what, [paths, code]] of Object.entries(PATHS))
  LIES[`lists ${what}`] = { tell: listed(...paths), code };

const matching = (text: string | RegExp) => (typeof text === 'string' ? text : expect.stringMatching(text));

describe('from an origin that', () => {
  test.each(Object.entries(LIES))('%s, a mirror accepts nothing, and says why', async (_, lie) => {
    const before = contents(await servedBy(folder));
    lie.tell(server);
    const error = await failureOf(() => updateMirror(server.url, folder, lie.options));
    const { code, place = '', expected = /./, found = /./ } = lie;
    expect(error).toMatchObject({ code, expected: matching(expected), found: matching(found) });
    expect(`${error.place}`).toContain(place);
    const after = contents(await servedBy(folder));
    expect(after).toEqual(expect.arrayContaining(before));
    // Tiles and snapshots that were verified may be there already, in wait for a release that tells of them.
    const added = after.filter(
      (line) => !before.includes(line) && !/^(log\/(tile|public\/v)|snapshots\/2)/.test(line),
    );
    expect(added).toEqual([]);
    // And the truth is taken again.
    server.lies.clear();
    server.site = smallSite({ release: 3 });
    await updateMirror(server.url, folder);
    expect(contents(await servedBy(folder))).toEqual(contents(server.site));
  });

  test('serves an expired release, a mirror accepts it with --accept-expired', async () => {
    const options = { now: () => BEGIN + 90 * 3_600_000, acceptExpired: true };
    expect((await updateMirror(server.url, folder, options)).outcome).toBe('unchanged');
    server.site = smallSite({ release: 3 });
    expect((await updateMirror(server.url, folder, options)).outcome).toBe('mirrored');
  });

  test('sends endless data, a mirror reads hardly more than announced', async () => {
    let sent = 0;
    server.lies.set('latest.json', (response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        sent += 65_536;
        response.write(Buffer.alloc(65_536));
      }, 1);
      response.on('close', () => clearInterval(timer));
    });
    const origin = httpOrigin(server.url);
    await failureOf(() => updateMirror(server.url, folder, { wait: async () => {} }));
    expect(origin.traffic.bytes).toBeLessThan(1 << 20);
    expect(sent).toBeLessThan(64 << 20);
  });
});
