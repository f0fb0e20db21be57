import { createPrivateKey, createPublicKey, hash, type KeyObject, sign as signBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useFolder } from '../setups/use-folder.ts';
import { runWords } from './commands/seam.ts';
import { checkSession } from './commands/session.ts';

const FOLDER = join(import.meta.dirname, 'attestation');
/** A session is one test, of many commands. */
const PATIENCE = 600_000;

test('life-cycle.session.txt', () => checkSession(join(FOLDER, 'life-cycle.session.txt')), PATIENCE);

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const JUSTIFICATION = {
  values: ['transparency', 'subsidiarity'],
  reasoning: 'The office needs the export for the report that the charter asks for.',
  anchors: [
    { type: 'policy', source: 'Charter, article 4', confidence: 0.9 },
    { type: 'practice', source: 'Report of 2024', confidence: 0.75 },
  ],
};

const UNSIGNED = {
  version: '1.0.0',
  ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b',
  // That of the worked example: over another request it is by some other address.
  wallet_signature:
    '0x9dd032ab957ed8ab0838653fc224a0de400045874b2d74c9125608831cff6c272841f7b5da45ec9151a14da610530e553d74fe7f8b911b8fb42ac014dd4702f51c',
  epicon_ej_hash: `sha256:${hash('sha256', canonical(JUSTIFICATION))}`,
  epicon_ej: JUSTIFICATION,
  scope: ['ledger.read.export', 'audit.trail.annotate'],
  expires_at: '2026-02-28T06:00:00Z',
  risk_level: 'medium',
  attested_by: 'LANTERN',
  attested_at: '2025-12-01T06:00:00Z',
  signature_algorithm: 'ed25519',
  drift_monitoring: { enabled: true, threshold: 0.2, check_interval: 'PT12H' },
} satisfies Json;

/** RFC 8785, for values without numbers that JavaScript writes in another way. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name]!)}`)}}`;
}

function ed25519(name: string): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = Buffer.concat([prefix, hash('sha256', name, 'buffer')]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
const rawKey = (key: KeyObject) =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

/** That of docs/attestations.md. */
const COMPASS_KEY = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgAPbCdyl/qWV+YdpFVZ6a
6LW/2a+Sv+s5dNX0u26Njl6hRANCAASq+7HyK+9ZH+jy8qWXWpsPxxqK7cLBcsIw
7iTC2u+oZgG0wRyhsgxZjHEtina4zufeI97ciMDmn5eNgVp9oHvt
-----END PRIVATE KEY-----`);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** What the companion signs: the line that says what it is, and the document. */
const message = (document: Json) => `companion-attestation/1.0.0\n${canonical(document)}`;

/** The signature of 64 bytes, with s in the lower or the upper half of the order. */
function ecdsa(text: string, half: 'low' | 'high'): Buffer {
  const signature = signBytes('sha256', Buffer.from(text), { key: COMPASS_KEY, dsaEncoding: 'ieee-p1363' });
  const s = BigInt(`0x${signature.toString('hex', 32)}`);
  const isHigh = s > ORDER / 2n;
  const wanted = isHigh === (half === 'high') ? s : ORDER - s;
  signature.write(wanted.toString(16).padStart(64, '0'), 32, 'hex');
  return signature;
}

/** Who signs, with the members that follow from it, and how. */
const SIGNERS: Record<string, [members: { [name: string]: Json }, sign: (document: Json) => Buffer]> = {
  LANTERN: [{}, (document) => signBytes(null, Buffer.from(message(document)), ed25519('LANTERN'))],
  RETIRED: [
    { attested_by: 'RETIRED' },
    (document) => signBytes(null, Buffer.from(message(document)), ed25519('RETIRED')),
  ],
  COMPASS: [
    { attested_by: 'COMPASS', signature_algorithm: 'ecdsa-secp256k1' },
    (document) => ecdsa(message(document), 'low'),
  ],
  HIGH: [{}, (document) => ecdsa(message(document), 'high')],
  STRANGER: [{}, (document) => signBytes(null, Buffer.from(message(document)), ed25519('STRANGER'))],
  BARE: [{}, (document) => signBytes(null, Buffer.from(canonical(document)), ed25519('LANTERN'))],
};

const key = (algorithm: string, public_key: string, valid_until = '2026-07-03T00:00:00Z') => ({
  keys: [{ algorithm, public_key, valid_from: '2025-07-03T00:00:00Z', valid_until }],
});
const COMPANIONS = {
  companions: [
    { companion: 'LANTERN', ...key('ed25519', rawKey(ed25519('LANTERN'))) },
    { companion: 'RETIRED', ...key('ed25519', rawKey(ed25519('RETIRED')), '2025-12-01T06:00:00Z') },
    {
      companion: 'COMPASS',
      ...key('ecdsa-secp256k1', '03aafbb1f22bef591fe8f2f2a5975a9b0fc71a8aedc2c172c230ee24c2daefa866'),
    },
    {
      companion: 'EXAMPLE',
      ...key('ed25519', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
    },
  ],
  wallets: [
    {
      ledger_id: '11111111-1111-4111-8111-111111111111',
      address: '0x2C7536E3605D9C16A7A3D7B1898E529396A65C23',
    },
  ],
};

type Members = { [name: string]: Json };

interface Row {
  name: string;
  lines: string[];
  text: string;
  id: string;
  at: string;
  /** What it is signed with; empty for a text that is no document. */
  members: Members;
}

const members = (text: string) => JSON.parse(text) as Members;

/** With its changes; null leaves a member out. */
function changed(whole: Members, changes: Members): Members {
  const all = { ...whole, ...changes };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** `## name` and the lines that say what is done. */
function rowsOf(table: string): Row[] {
  const ids = new Map<string, string>();
  return table
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...rest] = part.split('\n');
      const lines = rest
        .filter((line) => /^(sign|then|text|register|taken|event|drift|revoke|at)\b/.test(line))
        .map((line) => line.replace(/\{uuid of (.*?)\}/g, (_, other) => uuidOf(ids.get(other)!)))
        .map((line) =>
          line.replace(/\{UUID of (.*?)\}/g, (_, other) => uuidOf(ids.get(other)!).toUpperCase()),
        );
      const words = (word: string) =>
        lines.find((line) => line.split(' ')[0] === word)?.slice(word.length + 1);
      const at = words('at') ?? '2025-12-01T12:00:00Z';
      const signing = words('sign');
      if (signing === undefined) return { name, lines, text: words('text')!, id: '', at, members: {} };
      const [signer = '', changes] = signing.split(/ (.*)/s);
      const [own, sign] = SIGNERS[signer]!;
      // The name tells documents apart.
      const metadata = { request_context: name };
      const document = changed({ ...UNSIGNED, metadata, ...own }, members(changes!));
      const signature = sign(document).toString('base64');
      const whole = changed({ ...document, signature }, members(words('then') ?? '{}'));
      const { signature: _, ...signed } = whole;
      const id = hash('sha256', message(signed));
      ids.set(name, id);
      return { name, lines, text: JSON.stringify(whole), id, at, members: document };
    });
}

/** That of version 8 (RFC 9562) with the first bits of the id. */
function uuidOf(id: string): string {
  const bytes = Buffer.from(id.slice(0, 32), 'hex');
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

interface Verdict {
  valid: boolean;
  summary: string;
  status: string;
  id: string | null;
  problems: { code: string; pointer: string; message: string }[];
  warnings: { code: string; pointer: string; message: string }[];
}

const folder = useFolder();
const inFolder = (name: string) => join(folder, name);
const TABLE = join(FOLDER, 'verdicts.txt');
const table = readFileSync(TABLE, 'utf8');
const rows = rowsOf(table);
const LEDGER = ['--ledger', inFolder('ledger')];
const TRUST = ['--companions', inFolder('companions.json')];
const stopping = new AbortController();
let served: Promise<unknown> = Promise.resolve();
let url = '';

function run(words: readonly string[], at: string) {
  const now = () => Date.parse(at);
  return runWords(words, {}, { now, isTTY: false });
}
const done = async (words: readonly string[], at: string) => {
  const { status, stdout, stderr } = await run(words, at);
  expect(status, `${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
};

beforeAll(async () => {
  writeFileSync(inFolder('companions.json'), JSON.stringify(COMPANIONS));
  const start = '2025-12-01T07:00:00Z';
  const organisation = ['--organisation-name=Northby', '--organisation-contact=a@northby.example'];
  await done(
    ['ledger', 'init', ...LEDGER, '--origin=l.example', '--from=2025-12-01T00:00:00Z', ...organisation],
    start,
  );
  for (const [at, row] of rows.entries()) {
    writeFileSync(inFolder(`${at}.json`), row.text);
    for (const line of row.lines) await inLedger(line, row, inFolder(`${at}.json`));
  }
  // What the ledger knows ends with its last event: only until then can a drift check be late.
  writeFileSync(inFolder('last.ndjson'), '{"type":"note","agent":"LEDGER","data":{}}\n');
  await done(['ledger', 'append', inFolder('last.ndjson'), ...LEDGER], '2025-12-01T11:59:00Z');
  await done(['ledger', 'seal', ...LEDGER], '2025-12-01T12:00:00Z');
  const publishing = ['--out', inFolder('out'), '--publisher-key', inFolder('publisher.key')];
  await done(
    ['build', ...LEDGER, ...TRUST, ...publishing, '--without-site', '--base-url=https://data.example.org'],
    '2025-12-01T12:00:00Z',
  );
  // The server goes by the clock of the machine.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2025-12-01T12:00:00Z') });
  const stores = [`--store=${inFolder('stores')}`];
  url = await new Promise((ready) => {
    const words = [
      'serve',
      '--out',
      inFolder('out'),
      '--port=0',
      ...LEDGER,
      ...TRUST,
      ...stores,
      '--trusted-proxies=127.0.0.1',
    ];
    let text = '';
    const printed = (more: string) => {
      text += more;
      const [address] = /http:\/\/\S+:\d+/.exec(text) ?? [];
      if (address) ready(address);
    };
    served = runWords(words, {}, { isTTY: false, stop: stopping.signal, printed }).then((answer) =>
      ready(`${answer.stderr}`),
    );
  });
}, PATIENCE);

afterAll(async () => {
  stopping.abort();
  await served;
  vi.useRealTimers();
});

let clients = 0;

/** From an address of its own each time, so that no quota is used up. */
function ask(path: string, options: RequestInit = {}): Promise<Response> {
  clients += 1;
  const client = `203.0.${Math.floor(clients / 250)}.${clients % 250}`;
  return fetch(url + path, { ...options, headers: { ...options.headers, 'x-forwarded-for': client } });
}

/** The event with which a ledger takes the document, with changes of what it says. */
function takenEvent({ id, members: document }: Row, changes: string) {
  const { attested_by, drift_monitoring, metadata, ...rest } = document as Record<string, Members>;
  const { enabled, threshold, check_interval } = {
    threshold: 0.1,
    check_interval: 'P1D',
    ...drift_monitoring,
  } as Members;
  const monitored = {
    drift_threshold: enabled === false ? null : threshold!,
    check_interval: check_interval!,
  };
  const { ledger_id, scope, risk_level, expires_at } = rest as Members;
  const said = { ledger_id, scope, risk_level, expires_at } as Members;
  const { previous_attestation = null } = metadata!;
  const data = { attestation: id, companion: attested_by!, ...said, ...monitored, previous_attestation };
  return { type: 'companion_attested', agent: attested_by, data: changed(data, members(changes)) };
}

/** Before noon, when the ledger ends. */
const MORNING = '2025-12-01T08:00:00Z';

async function inLedger(line: string, row: Row, file: string): Promise<void> {
  const { id } = row;
  const [word = '', rest = ''] = line.split(/ (.*)/s);
  const append = async (event: string) => {
    writeFileSync(inFolder('event.ndjson'), `${event}\n`);
    await done(['ledger', 'append', inFolder('event.ndjson'), ...LEDGER], MORNING);
  };
  if (word === 'register')
    await done(['attest', 'register', '--file', file, ...TRUST, ...LEDGER], '2025-12-01T07:00:00Z');
  if (word === 'drift') await done(['attest', 'drift', id, rest, ...LEDGER], MORNING);
  if (word === 'revoke') await done(['attest', 'revoke', id, '--reason', rest, ...LEDGER], MORNING);
  if (word === 'event') await append(rest.replace('{id}', id).replace('{uuid}', uuidOf(id)));
  if (word !== 'taken') return;
  const [, timestamp, changes = ''] = /^(?:(\d\S*) )?(.*)$/s.exec(rest)!;
  const event = takenEvent(row, changes.replace('{uuid}', uuidOf(id)));
  await append(JSON.stringify({ ...(timestamp && { timestamp }), ...event }));
}

/** The table with the verdicts that `told` gives. */
async function withVerdicts(told: (row: Row, at: number) => Promise<Verdict>): Promise<string> {
  const parts = table.split(/^(?=## )/m);
  const head = parts.shift();
  const filled: string[] = [];
  for (const [at, part] of parts.entries()) {
    const lines = part.split('\n');
    const own = lines.filter((line) => !line.startsWith('  '));
    const last = own.findLastIndex((line) => /^(## |[a-z])/.test(line));
    own.splice(last + 1, 0, ...formatVerdict(await told(rows[at]!, at)));
    filled.push(own.join('\n'));
  }
  return [head, ...filled].join('');
}

function formatVerdict({ valid, status, summary, problems, warnings }: Verdict): string[] {
  const places = (list: Verdict['problems'], what: string) =>
    list.map(({ code, pointer, message }) => `  ${what} ${code} at ${pointer || 'the document'}: ${message}`);
  return [
    `  ${valid ? 'valid' : 'not valid'}, ${status}: ${summary}`,
    ...places(problems, 'because'),
    ...places(warnings, 'warning'),
  ];
}

/** What `attest verify` says of each document, knowing what `known` names. */
async function verdictsWith(...known: string[]): Promise<string> {
  const verdicts = new Map<number, Verdict>();
  for (const time of new Set(rows.map(({ at }) => at))) {
    const own = [...rows.keys()].filter((at) => rows[at]!.at === time);
    const files = own.map((at) => inFolder(`${at}.json`)).join(',');
    const { status, stdout } = await run(['attest', 'verify', '--file', files, ...known, '--json'], time);
    const told = JSON.parse(stdout) as Verdict[];
    expect([time, status]).toEqual([time, told.every(({ valid }) => valid) ? 0 : 1]);
    for (const [n, at] of own.entries()) verdicts.set(at, told[n]!);
  }
  return withVerdicts(async (row, at) => {
    const verdict = verdicts.get(at)!;
    // The id follows from the signed bytes alone.
    if (verdict.id !== null && row.id) expect(verdict.id).toBe(row.id);
    return verdict;
  });
}

test('`attest verify` says of each document what the table says', async () => {
  const actual = await verdictsWith(...TRUST, ...LEDGER);
  if (process.env.GOLDEN === 'write') writeFileSync(TABLE, actual);
  else expect(actual).toBe(table);
});

test('and so it does by what the service publishes of companions, without a ledger', async () => {
  const published = inFolder('out/current/public/philosophy/companions.json');
  expect(await verdictsWith('--companions', published)).toBe(readFileSync(TABLE, 'utf8'));
});

const post = (body: string, type = 'application/json') =>
  ask('/attestations/verify', { method: 'POST', headers: { 'content-type': type }, body });

test('POST /attestations/verify says the same, and stores nothing', async () => {
  const actual = await withVerdicts(async (row) => {
    vi.setSystemTime(Date.parse(row.at));
    const answer = await post(row.text);
    expect([row.name, answer.status]).toEqual([row.name, 200]);
    return (await answer.json()) as Verdict;
  });
  expect(actual).toBe(readFileSync(TABLE, 'utf8'));
});

test('GET /attestations/{id}/status says what `attest status` says', async () => {
  vi.setSystemTime(Date.parse('2025-12-01T12:00:00Z'));
  let known = 0;
  for (const { id, lines } of rows.filter(({ id }) => id)) {
    const answer = await ask(`/attestations/${id}/status`);
    const { stdout } = await run(['attest', 'status', id, ...LEDGER, '--json'], '2025-12-01T12:00:00Z');
    expect([id, answer.status]).toEqual([id, stdout === '' ? 404 : 200]);
    if (lines.some((line) => /^(register|revoke)/.test(line))) expect([id, stdout]).not.toEqual([id, '']);
    if (stdout === '') continue;
    known += 1;
    const { ended_by: _, ...told } = JSON.parse(stdout);
    const { as_of: __, ...answered } = (await answer.json()) as Record<string, unknown>;
    expect(answered).toEqual(told);
  }
  expect(known).toBeGreaterThan(10);
});

test('what is not a document of at most 64 KiB of JSON gets no verdict', async () => {
  const refused = async (body: string, type?: string) => {
    const answer = await post(body, type);
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  expect(await refused(' '.repeat(65_537))).toEqual([413, 'content_too_large']);
  expect(await refused('{}', 'text/plain')).toEqual([415, 'unsupported_media_type']);
  expect((await ask('/attestations/verify')).status).toBe(405);
});
