import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextSlotId, SLOT_MS, slotId } from '../../../pipeline/ledger/events/slot.ts';
import { bundlePath, TILE_WIDTH, tilePath } from '../../../pipeline/ledger/log/tile.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { openLog } from '../../../pipeline/release/log/open-log.ts';
import { rereadTiles, slotsToReread, tilesOfSlots } from '../../../pipeline/release/log/reread-tiles.ts';
import { writeSyntheticLog } from '../../bench/synthetic-log.ts';

const FIRST = '2025-12-01T06Z';
const count = (length: number) => Array.from({ length }, (_, index) => index);
/** The id of the slot `number` slots after the first. */
const slot = (number: number) => slotId(Date.parse('2025-12-01T06:00:00Z') + number * SLOT_MS);

/** In how many turns each tile was read that was there before the first, where each run has so many slots, and tiles, more. */
function turnsUntilAllRead(whole: number, { slots = 1, tiles = 0 }): number {
  const unread = new Set(count(whole));
  let run = 0;
  for (; unread.size > 0 && run <= whole; run += 1) {
    const turns = slotsToReread(slot(run * slots), slot((run + 1) * slots));
    for (const index of tilesOfSlots(whole + run * tiles, turns)) unread.delete(index);
  }
  return run * slots;
}

describe('the tiles that a run reads again', () => {
  test('are all of them if there are few, otherwise 32 to 64 per slot', () => {
    const once = slotsToReread(FIRST, nextSlotId(FIRST));
    for (const whole of [0, 1, 63, 64]) expect(tilesOfSlots(whole, once)).toEqual(count(whole));
    for (const whole of [65, 128, 319, 320, 19_531]) {
      const read = tilesOfSlots(whole, once);
      expect([whole, read.length]).toEqual([whole, expect.toBeOneOf(count(33).map((more) => 32 + more))]);
    }
  });

  test('are those of one slot in the first run, in runs without new events, and if the newest snapshot is older', () => {
    const one = { from: 81_693, to: 81_694 };
    expect([
      slotsToReread(FIRST, FIRST),
      slotsToReread(null, FIRST),
      slotsToReread(slot(0), slot(-5)),
    ]).toEqual([one, one, one]);
    expect(slotsToReread(null, null)).toEqual({ from: 0, to: 1 });
  });

  test.each([
    ['of a log that does not grow', {}],
    ['of a log that grows by a thousand events per run', { tiles: 4 }],
    ['once a week', { slots: 28, tiles: 7 }],
    ['at irregular times', { slots: 5, tiles: 3 }],
  ])('are all of them after enough runs %s', (_, steps) => {
    for (const whole of [65, 320, 1000]) {
      // Twice as many if the log grows past a power of two in between.
      const most = 4 * 2 * Math.ceil(whole / 64) + 28;
      expect(turnsUntilAllRead(whole, steps)).toBeLessThanOrEqual(most);
    }
  });

  test('include each tile once before any is read twice', () => {
    const read = count(512).flatMap((turn) =>
      tilesOfSlots(19_531, slotsToReread(slot(turn), slot(turn + 1))),
    );
    expect(read.sort((a, b) => a - b)).toEqual(count(19_531));
  });
});

describe('a log of more than 64 tiles', () => {
  const WHOLE = 130;
  let folder: string;
  let out: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cathedral-reread-'));
    out = join(folder, 'out');
    await mkdir(join(folder, 'ledger'));
    await writeSyntheticLog(join(folder, 'ledger'), out, WHOLE * TILE_WIDTH + 100);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The findings of the runs of four slots. */
  async function findings(): Promise<string[]> {
    const { reader } = await openLog(out);
    const found: string[] = [];
    for (const run of count(4))
      await rereadTiles(out, reader!, slotsToReread(slot(run), slot(run + 1))).catch((error) =>
        found.push(`${run}: ${error.code}`),
      );
    return found;
  }

  test.each([0, 64, 129])('stops one of them if tile %i or an entry below it differs', async (index) => {
    const [tile, bundle] = [
      { level: 0, index, width: TILE_WIDTH },
      { index, width: TILE_WIDTH },
    ];
    // 2025-12-01T06Z is slot 81 693, the second of four.
    const run = (index + 3) % 4;
    for (const path of [tilePath(tile), bundlePath(bundle)]) {
      const place = logFile(out, path);
      const before = readFileSync(place);
      const after = Buffer.from(before);
      after[after.length - 2]! ^= 1;
      writeFileSync(place, after);
      expect([path, await findings()]).toEqual([path, [`${run}: log_invalid`]]);
      writeFileSync(place, before);
    }
    expect(await findings()).toEqual([]);
  });
});
