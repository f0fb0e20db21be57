import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { type HeadCursor, readHead } from '../../../pipeline/ledger/reading/head.ts';
import { sampleEvent, sampleEvents } from '../events/sample-events.ts';
import { collect, readLedger, temporaryFolder, writeLedger } from '../test-ledger.ts';
import { linesOf } from './signed-snapshot.ts';

function ledgerWithHead(content: string | Buffer) {
  const ledger = openDirectory(temporaryFolder());
  writeFileSync(ledger.head, content);
  return ledger;
}

/** The position at the end of a snapshot with `count` sample events. */
async function positionAfter(count: number): Promise<LedgerPosition> {
  const folder = temporaryFolder();
  await writeLedger(folder, count);
  return (await readLedger(folder)).end;
}

async function read(
  ledger: ReturnType<typeof openDirectory>,
  position: LedgerPosition,
  cursor?: HeadCursor | null,
) {
  const { leaves, end } = await collect(readHead(ledger, position, cursor));
  return { seqs: leaves.map(({ event }) => event.seq), leaves, ...end };
}

describe('the head', () => {
  test('that does not exist has no events', async () => {
    const ledger = openDirectory(temporaryFolder());
    expect(await read(ledger, LEDGER_START)).toMatchObject({
      seqs: [],
      position: LEDGER_START,
      behind: false,
    });
  });

  test('that is empty has no events', async () => {
    expect(await read(ledgerWithHead(''), LEDGER_START)).toMatchObject({
      seqs: [],
      cursor: null,
      behind: false,
    });
  });

  test('continues from the last snapshot', async () => {
    const position = await positionAfter(5);
    const { leaves, position: end } = await read(ledgerWithHead(linesOf(sampleEvents(4, 5))), position);
    expect(leaves.map(({ event }) => event)).toEqual(sampleEvents(4, 5));
    const sealed = await positionAfter(9);
    expect(end).toMatchObject({
      snapshot: position.snapshot,
      size: 9,
      range: sealed.range,
      timestamp: sealed.timestamp,
    });
  });

  test('gives only new events for the cursor of the last reading', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(3)));
    let { position, cursor } = await read(ledger, LEDGER_START);
    for (const seq of [3, 4, 5]) {
      expect((await read(ledger, position, cursor)).seqs).toEqual([]);
      appendFileSync(ledger.head, linesOf([sampleEvent(seq)]));
      const next = await read(ledger, position, JSON.parse(JSON.stringify(cursor)));
      expect(next.seqs).toEqual([seq]);
      ({ position, cursor } = next);
    }
    expect(position.range).toEqual((await positionAfter(6)).range);
  });

  test('ignores an incomplete last event, wherever it ends', async () => {
    const [before, after] = [linesOf(sampleEvents(3)), linesOf([sampleEvent(3)])];
    const bytes = Buffer.from(after);
    for (let length = 0; length < bytes.length; length++) {
      const ledger = ledgerWithHead(Buffer.concat([Buffer.from(before), bytes.subarray(0, length)]));
      const { seqs, position, cursor } = await read(ledger, LEDGER_START);
      expect(seqs).toEqual([0, 1, 2]);
      appendFileSync(ledger.head, bytes.subarray(length));
      expect((await read(ledger, position, cursor)).seqs).toEqual([3]);
    }
  });

  test('with an incomplete first line has no events', async () => {
    const line = linesOf([sampleEvent(0)]);
    const ledger = ledgerWithHead(line.slice(0, 30));
    const { seqs, position, cursor } = await read(ledger, LEDGER_START);
    expect(seqs).toEqual([]);
    appendFileSync(ledger.head, line.slice(30));
    expect((await read(ledger, position, cursor)).seqs).toEqual([0]);
  });

  test('that begins with events of a snapshot gives only later ones', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(10)));
    for (const size of [1, 5, 9]) {
      expect((await read(ledger, await positionAfter(size))).seqs).toEqual(
        sampleEvents(10 - size, size).map(({ seq }) => seq),
      );
    }
    expect((await read(ledger, await positionAfter(10))).seqs).toEqual([]);
    const covered = await read(ledger, await positionAfter(12));
    expect(covered).toMatchObject({ seqs: [], cursor: null, behind: false });
  });

  test('that begins after the position waits for the snapshot in between', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(2, 5)));
    const position = await positionAfter(3);
    expect(await read(ledger, position)).toEqual({
      seqs: [],
      leaves: [],
      position,
      cursor: null,
      behind: true,
    });
    expect((await read(ledger, await positionAfter(5))).seqs).toEqual([5, 6]);
  });

  test('replaced after sealing is read on from the reader’s position', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(6)));
    const { position, cursor } = await read(ledger, LEDGER_START);
    writeFileSync(ledger.head, linesOf(sampleEvents(5, 4)));
    expect((await read(ledger, position, cursor)).seqs).toEqual([6, 7, 8]);
  });

  test('reads the same at once and in parts, with sealing in between', async () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.nat(300), fc.boolean()), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const ledger = ledgerWithHead('');
        const all = Buffer.from(linesOf(sampleEvents(60)));
        let [begin, written] = [0, 0];
        let state: { position: LedgerPosition; cursor: HeadCursor | null } = {
          position: LEDGER_START,
          cursor: null,
        };
        const seqs: number[] = [];
        for (const [times, bytes, seal] of list) {
          written = Math.min(written + times * bytes, all.length);
          // Sealing drops only complete lines.
          const cut = all.lastIndexOf(10, Math.max(0, written - 400)) + 1;
          if (seal && cut > begin && cut <= written) begin = cut;
          writeFileSync(ledger.head, all.subarray(begin, written));
          const next = await read(ledger, state.position, state.cursor);
          if (next.behind) return;
          seqs.push(...next.seqs);
          state = next;
        }
        const complete = all.subarray(0, written).toString().split('\n').length - 1;
        expect(seqs).toEqual(Array.from({ length: complete }, (_, i) => i));
      }),
      { numRuns: 60 },
    );
  });

  test('of many events comes in batches', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(5000)));
    const sizes: number[] = [];
    for await (const leaves of readHead(ledger, LEDGER_START)) sizes.push(leaves.length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(5000);
  });
});

describe('the head is refused', () => {
  const broken = (change: object) => JSON.stringify({ ...sampleEvent(6), ...change });

  test.each([
    ['with a gap', linesOf([sampleEvent(7)]), 'ledger_order'],
    ['with a repetition', linesOf([sampleEvent(5)]), 'ledger_order'],
    ['with a time before', `${broken({ timestamp: '2025-07-03T00:04:59Z' })}\n`, 'ledger_order'],
    ['with a wrong type', `${broken({ agent: 7 })}\n`, 'ledger_schema'],
    ['with no JSON', '{"seq":6,\n', 'ledger_corrupt'],
    ['with CRLF', `${formatEventLine(sampleEvent(6))}\r\n`, 'ledger_corrupt'],
    ['with an endless line', 'x'.repeat(70_000), 'ledger_corrupt'],
  ])('%s, at its line', async (_, damage, code) => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(6)));
    const { position, cursor } = await read(ledger, await positionAfter(2));
    appendFileSync(ledger.head, damage);
    const place = 'head.ndjson:7';
    await expect(read(ledger, position, cursor)).rejects.toMatchObject({ code, place });
    await expect(read(ledger, position)).rejects.toMatchObject({ code, place });
    await expect(read(ledger, await positionAfter(2))).rejects.toMatchObject({ code, place });
  });

  test.each([
    ['no event', 'hello\n', 'ledger_corrupt'],
    ['a line that is too long', `${'x'.repeat(65_536)}\n`, 'ledger_corrupt'],
    ['a line without an end', 'x'.repeat(65_536), 'ledger_corrupt'],
    ['an event of a wrong type', '{"seq":0}\n', 'ledger_schema'],
  ])('that begins with %s', async (_, content, code) => {
    await expect(read(ledgerWithHead(content), LEDGER_START)).rejects.toMatchObject({
      code,
      place: 'head.ndjson:1',
    });
  });

  test('that lost events already read', async () => {
    const ledger = ledgerWithHead(linesOf(sampleEvents(6)));
    const { position, cursor } = await read(ledger, LEDGER_START);
    truncateSync(ledger.head, linesOf(sampleEvents(5)).length);
    await expect(read(ledger, position, cursor)).rejects.toMatchObject({ code: 'ledger_corrupt' });
  });

  test('that cannot be read', async () => {
    const ledger = openDirectory(temporaryFolder());
    mkdirSync(ledger.head);
    await expect(read(ledger, LEDGER_START)).rejects.toMatchObject({
      code: 'ledger_unreadable',
      found: 'a folder (EISDIR)',
    });
  });
});
