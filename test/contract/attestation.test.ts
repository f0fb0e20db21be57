import { createPrivateKey, createPublicKey, hash, type KeyObject, sign as signBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
      address: '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23',
    },
  ],
};

interface Row {
  name: string;
  lines: string[];
  text: string;
  id: string;
  at: string;
}

/** `## name` and the lines that say what is done. */
function rowsOf(table: string): Row[] {
  return table
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...rest] = part.split('\n');
      const lines = rest.filter((line) => /^(sign|then|text|register|event|drift|revoke|at)\b/.test(line));
      const words = (word: string) =>
        lines.find((line) => line.split(' ')[0] === word)?.slice(word.length + 1);
      const at = words('at') ?? '2025-12-01T12:00:00Z';
      const signing = words('sign');
      if (signing === undefined) return { name, lines, text: words('text')!, id: '', at };
      const [signer = '', changes] = signing.split(/ (.*)/s);
      const [members, sign] = SIGNERS[signer]!;
      // The name tells documents apart.
      const metadata = { request_context: name };
      const document = { ...UNSIGNED, metadata, ...members, ...(JSON.parse(changes!) as object) };
      const whole: { [name: string]: Json } = { ...document, signature: sign(document).toString('base64') };
      for (const [member, value] of Object.entries(JSON.parse(words('then') ?? '{}') as object))
        if (value === null) delete whole[member];
        else whole[member] = value;
      const { signature: _, ...signed } = whole;
      return { name, lines, text: JSON.stringify(whole), id: hash('sha256', message(signed)), at };
    });
}

interface Verdict {
  valid: boolean;
  summary: string;
  status: string;
  id: string | null;
  problems: { code: string; pointer: string }[];
  warnings: { code: string; pointer: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'cathedral-attestation-'));
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
    const words = ['serve', '--out', inFolder('out'), '--port=0', ...LEDGER, ...TRUST, ...stores];
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
  rmSync(folder, { recursive: true, force: true });
});

async function inLedger(line: string, { id }: Row, file: string): Promise<void> {
  const [word = '', rest = ''] = line.split(/ (.*)/s);
  const now = '2025-12-01T08:00:00Z';
  if (word === 'register')
    await done(['attest', 'register', '--file', file, ...TRUST, ...LEDGER], '2025-12-01T07:00:00Z');
  if (word === 'drift') await done(['attest', 'drift', id, rest, ...LEDGER], now);
  if (word === 'revoke') await done(['attest', 'revoke', id, '--reason', rest, ...LEDGER], now);
  if (word !== 'event') return;
  writeFileSync(inFolder('event.ndjson'), `${rest.replace('{id}', id)}\n`);
  await done(['ledger', 'append', inFolder('event.ndjson'), ...LEDGER], now);
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
    list.map(({ code, pointer }) => `  ${what} ${code} at ${pointer || 'the document'}`);
  return [
    `  ${valid ? 'valid' : 'not valid'}, ${status}: ${summary}`,
    ...places(problems, 'because'),
    ...places(warnings, 'warning'),
  ];
}

test('`attest verify` says of each document what the table says', async () => {
  const verdicts = new Map<number, Verdict>();
  for (const time of new Set(rows.map(({ at }) => at))) {
    const own = [...rows.keys()].filter((at) => rows[at]!.at === time);
    const files = own.map((at) => inFolder(`${at}.json`)).join(',');
    const words = ['attest', 'verify', '--file', files, ...TRUST, ...LEDGER, '--json'];
    const { status, stdout } = await run(words, time);
    const told = JSON.parse(stdout) as Verdict[];
    expect([time, status]).toEqual([time, told.every(({ valid }) => valid) ? 0 : 1]);
    for (const [n, at] of own.entries()) verdicts.set(at, told[n]!);
  }
  const actual = await withVerdicts(async (row, at) => {
    const verdict = verdicts.get(at)!;
    // The id follows from the signed bytes alone.
    if (verdict.id !== null && row.id) expect(verdict.id).toBe(row.id);
    return verdict;
  });
  if (process.env.GOLDEN === 'write') writeFileSync(TABLE, actual);
  else expect(actual).toBe(table);
});

test('POST /attestations/verify says the same, and stores nothing', async () => {
  const actual = await withVerdicts(async (row) => {
    vi.setSystemTime(Date.parse(row.at));
    const answer = await fetch(`${url}/attestations/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: row.text,
    });
    expect([row.name, answer.status]).toEqual([row.name, 200]);
    return (await answer.json()) as Verdict;
  });
  expect(actual).toBe(readFileSync(TABLE, 'utf8'));
});

test('GET /attestations/{id}/status says what `attest status` says', async () => {
  vi.setSystemTime(Date.parse('2025-12-01T12:00:00Z'));
  let known = 0;
  for (const { id, lines } of rows.filter(({ id }) => id)) {
    const answer = await fetch(`${url}/attestations/${id}/status`);
    const { stdout } = await run(['attest', 'status', id, ...LEDGER, '--json'], '2025-12-01T12:00:00Z');
    const isKnown = lines.some((line) => /^(register|event)/.test(line));
    expect([id, answer.status]).toEqual([id, isKnown ? 200 : 404]);
    if (!isKnown) continue;
    known += 1;
    const { ended_by: _, ...told } = JSON.parse(stdout);
    const { as_of: __, ...answered } = (await answer.json()) as Record<string, unknown>;
    expect(answered).toEqual(told);
  }
  expect(known).toBeGreaterThan(10);
});

test('what is not a document of at most 64 KiB of JSON gets no verdict', async () => {
  const post = async (body: string, type: string) => {
    const answer = await fetch(`${url}/attestations/verify`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  expect(await post(' '.repeat(65_537), 'application/json')).toEqual([413, 'content_too_large']);
  expect(await post('{}', 'text/plain')).toEqual([415, 'unsupported_media_type']);
  expect((await fetch(`${url}/attestations/verify`)).status).toBe(405);
});
