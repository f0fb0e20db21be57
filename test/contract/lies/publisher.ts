/**
 * A small publisher, written from docs/releases.md, docs/log.md and docs/witnesses.md. It uses nothing of the product, so that a mistake
 * which writer and reader of the product share is found.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** What a host serves, by path. */
export type Site = Map<string, Buffer>;

export interface Key {
  /** `name+id+base64` as in docs/verification.md. */
  verifier: string;
  /** A line of a note; a witness's line states the time, in seconds since 1970. */
  line(text: string, time?: number): string;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519 = 1;
const COSIGNATURE = 4;

function keyOf(name: string, type: typeof ED25519 | typeof COSIGNATURE, seed: number): Key {
  const key = Buffer.concat([PKCS8, Buffer.alloc(32, seed)]);
  const secret = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(secret).export({ format: 'jwk' });
  const typed = Buffer.concat([Buffer.of(type), Buffer.from(x!, 'base64url')]);
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4);
  return {
    verifier: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    line(text, time = 0) {
      const message = type === ED25519 ? text : `cosignature/v1\ntime ${time}\n${text}`;
      const at = Buffer.alloc(type === ED25519 ? 0 : 8);
      if (type === COSIGNATURE) at.writeBigUInt64BE(BigInt(time));
      const signature = sign(null, Buffer.from(message), secret);
      return `— ${name} ${Buffer.concat([id, at, signature]).toString('base64')}\n`;
    },
  };
}

export const PUBLISHER = keyOf('data.example.org', ED25519, 1);
export const NEXT_PUBLISHER = keyOf('data.example.org', ED25519, 2);
export const STRANGER = keyOf('data.example.org', ED25519, 3);
export const LEDGER = keyOf('ledger.example.org', ED25519, 4);
export const OTHER_LEDGER = keyOf('ledger.example.org', ED25519, 5);
export const WITNESSES = [101, 102, 103].map((seed) => keyOf(`w${seed}.example.org`, COSIGNATURE, seed));
export const STRANGE_WITNESS = keyOf('w101.example.org', COSIGNATURE, 104);

/** Any two of the three witnesses. */
export const POLICY = `log ${LEDGER.verifier}
${WITNESSES.map(({ verifier }, at) => `witness W${at + 1} ${verifier}\n`).join('')}group two-of-three 2 W1 W2 W3
quorum two-of-three
`;

/** `text` ends with a line end. */
export const note = (text: string, ...keys: readonly Key[]) =>
  `${text}\n${keys.map((key) => key.line(text)).join('')}`;
export const textOf = (signed: string) => signed.slice(0, signed.indexOf('\n\n') + 1);

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
export const hex = (bytes: string | Uint8Array) => sha256(bytes).toString('hex');

/** RFC 6962 §2.1. */
export const leafHash = (line: string) => sha256('\0', line);
export function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256('\x01', treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}
/** The path of a leaf to the root, §2.1.1. */
function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...pathOf(index, left), treeHash(right)]
    : [...pathOf(index - split, right), treeHash(left)];
}

/** The time of the first release; each later one follows six hours after, with 100 events more. */
export const BEGIN = Date.UTC(2025, 11, 1, 12);
const SLOT_MS = 6 * 3_600_000;
const EVENTS = 100;
const timeOf = (release: number) => new Date(BEGIN + (release - 1) * SLOT_MS).toISOString();
export const idOf = (release: number) => `${timeOf(release).slice(0, 13)}Z`;

/** What makes another publisher, or the same one in another world. */
export interface World {
  publishers?: readonly Key[];
  ledger?: Key;
  /** The line of an event. */
  line?: (index: number) => string;
  /** Of a release. */
  events?: (release: number) => number;
  /** Witnesses of the newest checkpoint. */
  witnesses?: readonly Key[];
  /** Changes the files of a release before they are listed. */
  files?: (files: Site, release: number) => void;
}

/** Mints, and heartbeats that stay hashes. */
export function lineOf(index: number): string {
  const head = `{"seq":${index},"timestamp":"${eventTime(index)}","cycle":"C-1"`;
  const salt = `"salt":"${Buffer.alloc(16, index % 251).toString('base64url')}"}`;
  if (index % 3 === 2) return `${head},"type":"heartbeat","agent":"ATLAS","data":{},${salt}`;
  const data = `{"sentinel":"ATLAS","cathedral":"FOR-ECONOMISTS","coordination_score":61.5,"multiplier":1.5,"amount":"${amountOf(index)}"}`;
  return `${head},"type":"mic_mint","agent":"LEDGER","data":${data},${salt}`;
}
const isPublic = (index: number) => index % 3 !== 2;
const amountOf = (index: number) => `${900 + index}.500000`;
/** 216 seconds apart, so a hundred in six hours. */
const eventTime = (index: number) =>
  `${new Date(BEGIN - SLOT_MS + (index + 1) * 216_000).toISOString().slice(0, 19)}Z`;
/** As in economy/mic-history.csv. */
export const rowOf = (index: number) =>
  `${eventTime(index)},C-1,ATLAS,${amountOf(index)},FOR-ECONOMISTS,61.5`;
const HEADER = 'timestamp,cycle,sentinel,amount,cathedral,coordination_score\n';

const MEMBERS = ['sentinel', 'cathedral', 'coordination_score', 'multiplier', 'amount'];
const DECISIONS = {
  version: 1,
  types: { mic_mint: { public: true, members: MEMBERS, reason: 'mic-history.csv shows each mint.' } },
};

const sizeOf = ({ events = (release) => EVENTS * release }: World, release: number) => events(release);

/** The checkpoint of the first events, as the ledger signs it. */
export function checkpoint(size: number, { line = lineOf, ledger = LEDGER }: World = {}): string {
  return note(`ledger.example.org\n${size}\n${rootOf(size, line).toString('base64')}\n`, ledger);
}
const roots = new WeakMap<World['line'] & object, Map<number, Buffer>>();
function rootOf(size: number, line: (index: number) => string): Buffer {
  const known = roots.get(line) ?? new Map<number, Buffer>();
  roots.set(line, known);
  if (!known.has(size)) known.set(size, treeHash(leavesOf(size, line)));
  return known.get(size)!;
}
const leavesOf = (size: number, line: (index: number) => string) =>
  Array.from({ length: size }, (_, index) => leafHash(line(index)));

/** The age of the cosignatures, in seconds. */
const AGE = 300;
export const cosigned = (signed: string, witnesses: readonly Key[], now = NOW / 1000 - AGE) =>
  signed + witnesses.map((witness) => witness.line(textOf(signed), now)).join('');
/** An hour after the third release. */
export const NOW = BEGIN + 2 * SLOT_MS + 3_600_000;

/** A proof of one event as in c2sp.org/tlog-proof. */
export function proofOf(index: number, signed: string, size: number, line = lineOf): string {
  const path = pathOf(index, leavesOf(size, line)).map((hash) => `${hash.toString('base64')}\n`);
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.join('')}\n${signed}`;
}

/** Tiles, public events and checkpoint of a log, with the partial tiles of the earlier releases. */
function logFiles(world: World, release: number): Site {
  const { line = lineOf, witnesses = WITNESSES.slice(0, 2) } = world;
  const site: Site = new Map();
  const all = leavesOf(sizeOf(world, release), line);
  for (let before = 1; before <= release; before += 1) {
    const leaves = all.slice(0, sizeOf(world, before));
    let hashes: readonly Buffer[] = leaves;
    for (let level = 0; hashes.length > 0; level += 1) {
      for (let tile = 0; tile * 256 < hashes.length; tile += 1) {
        const part = hashes.slice(tile * 256, tile * 256 + 256);
        const name = `${`${tile}`.padStart(3, '0')}${part.length < 256 ? `.p/${part.length}` : ''}`;
        site.set(`log/tile/${level}/${name}`, Buffer.concat(part));
        if (level > 0) continue;
        const lines = part.map((_, at) => (isPublic(tile * 256 + at) ? line(tile * 256 + at) : ''));
        site.set(`log/public/v1/${name}`, Buffer.concat(lines.map(entryOf)));
      }
      const below = hashes;
      hashes = Array.from({ length: Math.floor(below.length / 256) }, (_, at) =>
        treeHash(below.slice(at * 256, at * 256 + 256)),
      );
    }
  }
  for (const [path] of site)
    if (path.includes('.p/') && site.has(path.replace(/\.p\/\d+$/, ''))) site.delete(path);
  site.set('log/public/policy.json', Buffer.from(JSON.stringify(DECISIONS)));
  site.set('log/checkpoint', Buffer.from(cosigned(checkpoint(all.length, world), witnesses)));
  return site;
}
function entryOf(line: string): Buffer {
  const bytes = Buffer.from(line);
  return Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 255), bytes]);
}

/** One never changes, one does, one only grows at its beginning, two have the same bytes. */
function dataFiles(world: World, release: number): Site {
  const events = sizeOf(world, release);
  const days = new Map<string, { date: string; first: number; end: number; bundles: object[] }>();
  const rows: string[] = [];
  for (let index = 0; index < events; index += 1) {
    const [date, from] = eventTime(index).split('T') as [string, string];
    const day = days.get(date) ?? { date, first: index, end: index, bundles: [] };
    days.set(date, day);
    day.end = index + 1;
    if (!isPublic(index)) continue;
    rows.push(`${rowOf(index)}\n`);
    const bundle = Math.floor(index / 256);
    if (!day.bundles.some((one) => (one as { bundle: number }).bundle === bundle))
      day.bundles.push({ bundle, from, types: ['mic_mint'] });
  }
  const texts = {
    '_astro/site.d41d8cd9.css': 'body { margin: 0 }',
    'economy/large.bin': Array.from({ length: 400 }, (_, at) => hex(`${at}`)).join(''),
    'economy/mic-history.csv': HEADER + rows.toReversed().join(''),
    'economy/supply': `{"events":${events}}`,
    'events/days/2025-12.json': `${JSON.stringify({ month: '2025-12', version: 1, days: [...days.values()] })}\n`,
    'index.html': `<!doctype html><title>Release ${release}</title>`,
    'philosophy/also-the-same': 'of no length in time',
    'philosophy/empty.txt': '',
    'philosophy/same': 'of no length in time',
  };
  const files = new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));
  world.files?.(files, release);
  return files;
}

const mediaType = (path: string) =>
  ({ css: 'text/css', csv: 'text/csv', html: 'text/html' })[path.split('.').at(-1)!] ?? 'application/json';
const aboutBytes = (bytes: Buffer) => ({ sha256: hex(bytes), bytes: bytes.length });
export const pretty = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

export interface Manifest {
  keys: string[];
  log: { origin: string; size: number; root_hash: string; checkpoint: string };
  files: { path: string; sha256: string; bytes: number; media_type: string; last_modified: string }[];
  [member: string]: unknown;
}

export function manifestOf(world: World, release: number): Manifest {
  const { publishers = [PUBLISHER], line = lineOf } = world;
  const size = sizeOf(world, release);
  const as_of = timeOf(release);
  const files = [...dataFiles(world, release)].map(([path, bytes]) => ({
    path,
    ...aboutBytes(bytes),
    media_type: mediaType(path),
    last_modified: as_of,
  }));
  return {
    schema_version: '1.0.0',
    publisher: 'data.example.org',
    keys: publishers.map(({ verifier }) => verifier),
    version: release,
    release: `release-${release}`,
    snapshot: idOf(release),
    as_of,
    expires: new Date(Date.parse(as_of) + 48 * 3_600_000).toISOString(),
    log: {
      origin: 'ledger.example.org',
      size,
      root_hash: rootOf(size, line).toString('base64'),
      checkpoint: checkpoint(size, world),
    },
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** The three files that prove a release with this manifest, in `text` or as JSON. */
export function proofs(manifest: Manifest, publishers = [PUBLISHER], text = pretty(manifest)): Site {
  const { version, release, snapshot, as_of, expires, log } = manifest;
  const { sha256: hash, bytes } = aboutBytes(Buffer.from(text));
  const signed = note(`cathedral-manifest/v1\n${version}\n${hash}\n${bytes}\n`, ...publishers);
  const { size, root_hash } = log;
  const about = { version, release, snapshot, as_of, expires };
  const manifestAt = { path: 'manifest.json', sha256: hash, bytes };
  return new Map([
    ['manifest.json', Buffer.from(text)],
    ['manifest.json.sig', Buffer.from(signed)],
    ['latest.json', Buffer.from(pretty({ ...about, manifest: manifestAt, log: { size, root_hash } }))],
  ]);
}

/** A snapshot list with its signature. */
export function signedList(list: string, version: number, publishers = [PUBLISHER]): Site {
  const { sha256: hash, bytes } = aboutBytes(Buffer.from(list));
  const text = `cathedral-snapshots/v1\n${version}\n${hash}\n${bytes}\n`;
  return new Map([
    ['snapshots/index.json', Buffer.from(list)],
    ['snapshots/index.json.sig', Buffer.from(note(text, ...publishers))],
  ]);
}

export interface ListEntry {
  id: string;
  log_size: number;
  root_hash: string;
  index: { path: string; sha256: string; bytes: number };
  [member: string]: unknown;
}

/** The snapshot of a release: a stored file, the proofs, and a history as the end of the current one. */
function snapshotFiles(world: World, release: number): Site {
  const site: Site = new Map();
  const [id, files] = [idOf(release), dataFiles(world, release)];
  const store = (path: string, bytes: Buffer) => {
    const url = `snapshots/${id}/${path}`;
    site.set(url, bytes);
    return { path, ...aboutBytes(bytes), media_type: mediaType(path), url };
  };
  const history = files.get('economy/mic-history.csv')!;
  const { log, as_of, ...manifest } = manifestOf(world, release);
  const signed = proofs({ log, as_of, ...manifest }, [...(world.publishers ?? [PUBLISHER])]);
  const snapshot = {
    schema_version: '1.0.0',
    id,
    release: `release-${release}`,
    software: 'a small publisher 1.0.0',
    as_of,
    log: { origin: log.origin, size: log.size, root_hash: log.root_hash },
    files: [
      {
        path: 'economy/mic-history.csv',
        ...aboutBytes(history),
        media_type: 'text/csv',
        head: HEADER,
        range: { of: 'economy/mic-history.csv', last: history.length - HEADER.length },
      },
      store('economy/supply', files.get('economy/supply')!),
      ...['manifest.json', 'manifest.json.sig'].map((path) => store(path, signed.get(path)!)),
    ],
  };
  site.set(`snapshots/${id}/index.json`, Buffer.from(pretty(snapshot)));
  return site;
}

/** Everything that a host has after the n-th release. A pure function. */
export function siteOf(release: number, world: World = {}): Site {
  const publishers = [...(world.publishers ?? [PUBLISHER])];
  const manifest = manifestOf(world, release);
  const site: Site = new Map([...dataFiles(world, release), ...logFiles(world, release)]);
  const entries: ListEntry[] = [];
  for (let before = release; before >= 1; before -= 1) {
    const files = snapshotFiles(world, before);
    for (const [path, bytes] of files) site.set(path, bytes);
    const path = `snapshots/${idOf(before)}/index.json`;
    const { size, root_hash } = manifestOf(world, before).log;
    entries.push({
      id: idOf(before),
      release: `release-${before}`,
      as_of: timeOf(before),
      log_size: size,
      root_hash,
      index: { path, ...aboutBytes(files.get(path)!) },
    });
  }
  return new Map([
    ...site,
    ...signedList(pretty(entries), release, publishers),
    ...proofs(manifest, publishers),
  ]);
}
