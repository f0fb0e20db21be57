import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COSIGNATURE, formatVerifierKey, parseLogKey } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { Witness } from '../../pipeline/witness/witness.ts';
import { createWitnessKeys, readWitnessKeys } from '../../pipeline/witness/witness-keys.ts';
import { witnessServer } from '../../pipeline/witness/witness-server.ts';
import { closeServer, listenOn } from '../../src/sidecar/server-address.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { checkpointText, consistency, ForeignKey, requestOf, treeHash } from './foreign-log.ts';

const ORIGIN = 'log.example/one';
const LOG = new ForeignKey(ORIGIN, 1, 1);
/** What the witness signs with; the test has the same key to verify it. */
const OWN = new ForeignKey('witness.example/w1', 4, 9);
const KEYS = [9, 10].map((seed) => signerFromSeed(OWN.name, new Uint8Array(32).fill(seed), COSIGNATURE));
const leaves = (count: number, prefix = 'leaf') =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at}`);
const PATH = hash('sha256', ORIGIN);

let folder: string;
let server: Server;
let base: string;
let now: number;

beforeEach(async () => {
  folder = await temporaryFolder();
  now = 1_700_000_000_000;
  await start();
});
afterEach(() => closeServer(server, 0));

async function start(): Promise<void> {
  const logs = [{ origin: ORIGIN, keys: [parseLogKey(LOG.vkey)] }];
  const witness = await Witness.open({ folder, keys: KEYS, logs, now: () => now, log: () => {} });
  server = witnessServer({ witness, about: 'about', report: () => {} });
  await listenOn(server, { host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Ask {
  old?: number;
  tree?: readonly string[];
  proof?: readonly Buffer[];
  text?: string;
  lines?: string;
}

function bodyOf({ old = 0, tree = leaves(5), text, lines, proof }: Ask): string {
  const signed = text ?? checkpointText(ORIGIN, tree);
  return requestOf(old, proof ?? consistency(old, tree), `${signed}\n${lines ?? LOG.line(signed)}`);
}

async function post(body: string | Uint8Array<ArrayBuffer>) {
  const answer = await fetch(`${base}/add-checkpoint`, { method: 'POST', body });
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
}

const ask = (given: Ask) => post(bodyOf(given));

describe('a witness', () => {
  test('cosigns a log from its first checkpoint on, for any two sizes', async () => {
    let old = 0;
    for (const size of [1, 2, 3, 7, 8, 64, 65, 100, 255, 256]) {
      const tree = leaves(size);
      const { status, body } = await ask({ old, tree });
      expect([size, status]).toEqual([size, 200]);
      expect(OWN.hasSigned(checkpointText(ORIGIN, tree), body)).toBe(true);
      expect(body.split('\n').length, 'a line for each key').toBe(KEYS.length + 1);
      old = size;
    }
  });

  test('serves what it cosigned last, with the log’s own signature', async () => {
    expect((await fetch(`${base}/${PATH}/checkpoint`)).status).toBe(404);
    const lines = (await ask({})).body;
    const served = await fetch(`${base}/${PATH}/checkpoint`);
    const text = checkpointText(ORIGIN, leaves(5));
    expect([served.status, await served.text()]).toEqual([200, `${text}\n${LOG.line(text)}${lines}`]);
  });

  test('cosigns the same checkpoint again with a later time, also when its clock was set back', async () => {
    const timeOf = (body: string) => Buffer.from(body.split(' ')[2]!, 'base64').readBigUInt64BE(4);
    const first = timeOf((await ask({})).body);
    now += 5_000;
    expect(timeOf((await ask({ old: 5 })).body)).toBe(first + 5n);
    now -= 60_000;
    expect(timeOf((await ask({ old: 5, tree: leaves(6) })).body)).toBe(first + 5n);
  });

  test('ignores what others signed, and keys of the log that it does not know', async () => {
    const text = checkpointText(ORIGIN, leaves(5));
    const others = [new ForeignKey(ORIGIN, 1, 2), new ForeignKey('other.example', 4, 3)];
    const lines = [others[0]!, LOG, others[1]!].map((key) => key.line(text, 5)).join('');
    const { status, body } = await ask({ lines });
    expect(status).toBe(200);
    expect(OWN.hasSigned(text, body)).toBe(true);
  });

  test('starts with an empty log, whose root there is only one of', async () => {
    const wrong = `${ORIGIN}\n0\n${treeHash(['leaf']).toString('base64')}\n`;
    expect((await ask({ text: wrong })).status).toBe(422);
    expect((await ask({ tree: [] })).status).toBe(200);
    expect((await ask({ tree: [] })).status).toBe(200);
    expect((await ask({ tree: leaves(2) })).status).toBe(200);
  });
});

describe('a request is refused', () => {
  const five = checkpointText(ORIGIN, leaves(5));
  const signed = `${five}\n${LOG.line(five)}`;
  const [, id] = LOG.vkey.split('+');
  const forged = `— ${ORIGIN} ${Buffer.concat([Buffer.from(id!, 'hex'), Buffer.alloc(64)]).toString('base64')}\n`;
  const other = checkpointText('log.example/two', leaves(5));
  const six = checkpointText(ORIGIN, leaves(6));
  const hashes = (count: number) => Array.from({ length: count }, () => treeHash(['x']));

  test.each<[string, number, string | Uint8Array<ArrayBuffer>]>([
    [
      'of another log',
      404,
      requestOf(0, [], `${other}\n${new ForeignKey('log.example/two', 1, 1).line(other)}`),
    ],
    ['without a signature that it trusts', 403, bodyOf({ lines: new ForeignKey(ORIGIN, 1, 2).line(five) })],
    ['with a signature that does not verify', 403, bodyOf({ lines: LOG.line(five) + forged })],
    ['with surplus bits in a signature', 403, bodyOf({ lines: LOG.line(five).replace(/.=\n$/, 'B=\n') })],
    ['with a signature of another text', 403, bodyOf({ lines: LOG.line(six) })],
    ['with an old size beyond the checkpoint', 400, bodyOf({ old: 6, proof: [] })],
    ['with a leading zero', 400, `old 00\n\n${signed}`],
    ['with a negative size', 400, `old -1\n\n${signed}`],
    ['with a size of 2⁵³', 400, `old 9007199254740992\n\n${signed}`],
    ['without the first line', 400, `\n${signed}`],
    ['without the empty line', 400, `old 0\n${signed}`],
    ['without a note', 400, 'old 0\n\n'],
    ['with carriage returns', 400, `old 0\r\n\r\n${signed}`],
    ['with 64 hashes', 400, bodyOf({ proof: hashes(64) })],
    ['with a hash of 31 bytes', 400, bodyOf({ proof: [Buffer.alloc(31)] })],
    ['that is empty', 400, ''],
    [
      'that is not UTF-8',
      400,
      Buffer.concat([Buffer.from(bodyOf({}).slice(0, -1)), Buffer.of(0x0a, 0xff, 0x0a)]),
    ],
    ['that is too long', 413, `old 0\n\n${'x'.repeat(1_100_000)}`],
    ['with a proof from size 0', 422, bodyOf({ proof: hashes(1) })],
  ])('%s', async (_, status, body) => {
    expect((await post(body)).status).toBe(status);
    expect((await fetch(`${base}/${PATH}/checkpoint`)).status, 'nothing was cosigned').toBe(404);
  });

  test('with another old size than that of its record, which it is told', async () => {
    expect(await ask({ old: 3 })).toEqual({ status: 409, type: 'text/x.tlog.size', body: '0\n' });
    await ask({});
    for (const old of [0, 3, 4])
      expect(await ask({ old, tree: leaves(9) })).toMatchObject({ status: 409, body: '5\n' });
  });

  test.each<[string, Ask, status?: number]>([
    ['another root of the same size', { old: 5, tree: leaves(5, 'fork') }, 409],
    ['a proof where none is needed', { old: 5, proof: hashes(1) }],
    ['a log that forked before', { old: 5, tree: [...leaves(4), 'fork', ...leaves(3)] }],
    ['no proof', { old: 5, tree: leaves(9), proof: [] }],
    ['a proof for another size', { old: 5, tree: leaves(9), proof: consistency(4, leaves(9)) }],
    [
      'a proof that is too long',
      { old: 5, tree: leaves(9), proof: [...consistency(5, leaves(9)), ...hashes(1)] },
    ],
  ])('with %s', async (_, given, expected = 422) => {
    await ask({});
    const before = await (await fetch(`${base}/${PATH}/checkpoint`)).text();
    const { status, body } = await ask(given);
    expect([status, body.includes('—')]).toEqual([expected, false]);
    expect(await (await fetch(`${base}/${PATH}/checkpoint`)).text()).toBe(before);
  });

  test.each([
    ['GET', 'add-checkpoint', 405],
    ['POST', '', 405],
    ['GET', 'elsewhere', 404],
    ['GET', `${PATH.toUpperCase()}/checkpoint`, 404],
    ['GET', 'healthz', 200],
    ['GET', '', 200],
  ])('by its address: %s /%s is %i', async (method, path, status) => {
    expect((await fetch(`${base}/${path}`, { method })).status).toBe(status);
  });
});

test('a checkpoint that forks the log is kept with the log’s signature', async () => {
  await ask({});
  const text = checkpointText(ORIGIN, leaves(5, 'fork'));
  const { status, type } = await ask({ old: 5, tree: leaves(5, 'fork') });
  // As the specification says for a checkpoint of the same size, where 409 with the type of a size means another thing.
  expect([status, type]).toEqual([409, expect.stringMatching(/^text\/plain/)]);
  const name = `5-${treeHash(leaves(5, 'fork')).toString('hex').slice(0, 16)}`;
  const kept = await readFile(join(folder, PATH, 'refused', name), 'utf8');
  expect(kept).toBe(`${text}\n${LOG.line(text)}`);
});

test('of many requests at once, one for each size is cosigned, and none goes back', async () => {
  const sizes = Array.from({ length: 20 }, (_, at) => at + 1);
  const answers = await Promise.all(sizes.map((size) => ask({ tree: leaves(size) })));
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  expect(answers.filter(({ status }) => status === 409).length).toBe(19);
});

test('a witness that starts again goes on where it stopped; with a damaged record it does not start', async () => {
  await ask({});
  await closeServer(server, 0);
  await start();
  expect((await ask({ old: 5, tree: leaves(5, 'fork') })).status).toBe(409);
  expect((await ask({ old: 5, tree: leaves(6) })).status).toBe(200);
  const place = join(folder, PATH, 'checkpoint');
  await writeFile(place, 'half a');
  expect((await ask({ old: 6, tree: leaves(7) })).status).toBe(500);
  await expect(
    Witness.open({ folder, keys: KEYS, logs: [{ origin: ORIGIN, keys: [] }], now: () => now, log: () => {} }),
  ).rejects.toThrow(expect.objectContaining({ code: 'ledger_corrupt', place }));
});

test('its key is made once, and no log may have the same', async () => {
  const path = join(folder, 'witness.key');
  const made = await createWitnessKeys(path, 'witness.example/new', now);
  const read = await readWitnessKeys(path);
  const vkeys = (keys: typeof made) => keys.map(({ verifier }) => formatVerifierKey(verifier));
  expect(vkeys(read!)).toEqual(vkeys(made));
  expect(made).toHaveLength(1);
  const logs = [{ origin: 'x', keys: [{ ...made[0]!.verifier }] }];
  await expect(Witness.open({ folder, keys: made, logs, now: () => now, log: () => {} })).rejects.toThrow(
    'config_invalid',
  );
  const [id] = made.map(({ verifier }) => verifier.id);
  await writeFile(path, (await readFile(path, 'utf8')).replace(id!, '00000000'));
  await expect(readWitnessKeys(path)).rejects.toThrow('config_invalid');
  const other = Buffer.concat([Buffer.of(6), Buffer.alloc(32)]).toString('base64');
  await writeFile(path, `PRIVATE+KEY+witness.example/new+${id}+${other} 2026-01-01T00:00:00Z\n`);
  await expect(readWitnessKeys(path)).rejects.toMatchObject({
    code: 'config_invalid',
    expected: 'a key of type 4 (Ed25519)',
    found: 'one of type 6',
  });
});
