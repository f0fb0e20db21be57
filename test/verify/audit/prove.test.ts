import { cpSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { formatTlogProof } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { LogEntries } from '../../../pipeline/verify/audit/log-entries.ts';
import { proveFromLedger, proveFromLog } from '../../../pipeline/verify/audit/prove-event.ts';
import { verifyProof } from '../../../pipeline/verify/audit/verify-proof.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { openSignedLog } from '../../../pipeline/verify/signed-log.ts';
import { pour } from '../../contract/lies/host.ts';
import { FIRST_SLOT, temporaryFolder, writeSnapshot } from '../../ledger/test-ledger.ts';
import { listenInTest } from '../../listen.ts';
import { httpOrigin } from '../../mirror/update-mirror.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { EVENTS, events, hashOf, publishSmallLog, VERIFIERS } from './small-log.ts';

const folder = useFolder();
let out: string;
let ledger: string;
let origin: FolderOrigin;

beforeAll(async () => {
  [out, ledger] = [join(folder, 'out'), join(folder, 'ledger')];
  await publishSmallLog(ledger, out);
  origin = await FolderOrigin.at(out, true);
});

describe('a proof', () => {
  test.each([0, 1, 255, 256, 511, 512, EVENTS - 1])(
    'of event %d is the same from the log and from the ledger, and holds',
    async (index) => {
      const event = hashOf(events[index]!);
      const proof = await proveFromLog(origin, event, VERIFIERS);
      expect(await proveFromLedger(ledger, event, VERIFIERS)).toEqual(proof);
      const proved = await verifyProof(formatTlogProof(proof), event, VERIFIERS, 'a proof');
      expect(proved).toMatchObject({ index, checkpoint: { size: EVENTS } });
    },
  );

  test('of an event that there is not is refused', async () => {
    const event = '0'.repeat(64);
    for (const prove of [
      () => proveFromLog(origin, event, VERIFIERS),
      () => proveFromLedger(ledger, event, VERIFIERS),
    ])
      expect(await failureOf(prove)).toMatchObject({
        code: 'proof_refused',
        message: expect.stringContaining(`none among the ${EVENTS} events`),
      });
  });

  test('from a ledger whose events are not those of its checkpoint is refused', async () => {
    const forged = temporaryFolder();
    const others = events.with(3, { ...events[3]!, agent: 'MALLORY' });
    await writeSnapshot(forged, FIRST_SLOT, LEDGER_START, others);
    const name = `snapshots/${FIRST_SLOT}.checkpoint`;
    cpSync(join(ledger, name), join(forged, name));
    const proving = () => proveFromLedger(forged, hashOf(events[0]!), VERIFIERS);
    expect(await failureOf(proving)).toMatchObject({ code: 'ledger_root', place: name });
  });
});

describe('a log that is read over HTTP', () => {
  /** Serves OUT/log as a static host would, entries too, and counts. */
  async function served(answer: (path: string) => Buffer | number | 'endless') {
    const server = createServer((request, response) => {
      const found = answer(request.url!);
      if (found === 'endless') return pour(response);
      const isGzip = found instanceof Buffer && found[0] === 0x1f;
      response.writeHead(
        typeof found === 'number' ? found : 200,
        isGzip ? { 'Content-Encoding': 'gzip' } : {},
      );
      response.end(typeof found === 'number' ? '' : found);
    });
    return (await listenInTest(server)).origin;
  }

  const fileAt = (path: string) => {
    try {
      return readFileSync(logFile(out, path.slice('/log/'.length)));
    } catch {
      return 404;
    }
  };

  test('gives the same proof, also where its partial tiles are whole by now', async () => {
    const event = hashOf(events[600]!);
    const expected = await proveFromLog(origin, event, VERIFIERS);
    expect(await proveFromLog(httpOrigin(await served(fileAt)), event, VERIFIERS)).toEqual(expected);
    const full = Buffer.concat([fileAt('/log/tile/0/002.p/188') as Buffer, Buffer.alloc(68 * 32)]);
    const grown = (path: string) => {
      if (path.includes('/tile/0/002')) return path.endsWith('/002') ? full : 404;
      return fileAt(path);
    };
    expect(await proveFromLog(httpOrigin(await served(grown)), event, VERIFIERS)).toEqual(expected);
  });

  test.each([
    [
      'needs a key',
      (path: string) => (path.includes('/entries/') ? 401 : fileAt(path)),
      'proof_refused',
      'status 401: entries need a government key',
    ],
    ['is not there', () => 404, 'mirror_mismatch', 'found no such file'],
    ['never ends', () => 'endless' as const, 'mirror_mismatch', 'at most 1000000 bytes'],
    [
      'has entries that never end',
      (path: string) => (path.includes('/entries/') ? 'endless' : fileAt(path)),
      'mirror_mismatch',
      'at most 16777',
    ],
  ] as const)('and %s is refused', async (_, answer, code, message) => {
    const source = httpOrigin(await served(answer));
    expect(await failureOf(() => LogEntries.open(source, VERIFIERS))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('may compress bundles without being asked, within the length of a bundle, and nothing else', async () => {
    const compressed =
      (kind: RegExp, content = (found: Buffer) => found) =>
      (path: string) => {
        const found = fileAt(path);
        return kind.test(path) && typeof found !== 'number' ? gzipSync(content(found)) : found;
      };
    const open = async (answer: Parameters<typeof served>[0]) =>
      LogEntries.open(httpOrigin(await served(answer)), VERIFIERS);
    const entries = await open(compressed(/entries/));
    expect((await entries.bundle(2)).hashes).toEqual(events.slice(512).map(hashOf));
    const huge = compressed(/entries/, () => Buffer.alloc(64 << 20));
    expect(await failureOf(() => open(huge))).toMatchObject({
      code: 'mirror_mismatch',
      message: expect.stringContaining('at most 16777'),
    });
    const tiles = httpOrigin(await served(compressed(/tile\/\d/)));
    expect(await failureOf(() => proveFromLog(tiles, hashOf(events[5]!), VERIFIERS))).toMatchObject({
      code: 'mirror_unreachable',
      message: expect.stringContaining('content coding'),
    });
  });

  test('and fails or cannot be reached is unreachable', async () => {
    const failing = httpOrigin(await served(() => 500));
    expect(await failureOf(() => openSignedLog(failing, VERIFIERS))).toMatchObject({
      code: 'mirror_unreachable',
      found: 'status 500',
    });
    const error = await failureOf(() => openSignedLog(httpOrigin('http://127.0.0.1:1'), VERIFIERS));
    expect(error).toMatchObject({ code: 'mirror_unreachable', place: 'http://127.0.0.1:1/log/checkpoint' });
  });

  test('and refuses the connection is asked again only if it has answered before', async () => {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const address = await served(() => 500);
    const { fetch } = globalThis;
    const closed = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
    const refused = { code: 'mirror_unreachable', found: 'fetch failed: ECONNREFUSED' };
    const never = httpOrigin(address, { log, fetch: closed });
    expect(await failureOf(() => openSignedLog(never, VERIFIERS))).toMatchObject(refused);
    expect(lines).toEqual([]);
    let answers = 1;
    const gone = httpOrigin(address, {
      log,
      fetch: ((url: string) => (answers-- > 0 ? fetch(url) : closed())) as typeof globalThis.fetch,
    });
    expect(await failureOf(() => openSignedLog(gone, VERIFIERS))).toMatchObject(refused);
    expect(lines).toHaveLength(2);
  });

  test('and has an entry changed is refused', async () => {
    const changed = (path: string) => {
      const found = fileAt(path);
      if (!path.includes('entries/001') || typeof found === 'number') return found;
      return Buffer.from(found.toString('latin1').replace('"ATLAS"', '"ATLAX"'), 'latin1');
    };
    const entries = await LogEntries.open(httpOrigin(await served(changed)), VERIFIERS);
    expect((await entries.bundle(0)).hashes[5]).toBe(hashOf(events[5]!));
    expect(await failureOf(() => entries.bundle(1))).toMatchObject({ code: 'log_invalid' });
  });
});
