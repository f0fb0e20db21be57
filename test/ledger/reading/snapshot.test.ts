import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { CompactRange, leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { openDirectory, snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { SnapshotWriter } from '../../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { sampleEvent, sampleEvents } from '../events/sample-events.ts';
import {
  FIRST_SLOT,
  ORIGIN,
  readLedger,
  readOne,
  signer,
  temporaryFolder,
  writeLedger,
  writeSnapshot,
} from '../test-ledger.ts';

describe('a ledger of snapshots', () => {
  test('is read unchanged, each event with its leaf hash', async () => {
    const folder = temporaryFolder();
    const written = await writeLedger(folder, 1, 40, 7);
    const { leaves, end } = await readLedger(folder);
    expect(leaves.map(({ event }) => event)).toEqual(sampleEvents(48));
    expect(leaves.map(({ hash }) => hash)).toEqual(
      sampleEvents(48).map((event) => leafHash(Buffer.from(formatEventLine(event)))),
    );
    expect(end).toMatchObject(written);
    expect(written).toMatchObject({
      snapshot: '2025-07-03T18Z',
      size: 48,
      timestamp: sampleEvent(47).timestamp,
    });
  });

  test('ends each snapshot with the checkpoint over all events so far', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 5, 6);
    const [first, second] = await openDirectory(folder).snapshots(null);
    const { end } = await readOne(first!, LEDGER_START);
    const last = await readOne(second!, end.position);
    const tree = new CompactRange();
    for (const event of sampleEvents(11)) tree.append(leafHash(Buffer.from(formatEventLine(event))));
    expect(last.end.checkpoint).toEqual({ origin: ORIGIN, size: 11, root: tree.root() });
    expect(last.end.note).toBe(readFileSync(second!.checkpoint, 'utf8'));
    expect(last.leaves).toHaveLength(6);
  });

  test('resumes from a position stored as JSON', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 5, 6);
    const [first, second] = await openDirectory(folder).snapshots(null);
    const { end } = await readOne(first!, LEDGER_START);
    const stored = JSON.parse(JSON.stringify(end.position));
    expect((await readOne(second!, stored)).end).toEqual((await readOne(second!, end.position)).end);
  });

  test('of the same events has the same bytes', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    await writeLedger(one, 30, 3000);
    await writeLedger(two, 30, 3000);
    const contents = (folder: string) =>
      readdirSync(join(folder, 'snapshots')).map((name) => [
        name,
        readFileSync(join(folder, 'snapshots', name), 'hex'),
      ]);
    expect(contents(one)).toEqual(contents(two));
  });

  test('may have a snapshot of a slot without events', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 5, 0, 3);
    expect((await readLedger(folder)).leaves).toHaveLength(8);
  });

  test('may be signed by a newer key, if both keys are known', async () => {
    const folder = temporaryFolder();
    const position = await writeLedger(folder, 5);
    const later = signerFromSeed(ORIGIN, new Uint8Array(32).fill(8));
    const writer = new SnapshotWriter(folder, position, [later], { durable: false });
    await writer.append(sampleEvent(5));
    await writer.seal('2025-07-03T12Z');
    expect((await readLedger(folder, [later.verifier, signer.verifier])).leaves).toHaveLength(6);
    await expect(readLedger(folder)).rejects.toMatchObject({
      code: 'ledger_signature',
      place: 'snapshots/2025-07-03T12Z.checkpoint',
    });
  });
});

describe('a snapshot too large to read at once', () => {
  // Texts without repetition, so that the file exceeds 256 kB even when compressed.
  const long = (seq: number, length: number) => {
    let text = '';
    for (let i = 0; text.length < length; i++) text += sampleEvent(seq * 1000 + i).salt;
    return text.slice(0, length);
  };
  const largeEvents = (count: number) =>
    sampleEvents(count).map((event) =>
      event.seq === 0
        ? event
        : { ...event, type: 'long', data: { text: long(event.seq, 50 + ((event.seq * 7919) % 9000)) } },
    );

  test('is streamed, with the same result', async () => {
    const folder = temporaryFolder();
    const events = largeEvents(400);
    await writeSnapshot(folder, FIRST_SLOT, LEDGER_START, events);
    const { leaves } = await readLedger(folder);
    expect(leaves.map(({ event }) => event)).toEqual(events);
    const content = zstdDecompressSync(readFileSync(snapshotFile(folder, FIRST_SLOT).events));
    expect(content.toString()).toBe(events.map((event) => `${formatEventLine(event)}\n`).join(''));
    expect(content.length).toBeGreaterThan(1_000_000);
  });

  test('comes in batches', async () => {
    const folder = temporaryFolder();
    await writeSnapshot(folder, FIRST_SLOT, LEDGER_START, largeEvents(400));
    const [file] = await openDirectory(folder).snapshots(null);
    const sizes: number[] = [];
    for await (const leaves of readSnapshot(file!, LEDGER_START, [signer.verifier]))
      sizes.push(leaves.length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes).not.toContain(0);
  });

  test('need not be read to its end', async () => {
    const folder = temporaryFolder();
    await writeSnapshot(folder, FIRST_SLOT, LEDGER_START, largeEvents(400));
    const [file] = await openDirectory(folder).snapshots(null);
    for await (const _ of readSnapshot(file!, LEDGER_START, [signer.verifier])) break;
    expect((await readLedger(folder)).leaves).toHaveLength(400);
  });

  test('is streamed even if small when compressed', async () => {
    const folder = temporaryFolder();
    const event = (seq: number) => ({
      ...sampleEvent(seq),
      type: 'long',
      data: { text: 'é'.repeat(30_000) },
    });
    const events = [sampleEvent(0), ...Array.from({ length: 100 }, (_, i) => event(i + 1))];
    await writeSnapshot(folder, FIRST_SLOT, LEDGER_START, events);
    expect((await readLedger(folder)).leaves.map((leaf) => leaf.event)).toEqual(events);
  });
});

describe('the snapshot writer', () => {
  const create = (folder: string, position = LEDGER_START) =>
    new SnapshotWriter(folder, position, [signer], { durable: false });

  test('leaves only the two files', async () => {
    const folder = temporaryFolder();
    const writer = new SnapshotWriter(folder, LEDGER_START, [signer]);
    for (const event of sampleEvents(3000)) await writer.append(event);
    await writer.seal(FIRST_SLOT);
    expect(readdirSync(join(folder, 'snapshots')).sort()).toEqual([
      `${FIRST_SLOT}.checkpoint`,
      `${FIRST_SLOT}.ndjson.zst`,
    ]);
  });

  test('leaves nothing when it gives up', async () => {
    for (const count of [0, 3, 3000]) {
      const folder = temporaryFolder();
      const writer = create(folder);
      for (const event of sampleEvents(count)) await writer.append(event);
      await writer.discard();
      expect(readdirSync(join(folder, 'snapshots'))).toEqual([]);
      await expect(writer.append(sampleEvent(count))).rejects.toThrow('closed');
    }
  });

  test('does not overwrite a snapshot', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3);
    const before = readFileSync(snapshotFile(folder, FIRST_SLOT).events);
    await expect(writeSnapshot(folder, FIRST_SLOT, LEDGER_START, sampleEvents(4))).rejects.toMatchObject({
      code: 'ledger_unwritable',
      place: `snapshots/${FIRST_SLOT}`,
    });
    expect(readFileSync(snapshotFile(folder, FIRST_SLOT).events)).toEqual(before);
  });

  test('replaces events left without a checkpoint by a killed writer', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 3);
    const half = snapshotFile(folder, '2025-07-03T12Z').events;
    writeFileSync(half, 'half');
    writeFileSync(`${snapshotFile(folder, 'next').events}.tmp`, 'half');
    expect((await readLedger(folder)).leaves).toHaveLength(3);
    const { end } = await readLedger(folder);
    await writeSnapshot(folder, '2025-07-03T12Z', end, sampleEvents(3000, 3));
    expect((await readLedger(folder)).leaves).toHaveLength(3003);
  });

  test.each([
    ['the same slot', FIRST_SLOT],
    ['an earlier slot', '2025-07-03T00Z'],
    ['no slot', '2025-07-03T07Z'],
  ])('does not seal %s', async (_, id) => {
    const folder = temporaryFolder();
    const position = await writeLedger(folder, 3);
    await expect(writeSnapshot(folder, id, position, sampleEvents(1, 3))).rejects.toMatchObject({
      code: 'ledger_order',
    });
  });

  test('seals once', async () => {
    const writer = create(temporaryFolder());
    await writer.append(sampleEvent(0));
    await writer.seal(FIRST_SLOT);
    await expect(writer.seal('2025-07-03T12Z')).rejects.toThrow('closed');
    await expect(writer.append(sampleEvent(1))).rejects.toThrow('closed');
  });

  test.each([
    ['a gap', [sampleEvent(0), sampleEvent(2)], 'ledger_order'],
    ['a repetition', [sampleEvent(0), sampleEvent(0)], 'ledger_order'],
    ['a first event with the wrong seq', [sampleEvent(1)], 'ledger_order'],
    [
      'time going backwards',
      [sampleEvent(0), { ...sampleEvent(1), timestamp: '2025-07-02T23:59:59Z' }],
      'ledger_order',
    ],
    ['a second genesis', [sampleEvent(0), { ...sampleEvent(0), seq: 1 }], 'ledger_order'],
    ['data that does not fit', [{ ...sampleEvent(0), data: {} }], 'ledger_schema'],
    [
      'data that is not a JSON object',
      [{ ...sampleEvent(0), type: 'other', data: new Date(0) as never }],
      'ledger_schema',
    ],
    ['an extra member', [{ ...sampleEvent(0), more: 1 }], 'ledger_schema'],
    [
      'a line too long',
      [{ ...sampleEvent(0), type: 'other', data: { text: 'é'.repeat(40_000) } }],
      'ledger_corrupt',
    ],
    [
      'a line far too long',
      [{ ...sampleEvent(0), type: 'other', data: { text: 'x'.repeat(1e6) } }],
      'ledger_corrupt',
    ],
  ])('does not append %s', async (_, events, code) => {
    const writer = create(temporaryFolder());
    const append = async () => {
      for (const event of events) await writer.append(event);
    };
    await expect(append()).rejects.toMatchObject({ code, place: `event ${events.length - 1}` });
  });

  test('continues after an event that it refused', async () => {
    const folder = temporaryFolder();
    const writer = create(folder);
    await writer.append(sampleEvent(0));
    await expect(writer.append(sampleEvent(7))).rejects.toThrow('ledger_order');
    await writer.append(sampleEvent(1));
    await writer.seal(FIRST_SLOT);
    expect((await readLedger(folder)).leaves.map(({ event }) => event)).toEqual(sampleEvents(2));
  });

  test('signs only with keys of one name, the log origin', () => {
    const other = signerFromSeed('another', new Uint8Array(32));
    expect(() => new SnapshotWriter(temporaryFolder(), LEDGER_START, [signer, other])).toThrow(
      expect.objectContaining({ code: 'config_invalid', found: 'another' }),
    );
  });

  test('reports that it cannot write', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(() => create(join(folder, 'file'))).toThrow(
      expect.objectContaining({ code: 'ledger_unwritable' }),
    );
    expect(existsSync(join(folder, 'snapshots'))).toBe(false);
  });
});

test('any division of a ledger into snapshots has the same leaves and the same final root hash', async () => {
  const cut = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(cut, async (counts) => {
      const [one, many] = [temporaryFolder(), temporaryFolder()];
      const total = counts.reduce((sum, count) => sum + count, 0);
      await writeLedger(one, total);
      await writeLedger(many, ...counts);
      const [whole, parts] = [await readLedger(one), await readLedger(many)];
      expect(parts.leaves).toEqual(whole.leaves);
      expect(parts.end.range).toEqual(whole.end.range);
    }),
    { numRuns: 20 },
  );
});
