import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { signNote } from '../../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { sampleEvent, sampleEvents } from '../events/sample-events.ts';
import { checkpointNote, faultOf, linesOf, signedSnapshot, treeOf } from '../reading/signed-snapshot.ts';
import {
  FIRST_SLOT,
  ORIGIN,
  readLedger,
  readOne,
  signer,
  temporaryFolder,
  writeLedger,
} from '../test-ledger.ts';

const SECOND_SLOT = nextSlotId(FIRST_SLOT);
const THIRD_SLOT = nextSlotId(SECOND_SLOT);
const EVENTS = `snapshots/${FIRST_SLOT}.ndjson.zst`;
const CHECKPOINT = `snapshots/${FIRST_SLOT}.checkpoint`;

const faultOfContent = (content: string | Buffer) => faultOf(readOne(signedSnapshot(content), LEDGER_START));

describe('a line is refused despite a valid signature', () => {
  const good = sampleEvents(3).map(formatEventLine);
  const withSecond = (line: string) => `${good[0]}\n${line}\n${good[2]}\n`;
  const changed = (change: object) => withSecond(JSON.stringify({ ...sampleEvent(1), ...change }));

  test.each<[string, string | Buffer, string, number]>([
    ['with CRLF', good.map((line) => `${line}\r\n`).join(''), 'ledger_corrupt', 1],
    ['with a byte order mark', `\ufeff${linesOf(sampleEvents(3))}`, 'ledger_corrupt', 1],
    ['without its line end', linesOf(sampleEvents(3)).slice(0, -1), 'ledger_corrupt', 3],
    ['that is empty', withSecond(''), 'ledger_corrupt', 2],
    ['at the end that is empty', `${linesOf(sampleEvents(3))}\n`, 'ledger_corrupt', 4],
    ['that is not JSON', withSecond('{"seq":1,'), 'ledger_corrupt', 2],
    [
      'that is over the limit',
      changed({ type: 'long', data: { text: 'x'.repeat(65_400) } }),
      'ledger_corrupt',
      2,
    ],
    [
      'that is not UTF-8',
      Buffer.from(withSecond(good[1]!.replace('ATLAS', '\xe9')), 'latin1'),
      'ledger_corrupt',
      2,
    ],
    ['with a duplicate member', withSecond(good[1]!.replace('{', '{"seq":1,')), 'ledger_corrupt', 2],
    [
      'with a wrong type in data',
      changed({ data: { ...sampleEvent(1).data, apps: '9' } }),
      'ledger_schema',
      2,
    ],
    ['without a salt', changed({ salt: undefined }), 'ledger_schema', 2],
    ['with a gap before it', withSecond(good[2]!), 'ledger_order', 2],
    ['that repeats its predecessor', withSecond(good[0]!), 'ledger_order', 2],
    ['that is a second genesis', changed({ ...sampleEvent(0), seq: 1 }), 'ledger_order', 2],
    ['a second before its predecessor', changed({ timestamp: '2025-07-02T23:59:59Z' }), 'ledger_order', 2],
    [
      'a moment before its predecessor',
      changed({ timestamp: '2025-07-03T00:02:00.001Z' }),
      'ledger_order',
      3,
    ],
  ])('%s', async (_, content, code, line) => {
    expect(await faultOfContent(content)).toMatchObject({ code, place: `${EVENTS}:${line}` });
  });

  test('with the expected and the actual seq in the error', async () => {
    expect(await faultOfContent(withSecond(good[2]!))).toMatchObject({ expected: 'seq 1', found: 'seq 2' });
  });

  test('but not at the same instant as its predecessor, in any spelling', async () => {
    const content = changed({ timestamp: '2025-07-03T00:02:00.000Z' });
    expect((await readOne(signedSnapshot(content), LEDGER_START)).leaves).toHaveLength(3);
  });

  test('in the middle of thousands', async () => {
    const events = sampleEvents(5000);
    for (const at of [1, 1234, 4998, 4999]) {
      const damaged = events.map((event) => (event.seq === at ? { ...event, agent: '' } : event));
      expect(await faultOfContent(linesOf(damaged))).toMatchObject({
        code: 'ledger_schema',
        place: `${EVENTS}:${at + 1}`,
      });
    }
  });
});

describe('a checkpoint is refused', () => {
  const content = linesOf(sampleEvents(3));
  const faultWith = async (note: string) => {
    const file = signedSnapshot(content);
    writeFileSync(file.checkpoint, note);
    return faultOf(readOne(file, LEDGER_START));
  };
  const { root } = treeOf(content);

  test('with a different signed root hash', async () => {
    const found = await faultWith(checkpointNote({ size: 3, root: '00'.repeat(32) }));
    expect(found).toMatchObject({ code: 'ledger_root', place: CHECKPOINT, found: `root ${'00'.repeat(32)}` });
    expect(found.expected).toContain(root);
  });

  test.each([0, 2, 4])('for %d events of 3', async (size) => {
    expect(await faultWith(checkpointNote({ size, root }))).toMatchObject({
      code: 'ledger_order',
      place: CHECKPOINT,
    });
  });

  test('by an unknown key of the same name', async () => {
    const stranger = signerFromSeed(ORIGIN, new Uint8Array(32).fill(9));
    expect(await faultWith(checkpointNote({ size: 3, root }, stranger))).toMatchObject({
      code: 'ledger_signature',
    });
  });

  test('of another ledger', async () => {
    expect(await faultWith(checkpointNote({ size: 3, root, origin: 'another.example' }))).toMatchObject({
      code: 'ledger_signature',
      found: 'another.example',
    });
  });

  test.each([
    ['nothing', ''],
    ['no checkpoint but signed', signNote('hello\n', signer)],
  ])('that is %s', async (_, note) => {
    expect(await faultWith(note)).toMatchObject({ code: 'ledger_corrupt', place: CHECKPOINT });
  });

  test('unless it is right', async () => {
    const file = signedSnapshot(content);
    writeFileSync(file.checkpoint, checkpointNote({ size: 3, root }));
    expect((await readOne(file, LEDGER_START)).leaves).toHaveLength(3);
  });
});

describe('a ledger is refused', () => {
  function copy(folder: string, from: string, to: string): void {
    copyFileSync(snapshotFile(folder, from).events, snapshotFile(folder, to).events);
    copyFileSync(snapshotFile(folder, from).checkpoint, snapshotFile(folder, to).checkpoint);
  }

  test.each([
    ['the first', FIRST_SLOT],
    ['the last', SECOND_SLOT],
  ])('with %s snapshot repeated under a later slot', async (_, id) => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3, 2);
    copy(folder, id, THIRD_SLOT);
    expect((await faultOf(readLedger(folder))).code).toBe('ledger_order');
  });

  test('with a snapshot missing', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3, 2, 4);
    rmSync(snapshotFile(folder, SECOND_SLOT).events);
    rmSync(snapshotFile(folder, SECOND_SLOT).checkpoint);
    expect(await faultOf(readLedger(folder))).toMatchObject({
      code: 'ledger_order',
      place: `snapshots/${THIRD_SLOT}.ndjson.zst:1`,
      expected: 'seq 3',
      found: 'seq 5',
    });
  });

  test('with two snapshots exchanged', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3, 2);
    copy(folder, FIRST_SLOT, THIRD_SLOT);
    copy(folder, SECOND_SLOT, FIRST_SLOT);
    copy(folder, THIRD_SLOT, SECOND_SLOT);
    expect((await faultOf(readLedger(folder))).code).toBe('ledger_order');
  });

  test('with the checkpoint of another snapshot', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3, 2);
    const [first, second] = [snapshotFile(folder, FIRST_SLOT), snapshotFile(folder, SECOND_SLOT)];
    copyFileSync(first.checkpoint, second.checkpoint);
    expect(await faultOf(readLedger(folder))).toMatchObject({
      code: 'ledger_order',
      place: `snapshots/${SECOND_SLOT}.checkpoint`,
    });
  });

  test('with a rewritten past, at the first checkpoint that covers it', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    await writeLedger(one, 3, 2);
    const { leaves, end } = await readLedger(one);
    const { position: first } = (await readOne(snapshotFile(one, FIRST_SLOT), LEDGER_START)).end;
    await writeLedger(two, 3, 2);
    const forged = { ...first, range: [leaves[0]!.hash, ...first.range.slice(1)] };
    expect(end.size).toBe(5);
    expect(await faultOf(readOne(snapshotFile(two, SECOND_SLOT), forged))).toMatchObject({
      code: 'ledger_root',
    });
  });

  test('if a snapshot to read is not after the position', async () => {
    const folder = temporaryFolder();
    const end = await writeLedger(folder, 3, 2);
    for (const id of [FIRST_SLOT, SECOND_SLOT]) {
      expect(await faultOf(readOne(snapshotFile(folder, id), end))).toMatchObject({
        code: 'ledger_order',
        expected: `a slot after ${SECOND_SLOT}`,
      });
    }
  });
});
