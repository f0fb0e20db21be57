import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { type SnapshotFile, snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { isSweep } from '../../setups/sweep.ts';
import { sampleEvent, sampleEvents } from '../events/sample-events.ts';
import { collect, FIRST_SLOT, readOne, signer, temporaryFolder, writeLedger } from '../test-ledger.ts';
import { checkpointNote, compress, faultOf, linesOf, signedSnapshot } from './signed-snapshot.ts';

const EVENTS = `snapshots/${FIRST_SLOT}.ndjson.zst`;
const CHECKPOINT = `snapshots/${FIRST_SLOT}.checkpoint`;

/** Each bit in a sweep; otherwise each place of a byte in turn. */
const STEP = isSweep ? 1 : 7;

describe('damage to the files of a snapshot', () => {
  // Thousands of readings, so without the comparison of `readOne`.
  const readHere = (file: SnapshotFile) => collect(readSnapshot(file, LEDGER_START, [signer.verifier]));
  let whole: { events: Buffer; checkpoint: Buffer };

  async function smallSnapshot(): Promise<SnapshotFile> {
    const folder = temporaryFolder();
    await writeLedger(folder, 4);
    const file = snapshotFile(folder, FIRST_SLOT);
    whole = { events: readFileSync(file.events), checkpoint: readFileSync(file.checkpoint) };
    return file;
  }

  test('is detected wherever the events are truncated', async () => {
    const file = await smallSnapshot();
    for (let length = whole.events.length - 1; length >= 0; length -= isSweep ? 1 : 5) {
      truncateSync(file.events, length);
      expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
        code: 'ledger_corrupt',
        place: EVENTS,
      });
    }
  });

  test('is detected wherever the checkpoint is truncated', async () => {
    const file = await smallSnapshot();
    for (let length = whole.checkpoint.length - 1; length >= 0; length -= isSweep ? 1 : 5) {
      truncateSync(file.checkpoint, length);
      const fault = await faultOf(readHere(file));
      expect(fault.code).toMatch(/^ledger_(corrupt|signature)$/);
      expect(fault.place).toBe(CHECKPOINT);
    }
  });

  test('is detected at any bit of the checkpoint', async () => {
    const file = await smallSnapshot();
    for (let bit = 0; bit < whole.checkpoint.length * 8; bit += STEP) {
      writeFileSync(file.checkpoint, flipped(whole.checkpoint, bit));
      expect((await faultOf(readHere(file))).code).toMatch(/^ledger_(corrupt|signature)$/);
    }
  });

  test('is detected at any bit of the events, or leaves their content unchanged', async () => {
    const file = await smallSnapshot();
    let refused = 0;
    for (let bit = 0; bit < whole.events.length * 8; bit += STEP) {
      writeFileSync(file.events, flipped(whole.events, bit));
      const outcome = await readHere(file).catch((cause: unknown) => cause);
      if (outcome instanceof CathedralError) refused += 1;
      // Decoders ignore a few bits of the format, such as the padding of an entropy-coded stream.
      else expect(outcome).toMatchObject({ leaves: sampleEvents(4).map((event) => ({ event })) });
    }
    expect(refused).toBeGreaterThan((whole.events.length * 8) / STEP - 16);
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

describe('a snapshot file', () => {
  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['text that is not compressed', Buffer.from(linesOf(sampleEvents(2)))],
    ['a byte after the frame', Buffer.concat([compress(linesOf(sampleEvents(2))), Buffer.of(10)])],
    [
      'a second frame',
      Buffer.concat([compress(linesOf([sampleEvent(0)])), compress(linesOf([sampleEvent(1)]))]),
    ],
  ])('is not %s', async (_, bytes) => {
    const file = signedSnapshot(linesOf(sampleEvents(2)));
    writeFileSync(file.events, bytes);
    expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
      code: 'ledger_corrupt',
      place: EVENTS,
    });
  });

  test('may omit the checksum of its frame, because the signed root hash covers the content', async () => {
    const file = signedSnapshot(linesOf(sampleEvents(2)));
    writeFileSync(file.events, zstdCompressSync(linesOf(sampleEvents(2))));
    expect(await readOne(file, LEDGER_START)).toBeDefined();
    const other = linesOf(sampleEvents(3)).split('\n').slice(1).join('\n');
    writeFileSync(file.events, zstdCompressSync(other.replaceAll('"seq":2', '"seq":0')));
    expect((await faultOf(readOne(file, LEDGER_START))).code).toMatch(/^ledger_(root|order)$/);
  });

  test('may not be gone', async () => {
    for (const part of ['events', 'checkpoint'] as const) {
      const file = signedSnapshot(linesOf(sampleEvents(2)));
      rmSync(file[part]);
      expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
        code: 'ledger_unreadable',
        place: part === 'events' ? EVENTS : CHECKPOINT,
        found: 'no such file or folder (ENOENT)',
      });
    }
  });

  test('may not be a folder', async () => {
    const file = signedSnapshot(linesOf(sampleEvents(2)));
    rmSync(file.events);
    mkdirSync(file.events);
    expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
      code: 'ledger_unreadable',
      found: 'a folder (EISDIR)',
    });
  });

  test('is refused at the first line that is too long, however large it would unpack', async () => {
    const file = signedSnapshot(linesOf(sampleEvents(2)));
    // 2 GB of one letter in 64 kB: unpacking it would exceed the time limit.
    writeFileSync(file.events, bombOf(16_384));
    expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
      code: 'ledger_corrupt',
      place: `${EVENTS}:1`,
      expected: 'at most 65535 bytes',
    });
  });

  test('is refused at the first event past the signed size', async () => {
    const file = signedSnapshot(linesOf(sampleEvents(3)));
    writeFileSync(file.checkpoint, checkpointNote({ size: 2, root: '00'.repeat(32) }));
    expect(await faultOf(readOne(file, LEDGER_START))).toMatchObject({
      code: 'ledger_order',
      place: CHECKPOINT,
      found: 'a signed size of 2',
    });
  });
});

/** A valid frame of `blocks` blocks of 128 kB of the letter a, each four bytes long (RFC 8878, RLE_Block). */
function bombOf(blocks: number): Buffer {
  const block = (last: number) => {
    const header = (131_072 << 3) | (1 << 1) | last;
    return Buffer.of(header & 255, (header >> 8) & 255, header >> 16, 97);
  };
  const head = Buffer.from('28b52ffd0458', 'hex');
  return Buffer.concat([head, ...Array(blocks - 1).fill(block(0)), block(1), Buffer.alloc(4)]);
}
