/**
 * What a host may do that holds the third release and whose reader knows the second one. `by` says who must find out: v `verify` of the
 * address, f `verify` of a folder with the same files, m `mirror`, p the verification page, which knows no earlier release, r `prove` of a row, e `prove` of an event. Whoever
 * is not named reads nothing of what is changed, or may be served other bytes without harm, and says what it says of an honest host.
 */
import { gzipSync } from 'node:zlib';
import { type Lie as Answer, pour, serve } from './host.ts';
import {
  BEGIN,
  checkpoint,
  cosigned,
  hex,
  idOf,
  LEDGER,
  type ListEntry,
  lineOf,
  type Manifest,
  manifestOf,
  NEXT_PUBLISHER,
  NOW,
  note,
  OTHER_LEDGER,
  PUBLISHER,
  pretty,
  proofs,
  type Site,
  STRANGE_WITNESS,
  STRANGER,
  signedList,
  siteOf,
  textOf,
  WITNESSES,
  type World,
} from './publisher.ts';

interface Host {
  site: Site;
  /** By path; an answer in place of the file. */
  lies: Map<string, Answer>;
}

export interface Lie {
  name: string;
  by: string;
  tell: (host: Host) => void;
  /** ms since 1970. */
  now?: number;
  /** There is no such folder: it is about the protocol. */
  isOverHttp?: boolean;
}

const sites = new Map<number, Site>();
/** The files of an honest host. */
export function honest(release: number): Site {
  if (!sites.has(release)) sites.set(release, siteOf(release));
  return sites.get(release)!;
}

const LATEST = 'latest.json';
const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.json.sig';
const CHECKPOINT = 'log/checkpoint';
const LIST = 'snapshots/index.json';
const LIST_SIGNATURE = 'snapshots/index.json.sig';
const HISTORY = 'economy/mic-history.csv';
const DAYS = 'events/days/2025-12.json';
const [OLDEST, SECOND, NEWEST] = [1, 2, 3].map((release) => `snapshots/${idOf(release)}`);

const textAt = (path: string, release = 3) => honest(release).get(path)!.toString();

const put =
  (...files: [path: string, content: string | Uint8Array | undefined][]) =>
  ({ site }: Host) => {
    for (const [path, content] of files) site.set(path, Buffer.from(content!));
  };
const from = (release: number, ...paths: string[]) =>
  put(...paths.map((path): [string, Buffer | undefined] => [path, honest(release).get(path)]));
const flipped = (path: string, at: (bytes: number) => number) => {
  const bytes = Buffer.from(honest(3).get(path)!);
  bytes[at(bytes.length)]! ^= 1;
  return put([path, bytes]);
};
const flip = (path: string) => flipped(path, (bytes) => bytes >> 1);
const cut = (path: string, bytes: number) => put([path, honest(3).get(path)!.subarray(0, bytes)]);
const drop =
  (...paths: string[]) =>
  ({ site }: Host) => {
    for (const path of paths) site.delete(path);
  };
const swap = (one: string, other: string) => put([one, honest(3).get(other)], [other, honest(3).get(one)]);
const replace = (path: string, search: string | RegExp, by: string) => {
  const changed = textAt(path).replace(search, by);
  if (changed === textAt(path)) throw new Error(`nothing to replace in ${path}`);
  return put([path, changed]);
};
/** A bundle of events, with the length of each before it. */
const replaceInBundle = (search: string, by: string) => {
  const bundle = honest(3).get('log/public/v1/000')!.toString('latin1');
  return put(['log/public/v1/000', Buffer.from(bundle.replace(search, by), 'latin1')]);
};
const world = (release: number, about: World) => (host: Host) => {
  host.site = siteOf(release, about);
};
/** The third release, whose publisher has signed a manifest that no publisher should. */
const signed = (change: (manifest: Manifest) => unknown, publishers = [PUBLISHER]) => {
  const manifest = manifestOf({}, 3);
  change(manifest);
  return put(...proofs(manifest, publishers));
};
const listing = (path: string) =>
  signed((manifest) => {
    const [file] = manifest.files;
    manifest.files = [...manifest.files, { ...file!, path }].sort((a, b) => (a.path < b.path ? -1 : 1));
  });
const signedLog = (change: (log: Manifest['log']) => unknown) => signed(({ log }) => change(log));
/** The third release with a signed list of snapshots that no publisher should sign. */
const list = (change: (entries: ListEntry[]) => unknown) => {
  const entries: ListEntry[] = JSON.parse(textAt(LIST));
  change(entries);
  return put(...signedList(pretty(entries), 3));
};
const witnessed = (note: string) => put([CHECKPOINT, note]);
const answer = (path: string, how: Answer) => (host: Host) => void host.lies.set(path, how);

const forked = (at: number) => (index: number) =>
  index === at ? lineOf(index).replace('C-1', 'C-2') : lineOf(index);
const [W1, W2, W3] = WITNESSES as [typeof PUBLISHER, typeof PUBLISHER, typeof PUBLISHER];
const own = checkpoint(300);
const HOUR = 3_600_000;

/** Each kind of file, with who reads it: the mirror only what it lacks. */
const KINDS: [path: string, by: string, byMissing?: string][] = [
  ['_astro/site.d41d8cd9.css', 'v f'],
  ['economy/large.bin', 'v f'],
  [HISTORY, 'v f', 'v f m'],
  ['economy/supply', 'v f m'],
  [DAYS, 'v f m p r', 'v f m'],
  ['index.html', 'v f m'],
  [LATEST, 'v f m p'],
  [MANIFEST, 'v f m p'],
  [SIGNATURE, 'v f m p'],
  [CHECKPOINT, 'v f m p r e'],
  ['log/tile/0/000', 'v f m p r e'],
  ['log/tile/0/001.p/44', 'v f m p r e'],
  ['log/tile/1/000.p/1', 'v f m p r e'],
  ['log/public/v1/000', 'v f m p r'],
  ['log/public/v1/001.p/44', 'v f m'],
  [LIST, 'v f m'],
  [LIST_SIGNATURE, 'v f m'],
  [`${SECOND}/index.json`, 'v f'],
  [`${SECOND}/economy/supply`, 'v f'],
  [`${NEWEST}/index.json`, 'v f m'],
  [`${NEWEST}/economy/supply`, 'v f'],
  [`${NEWEST}/manifest.json`, 'v f m'],
  [`${NEWEST}/manifest.json.sig`, 'v f m'],
];

export const LIES: Lie[] = [
  ...KINDS.map(([path, by]) => ({ name: `/${path} has one wrong bit`, by, tell: flip(path) })),
  ...KINDS.map(([path, wrong, by = wrong]) => ({ name: `/${path} is missing`, by, tell: drop(path) })),
];

/** What the same readers have to find out. */
const add = (by: string, lies: Record<string, Lie['tell']>, more: Partial<Lie> = {}) => {
  for (const [name, tell] of Object.entries(lies)) LIES.push({ name, by, tell, ...more });
};
const overHttp = (by: string, lies: Record<string, Lie['tell']>) => add(by, lies, { isOverHttp: true });

// Files of the release.
add('v f', {
  'the oldest row of a history has one wrong bit': flipped(HISTORY, (bytes) => bytes - 3),
});
add('v f m', {
  'a file is cut short': cut('index.html', 10),
  'a file is longer': put(['index.html', `${textAt('index.html')}\n`]),
  'a file has other bytes of the same length': replace('index.html', 'Release', 'Relaese'),
  'a file is of the release before (mix and match)': from(2, 'economy/supply'),
  'two files have changed places': swap('economy/supply', 'philosophy/same'),
});
add('f', {
  'a file has been added that nobody signed': put(['economy/more', 'nobody signed this']),
  'a page has been added below a snapshot': put([`${SECOND}/evil.html`, 'nobody signed this']),
  'a page has been added to the log': put(['log/evil.html', 'nobody signed this']),
});

// Older, other and unsigned releases.
add('v f m p r', {
  'all is of the first release (rollback)': (host) => {
    host.site = new Map(honest(1));
  },
});
add('m', {
  'all is of the first release, whose log is as long (rollback)': world(1, { events: () => 200 }),
  'there is another second release': world(2, { files: (files) => files.set('extra', Buffer.from('more')) }),
});
add('v f m p', {
  'latest.json announces a version that nobody signed': replace(LATEST, '"version": 3', '"version": 9'),
  'latest.json states another expiry than was signed': replace(LATEST, '2025-12-04', '2099-12-04'),
  'latest.json announces a manifest of gigabytes': replace(LATEST, /"bytes": \d+/, '"bytes": 5000000000'),
  'latest.json is a page': put([LATEST, '<!doctype html>Sign in']),
  'the manifest is of the release before': from(2, MANIFEST),
  'the signature is of the release before': from(2, SIGNATURE),
});
add('v f m p', { 'the release has expired': () => {} }, { now: BEGIN + 90 * HOUR });
add(
  'v f m p',
  {
    'the release before is shown until it has expired (freeze)': (host) => {
      host.site = new Map(honest(2));
    },
  },
  { now: BEGIN + 60 * HOUR },
);

// Signatures.
add('v f m p', {
  'another key signed': world(3, { publishers: [STRANGER] }),
  'the manifest names a new key that has not signed': signed((manifest) => {
    manifest.keys = [PUBLISHER.verifier, NEXT_PUBLISHER.verifier];
  }),
  'the manifest does not name the key that signed': signed((manifest) => {
    manifest.keys = [STRANGER.verifier];
  }),
  'the signature is of another text': replace(SIGNATURE, 'v1\n3', 'v1\n4'),
  'the signature has been stripped': put([SIGNATURE, `${textOf(textAt(SIGNATURE))}\n`]),
  'the signature file is empty': put([SIGNATURE, '']),
  'a second signature in the publisher’s name does not verify': put([
    SIGNATURE,
    textAt(SIGNATURE) + PUBLISHER.line('another text\n'),
  ]),
  'there are 101 signatures': put([
    SIGNATURE,
    note(textOf(textAt(SIGNATURE)), ...Array(101).fill(PUBLISHER)),
  ]),
  'the signed text is of another format': put([SIGNATURE, note('cathedral-manifest/v2\n3\n', PUBLISHER)]),
  'the signed text states another version than the manifest': put([
    SIGNATURE,
    note(textOf(textAt(SIGNATURE)).replace('\n3\n', '\n4\n'), PUBLISHER),
  ]),
  'the signed version is beyond all integers': put([
    SIGNATURE,
    note(textOf(textAt(SIGNATURE)).replace('\n3\n', `\n${'9'.repeat(20)}\n`), PUBLISHER),
  ]),
});

// What a publisher must not sign.
add('v f m p', {
  'the manifest begins with a byte order mark': put(
    ...proofs(manifestOf({}, 3), [PUBLISHER], `\ufeff${textAt(MANIFEST)}`),
  ),
  'the manifest states a hash that is none': signed((manifest) => {
    manifest.files[0]!.sha256 = 'F'.repeat(64);
  }),
  'the manifest has a member that nobody knows': signed((manifest) => {
    manifest.more = true;
  }),
  'the manifest states no media type': signed((manifest) => {
    manifest.files[0]!.media_type = '';
  }),
  'the media type was changed after signing': replace(MANIFEST, 'text/css', 'text/htm'),
  'the hash was changed after signing': replace(MANIFEST, /"sha256": "./, '"sha256": "f'),
});
add('v f m', {
  'the manifest states another length for bytes that are known': signed((manifest) => {
    manifest.files.find(({ path }) => path === 'economy/large.bin')!.bytes = 8e15;
  }),
  'the manifest states another hash': signed((manifest) => {
    manifest.files[0]!.sha256 = '0'.repeat(64);
  }),
});
for (const [what, path, by] of [
  ['a step to a parent folder', '../outside', 'v f m p'],
  ['a step to a parent folder in its middle', 'economy/../../outside', 'v f m p'],
  ['a path from the root', '/etc/cron.d/outside', 'v f m p'],
  ['a NUL', 'economy/a\0b', 'v f m p'],
  ['a backslash', 'economy\\..\\outside', 'v f m p'],
  ['a percent sign', 'economy/%2e%2e/outside', 'v f m p'],
  ['an empty name', 'economy//outside', 'v f m p'],
  ['a path twice', 'economy/supply', 'v f m p'],
  ['the manifest itself', 'manifest.json', 'v f m p'],
  ['a file of the log', 'log/checkpoint', 'v f m p'],
  ['a file of the log, in capitals', 'Log/checkpoint', 'v f m p'],
  ['the manifest in capitals', 'MANIFEST.JSON', 'v f m'],
  ['a path that differs in case alone', 'Economy/Supply', 'v f m'],
  ['a file below a file', 'economy/supply/more', 'v f m'],
  ['settings of a host', '_headers', 'v f m'],
  ['settings of a host in capitals', '_HEADERS', 'v f m'],
  ['a program of a host', '_worker.js', 'v f m'],
  ['settings of a web server', 'economy/.htaccess', 'v f m'],
] as const)
  add(by, { [`the manifest lists ${what}`]: listing(path) });

// The log.
add('v f m r', {
  'the log has another event before the second release (fork)': world(3, { line: forked(5) }),
  'another log of the same length has a release of its own': world(2, { line: forked(5) }),
  'the log is shorter': world(3, { events: (release) => Math.min(100 * release, 150) }),
});
add('v f m p r e', {
  'the log has another event before the second release, and no cosignatures': world(3, {
    line: forked(5),
    witnesses: [],
  }),
  'the log is of another ledger': world(3, { ledger: OTHER_LEDGER }),
  'all tiles of the lowest level are zero': put(
    ['log/tile/0/000', Buffer.alloc(8192)],
    ['log/tile/0/001.p/44', Buffer.alloc(1408)],
  ),
  'two tiles have changed places': swap('log/tile/0/000', 'log/tile/0/001.p/44'),
  'two hashes of a tile have changed places': ({ site }) => {
    const tile = honest(3).get('log/tile/0/000')!;
    site.set(
      'log/tile/0/000',
      Buffer.concat([tile.subarray(32, 64), tile.subarray(0, 32), tile.subarray(64)]),
    );
  },
  'a tile is cut short': cut('log/tile/0/001.p/44', 100),
  'a tile is one hash longer': put([
    'log/tile/0/001.p/44',
    Buffer.concat([honest(3).get('log/tile/0/001.p/44')!, Buffer.alloc(32)]),
  ]),
});
add('v f m p', {
  'the manifest names another ledger': signedLog((log) => {
    log.origin = 'other.example.org';
  }),
  'the manifest has a checkpoint of another root': signedLog((log) => {
    log.checkpoint = checkpoint(300, { line: forked(250) });
  }),
  'the manifest has a checkpoint that another key signed': signedLog((log) => {
    log.checkpoint = checkpoint(300, { ledger: OTHER_LEDGER });
  }),
  'the manifest has a checkpoint of a negative size': signedLog((log) => {
    log.checkpoint = note(`ledger.example.org\n-5\n${log.root_hash}\n`, LEDGER);
  }),
  'the manifest has a checkpoint with a hash of 31 bytes': signedLog((log) => {
    log.checkpoint = note(`ledger.example.org\n300\n${Buffer.alloc(31).toString('base64')}\n`, LEDGER);
  }),
  'the manifest has a root of 31 bytes': signedLog((log) => {
    log.root_hash = Buffer.alloc(31).toString('base64');
  }),
  'the manifest states fewer events than its checkpoint': signedLog((log) => {
    log.size = 299;
  }),
});
add('v f m p r', {
  'public events are cut short': cut('log/public/v1/000', 1000),
  'a public event has another salt': replaceInBundle('AAAAA', 'AAAAB'),
  'a public event has another amount': replaceInBundle('1000.500000', '1900.500000'),
  'a public event stands in another’s place': replaceInBundle(
    lineOf(100),
    lineOf(101).padEnd(lineOf(100).length),
  ),
  'the policy of public events has no types': put(['log/public/policy.json', '{"version":"1"}']),
});

// Checkpoint and witnesses.
add('v f m p', {
  'the checkpoint is that of the release before': from(2, CHECKPOINT),
});
add('v f m p r e', {
  'the checkpoint is signed by the ledger alone': witnessed(own),
  'too few witnesses cosigned': witnessed(cosigned(own, [W2])),
  'one witness cosigned twice': witnessed(cosigned(own, [W2, W2])),
  'an unknown witness cosigned in the name of a known one': witnessed(cosigned(own, [W1, STRANGE_WITNESS])),
  'witnesses cosigned another root': witnessed(
    own + cosigned(checkpoint(300, { line: forked(250) }), [W1, W2]).slice(own.length),
  ),
  'the cosignatures are those of the release before': witnessed(
    own + cosigned(checkpoint(200), [W1, W2]).slice(checkpoint(200).length),
  ),
  'a cosignature states another time than was signed': ({ site }) => {
    const [line] = /^— w101.*\n/m.exec(textAt(CHECKPOINT))!;
    const bytes = Buffer.from(line.split(' ')[2]!, 'base64');
    bytes[11]! ^= 1;
    site.set(
      CHECKPOINT,
      Buffer.from(textAt(CHECKPOINT).replace(line, `— w101.example.org ${bytes.toString('base64')}\n`)),
    );
  },
  'the cosignatures are of tomorrow': witnessed(cosigned(own, [W1, W2], NOW / 1000 + 86_400)),
  'a third witness’s cosignature does not verify': witnessed(
    cosigned(own, [W1, W2]) + cosigned(checkpoint(200), [W3]).slice(checkpoint(200).length),
  ),
  'the ledger’s signature of the checkpoint is of another text': ({ site }) => {
    const [line] = /^— ledger.*\n/m.exec(textAt(CHECKPOINT))!;
    const [other] = /^— ledger.*\n/m.exec(checkpoint(200))!;
    site.set(CHECKPOINT, Buffer.from(textAt(CHECKPOINT).replace(line, other)));
  },
  'the ledger’s signature of the checkpoint has been stripped': ({ site }) => {
    site.set(CHECKPOINT, Buffer.from(textAt(CHECKPOINT).replace(/^— ledger.*\n/m, '')));
  },
  'the checkpoint is no note': put([CHECKPOINT, 'no note']),
});

// Snapshots.
add('v f m', {
  'the snapshot list is that of the release before': from(2, LIST, LIST_SIGNATURE),
  'the whole snapshot list is signed as that of the release before': put(...signedList(textAt(LIST), 2)),
  'the snapshot list has another signature': put(...signedList(textAt(LIST), 3, [STRANGER])),
  'the signature of the snapshot list is of another text': put([
    LIST_SIGNATURE,
    textAt(LIST_SIGNATURE, 2).replace('/v1\n2\n', '/v1\n3\n'),
  ]),
  'the signature of the manifest stands for that of the list': put([LIST_SIGNATURE, textAt(SIGNATURE)]),
  'a snapshot was left out of the list': put([LIST, pretty(JSON.parse(textAt(LIST)).slice(1))]),
  'a snapshot was left out of the list, with blanks in its place': put([
    LIST,
    pretty(JSON.parse(textAt(LIST)).toSpliced(1, 1))
      .trimEnd()
      .padEnd(textAt(LIST).length),
  ]),
  'a list without the snapshot of its release was signed': list((entries) => entries.shift()),
  'a list of gigabytes was signed': put([
    LIST_SIGNATURE,
    note(`cathedral-snapshots/v1\n3\n${'0'.repeat(64)}\n5000000000\n`, PUBLISHER),
  ]),
  'the list is oldest first': list((entries) => entries.reverse()),
  'the list has another hash for an old snapshot': list(([, second]) => {
    second!.index.sha256 = '0'.repeat(64);
  }),
  'the list states a snapshot of events that the log does not have': list(([newest, second]) => {
    newest!.root_hash = second!.root_hash;
  }),
  'the list states a snapshot of more events than the log': list(([newest]) => {
    newest!.log_size = 301;
  }),
  'the list has a snapshot at the address of a file': list(([newest]) => {
    newest!.index.path = 'economy/supply';
  }),
  'a snapshot states another release': replace(`${NEWEST}/index.json`, 'release-3', 'release-4'),
  'a snapshot agrees with its list, but not with what was signed': (host) => {
    const forgery = Buffer.from('{"events":999}');
    const snapshot = JSON.parse(textAt(`${NEWEST}/index.json`));
    const file = snapshot.files.find(({ path }: { path: string }) => path === 'economy/supply');
    Object.assign(file, { sha256: hex(forgery), bytes: forgery.length });
    const index = pretty(snapshot);
    list(([newest]) => {
      Object.assign(newest!.index, { sha256: hex(index), bytes: Buffer.byteLength(index) });
    })(host);
    put([`${NEWEST}/index.json`, index], [`${NEWEST}/economy/supply`, forgery])(host);
  },
});
add('v f', {
  'a snapshot is another’s': put([`${SECOND}/index.json`, textAt(`${OLDEST}/index.json`)]),
});
add('f', {
  'an unlisted snapshot that nobody signed': put([
    `snapshots/2025-11-01T00Z/index.json`,
    textAt(`${OLDEST}/index.json`),
  ]),
});

// The protocol.
const to =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end();
const ranged =
  (how: Answer): Answer =>
  (response, request, bytes) =>
    request.headers.range ? how(response, request, bytes) : serve(response, request, bytes);
/** It has the right bytes. */
const toAnotherHost: Answer = (response, request, bytes) => {
  const { host = '' } = request.headers;
  if (host.startsWith('localhost:')) return serve(response, request, bytes);
  return to(`http://${host.replace('127.0.0.1', 'localhost')}${request.url}`)(response, request, bytes);
};
overHttp('v m', {
  'a file redirects to another host': answer('index.html', toAnotherHost),
  'a file redirects to itself': answer('index.html', to('/index.html')),
  'a file fails': answer('index.html', (response) => response.writeHead(500).end('no')),
  'a file comes compressed though nobody asked': answer('index.html', (response, _, bytes) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes!)),
  ),
  'a file ends before the length that its headers state': answer('index.html', (response, _, bytes) => {
    response.writeHead(200, { 'content-length': bytes!.length });
    response.write(bytes!.subarray(0, 10));
    setImmediate(() => response.destroy());
  }),
  'the answers of the service are newer, but it is none': answer('economy/supply', (response) =>
    response.end('{"timestamp":"2025-12-03T12:00:00Z","events":301}'),
  ),
  'a part is of another place than was asked for': answer(
    HISTORY,
    ranged((response, _, bytes) => {
      const part = bytes!.subarray(7, 107);
      response.writeHead(206, { 'content-range': `bytes 7-106/${bytes!.length}` }).end(part);
    }),
  ),
});
overHttp('v m p', {
  'the release redirects to another host': answer(LATEST, to('http://127.0.0.1:9/latest.json')),
  'the release is refused': answer(LATEST, (response) => response.writeHead(403).end('no')),
});
overHttp('v m r e', {
  'a tile comes compressed though nobody asked': answer('log/tile/0/000', (response, _, bytes) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes!)),
  ),
});
for (const path of [
  LATEST,
  MANIFEST,
  SIGNATURE,
  'economy/supply',
  'log/tile/0/001.p/44',
  CHECKPOINT,
  LIST,
  LIST_SIGNATURE,
  `${NEWEST}/index.json`,
])
  overHttp(readersOf(path), { [`/${path} never ends`]: answer(path, (response) => pour(response)) });
function readersOf(path: string): string {
  return KINDS.find(([name]) => name === path)?.[1].replace('f ', '') ?? 'v m';
}
overHttp('v', {
  'a part that was asked for has other bytes': answer(
    HISTORY,
    ranged((response, request, bytes) => serve(response, request, Buffer.from(bytes!).fill('x'))),
  ),
  'a part never ends': answer(
    HISTORY,
    ranged((response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-999999999/1000000000' });
      pour(response);
    }),
  ),
});
overHttp('', {
  'in place of a part comes the whole': answer(
    HISTORY,
    ranged((response, _, bytes) => response.end(bytes)),
  ),
});
