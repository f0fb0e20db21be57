import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { edgeTiles, type Tile, tilePath } from '../../../pipeline/ledger/log/tile.ts';
import { snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { StagedLog } from '../../../pipeline/release/log/staged-log.ts';
import { textsBelow } from '../../files-below.ts';
import { sampleEvents } from '../../ledger/events/sample-events.ts';
import { FIRST_SLOT, signer, temporaryFolder, writeLedger, writeSnapshot } from '../../ledger/test-ledger.ts';
import { failureOf } from '../temporary-folder.ts';
import { checkLog } from './check-log.ts';
import { factsOf, publishLog } from './publish-log.ts';

/** A ledger with snapshots of these numbers of events, and the end of each. */
async function ledgerOf(...counts: number[]) {
  const ledger = temporaryFolder();
  const ends: LedgerPosition[] = [];
  let id = FIRST_SLOT;
  for (const count of counts) {
    const before = ends.at(-1) ?? LEDGER_START;
    ends.push(await writeSnapshot(ledger, id, before, sampleEvents(count, before.size)));
    id = nextSlotId(id);
  }
  return { ledger, ends };
}

const problemsOf = (out: string, end: LedgerPosition) => checkLog(out, factsOf(end), [signer.verifier]);

describe('a log', () => {
  test('extended step by step has the same files as one built at once, and matches the ledger', async () => {
    const { ledger, ends } = await ledgerOf(1, 99, 156, 1, 0, 300, 700, 55);
    const [inSteps, atOnce] = [temporaryFolder(), temporaryFolder()];
    for (const end of ends) {
      await publishLog(inSteps, ledger, end);
      expect([end.size, await problemsOf(inSteps, end)]).toEqual([end.size, []]);
    }
    await publishLog(atOnce, ledger, ends.at(-1)!);
    const [steps, once] = [textsBelow(inSteps), textsBelow(atOnce)];
    expect(Object.entries(steps).filter(([path]) => path in once)).toEqual(Object.entries(once));
    const isThere = (tile: Tile) => existsSync(logFile(atOnce, tilePath(tile)));
    for (const { size } of ends)
      for (const tile of edgeTiles(size))
        expect([tile, isThere(tile) || isThere({ ...tile, width: 256 })]).toEqual([tile, true]);
    expect(await problemsOf(atOnce, ends.at(-1)!)).toEqual([]);
    expect(readFileSync(join(atOnce, 'log/checkpoint'), 'utf8')).toBe(
      readFileSync(snapshotFile(ledger, ends.at(-1)!.snapshot!).checkpoint, 'utf8'),
    );
  });

  test('has the same files whether it takes the events that the run folds or reads them, wherever the two begin', async () => {
    const { ledger, ends } = await ledgerOf(1, 99, 156, 0, 300, 55);
    const target = ends.at(-1)!;
    for (const [index, edge] of [null, ...ends].entries()) {
      const read = temporaryFolder();
      for (const end of edge ? [edge, target] : [target]) await publishLog(read, ledger, end);
      const expected = textsBelow(read);
      for (const [start, foldFrom] of [LEDGER_START, ...ends].entries()) {
        const out = temporaryFolder();
        if (edge) await publishLog(out, ledger, edge);
        await publishLog(out, ledger, target, null, foldFrom);
        expect([index, start, textsBelow(out)]).toEqual([index, start, expected]);
      }
    }
    // A ledger may seal the same events in other snapshots, so a log may end within one.
    const other = await ledgerOf(50, 500, 61);
    const [read, folded] = [temporaryFolder(), temporaryFolder()];
    for (const [out, foldFrom] of [
      [read, null],
      [folded, LEDGER_START],
    ] as const) {
      await publishLog(out, ledger, ends[2]!);
      await publishLog(out, other.ledger, other.ends.at(-1)!, null, foldFrom);
    }
    expect(textsBelow(folded)).toEqual(textsBelow(read));
  });

  test('writes a file once that the ends of several snapshots have, and the last bytes of one that is replaced', async () => {
    const out = temporaryFolder();
    await using staged = await StagedLog.open(out);
    const [one, other] = ['one', 'other'].map((text) => ({
      path: 'tile/1/000.p/1',
      bytes: Buffer.from(text),
    }));
    staged.add([one!]);
    staged.add([one!]);
    const [folder] = await readdir(out);
    expect(await readdir(join(out, folder!))).toEqual(['0']);
    staged.replace(other!);
    await staged.flush();
    await staged.place();
    expect(readFileSync(join(out, 'log/tile/1/000.p/1'), 'utf8')).toBe('other');
  });

  test('keeps the partial tiles of each checkpoint for one more run after they are full', async () => {
    const { ledger, ends } = await ledgerOf(10, 20, 226, 44, 1);
    const out = temporaryFolder();
    const partials = () =>
      Object.keys(textsBelow(join(out, 'log'))).filter((path) => /^tile.*\.p\//.test(path));
    const publicPartials = () =>
      Object.keys(textsBelow(join(out, 'log/public'))).filter((path) => path.includes('.p/'));
    const seen: string[] = [];
    for (const end of ends.slice(0, 2)) {
      await publishLog(out, ledger, end);
      seen.push(...edgeTiles(end.size).map(tilePath));
    }
    expect(partials().sort()).toEqual(seen.sort());
    expect(publicPartials()).toEqual(['v2/000.p/10', 'v2/000.p/30']);
    await publishLog(out, ledger, ends[2]!);
    expect(partials()).toEqual(expect.arrayContaining(['tile/0/000.p/10', 'tile/0/000.p/30']));
    await publishLog(out, ledger, ends[3]!);
    expect(partials()).toEqual(['tile/0/001.p/44', 'tile/1/000.p/1']);
    await publishLog(out, ledger, ends[4]!);
    expect(partials()).toEqual(['tile/0/001.p/44', 'tile/0/001.p/45', 'tile/1/000.p/1']);
    expect(publicPartials()).toEqual(['v2/001.p/44', 'v2/001.p/45']);
    expect(existsSync(join(out, 'log-entries/000.p'))).toBe(false);
  });

  test('that has no public events, or others by earlier decisions, gets all of them, and keeps nothing else', async () => {
    const { ledger, ends } = await ledgerOf(10, 20, 400);
    const [out, atOnce] = [temporaryFolder(), temporaryFolder()];
    for (const end of ends.slice(0, 2)) for (const to of [out, atOnce]) await publishLog(to, ledger, end);
    await publishLog(atOnce, ledger, ends[2]!);
    rmSync(join(out, 'log/public'), { recursive: true });
    await publishLog(out, ledger, ends[1]!, ends[1]!);
    expect(existsSync(join(out, 'log/public/v2/000.p/10'))).toBe(true);
    renameSync(join(out, 'log/public/v2'), join(out, 'log/public/v7'));
    writeFileSync(join(out, 'log/public/policy.json'), JSON.stringify({ version: 7, types: {} }));
    await publishLog(out, ledger, ends[2]!);
    expect(textsBelow(out)).toEqual(textsBelow(atOnce));
    expect(await problemsOf(out, ends[2]!)).toEqual([]);
  });

  test('is created for a release without one', async () => {
    const { ledger, ends } = await ledgerOf(300, 5);
    const out = temporaryFolder();
    await publishLog(out, ledger, ends[1]!, ends[1]!);
    expect(await problemsOf(out, ends[1]!)).toEqual([]);
  });

  test('continues if the ledger’s older snapshots are missing, and reports if too many are', async () => {
    const { ledger, ends } = await ledgerOf(300, 5, 5, 5);
    const out = temporaryFolder();
    await publishLog(out, ledger, ends[1]!);
    for (const { snapshot } of ends.slice(0, 2)) {
      const { events, checkpoint } = snapshotFile(ledger, snapshot!);
      for (const file of [events, checkpoint]) unlinkSync(file);
    }
    await publishLog(out, ledger, ends[2]!);
    expect(await problemsOf(out, ends[2]!)).toEqual([]);
    expect(await failureOf(() => publishLog(temporaryFolder(), ledger, ends[2]!))).toMatchObject({
      code: 'ledger_unreadable',
      message: expect.stringContaining('from event 0 on'),
    });
  });

  test('handles files left by a killed run', async () => {
    const { ledger, ends } = await ledgerOf(300, 400);
    const out = temporaryFolder();
    await publishLog(out, ledger, ends[0]!);
    const before = readFileSync(join(out, 'log/checkpoint'));
    await publishLog(out, ledger, ends[1]!);
    writeFileSync(join(out, 'log/checkpoint'), before);
    unlinkSync(logFile(out, 'tile/0/001'));
    await publishLog(out, ledger, ends[1]!, ends[1]!);
    expect(await problemsOf(out, ends[1]!)).toEqual([]);
  });
});

describe('a run stops, commits nothing and leaves the log unchanged', () => {
  async function expectRefusal(
    [out, ledger, end]: [string, string, LedgerPosition],
    expected: Record<string, unknown>,
    previous: LedgerPosition | null = null,
  ) {
    const before = textsBelow(out);
    let committed = 0;
    const error = await failureOf(async () => {
      committed = await publishLog(out, ledger, end, previous);
    });
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(/restore the ledger|never changes|expected/);
    expect(committed).toBe(0);
    expect(textsBelow(out)).toEqual(before);
    expect((await readdir(out)).filter((name) => name.startsWith('staging'))).toEqual([]);
  }

  async function published(...counts: number[]) {
    const { ledger, ends } = await ledgerOf(...counts);
    const out = temporaryFolder();
    await publishLog(out, ledger, ends.at(-1)!);
    return { out, ledger, ends };
  }

  test('if the ledger is shorter than the published log, as after restoring an old backup', async () => {
    const { out, ends } = await published(300, 20);
    const backup = await ledgerOf(300);
    await expectRefusal([out, backup.ledger, ends[0]!], {
      code: 'log_forked',
      message: expect.stringMatching(/at least the 320 events.*found 300/),
    });
  });

  test('if a release is ahead of the ledger, even if its log was not written', async () => {
    const { out, ledger, ends } = await published(300);
    const later = await ledgerOf(300, 20);
    const further = { previous: later.ends[1]! };
    await expectRefusal([out, ledger, ends[0]!], { code: 'log_forked' }, further.previous);
  });

  test('if the ledger is a different one of the same size', async () => {
    const { out, ends } = await published(300);
    const ledger = temporaryFolder();
    const events = sampleEvents(300).with(7, { ...sampleEvents(8)[7]!, agent: 'MALLORY' });
    const end = await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, events);
    await expectRefusal([out, ledger, end], {
      code: 'log_forked',
      place: `snapshots/${FIRST_SLOT}.checkpoint`,
    });
    expect(end.size).toBe(ends[0]!.size);
  });

  test.each([
    ['in the same snapshots', [300, 20]],
    ['in other snapshots', [280, 40]],
  ])('if earlier events changed and later ones were added, %s', async (_, counts) => {
    const { out } = await published(300);
    const ledger = temporaryFolder();
    const events = sampleEvents(320).with(7, { ...sampleEvents(8)[7]!, agent: 'MALLORY' });
    const first = await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, events.slice(0, counts[0]));
    const end = await writeSnapshot(ledger, nextSlotId(FIRST_SLOT), first, events.slice(counts[0]));
    await expectRefusal([out, ledger, end], { code: 'log_forked' });
  });

  test('but not if the same events are in other snapshots', async () => {
    const { out } = await published(300);
    const { ledger, ends } = await ledgerOf(280, 40);
    await publishLog(out, ledger, ends[1]!);
    expect(await problemsOf(out, ends[1]!)).toEqual([]);
  });

  test.each(['tile/0/001', 'tile/entries/001', 'public/v2/001', 'tile/0/002.p/88', 'tile/1/000.p/2'])(
    'if %s already exists with other bytes',
    async (path) => {
      const { ledger, ends } = await ledgerOf(300, 300);
      const out = temporaryFolder();
      await publishLog(out, ledger, ends[1]!);
      const whole = readFileSync(logFile(out, path));
      await publishLog(temporaryFolder(), ledger, ends[1]!);
      rmSync(out, { recursive: true });
      await publishLog(out, ledger, ends[0]!);
      cpSync(logFile(out, 'checkpoint'), `${logFile(out, path)}`, { recursive: true });
      expect(readFileSync(logFile(out, path)).equals(whole)).toBe(false);
      await expectRefusal([out, ledger, ends[1]!], { code: 'log_invalid', place: logFile(out, path) });
    },
  );

  test.each(['tile/0/001.p/44', 'tile/entries/001.p/44', 'tile/1/000.p/1'])(
    'if %s, which it extends, was truncated or removed',
    async (path) => {
      const { out, ledger } = await published(300);
      const end = (await ledgerOf(300)).ends[0]!;
      truncateSync(logFile(out, path), 31);
      const message = expect.stringContaining(
        `nothing is published: find out who changed it, then remove ${out}/log`,
      );
      await expectRefusal([out, ledger, end], { code: 'log_invalid', message });
      unlinkSync(logFile(out, path));
      await expectRefusal([out, ledger, end], { code: 'log_invalid', place: logFile(out, path) });
    },
  );

  test.each([
    ['is not a signed note', () => 'checkpoint'],
    ['is empty', () => ''],
    ['has a negative size', (note: string) => note.replace('\n300\n', '\n-300\n')],
    ['has another size', (note: string) => note.replace('\n300\n', '\n299\n')],
    [
      'has a hash of 31 bytes',
      (note: string) => note.replace(/\n[\w+/]{43}=\n/, `\n${Buffer.alloc(31, 1).toString('base64')}\n`),
    ],
    [
      'has a different root hash',
      (note: string) => note.replace(/\n[\w+/]{43}=\n/, `\n${Buffer.alloc(32).toString('base64')}\n`),
    ],
  ])('if its checkpoint %s', async (_, change) => {
    const { out, ledger, ends } = await published(300);
    const place = logFile(out, 'checkpoint');
    writeFileSync(place, change(readFileSync(place, 'utf8')));
    await expectRefusal([out, ledger, ends[0]!], { code: 'log_invalid' });
  });
});

describe('a check of the log', () => {
  test('names every kind of damage', async () => {
    const ledger = temporaryFolder();
    const end = await writeLedger(ledger, 700, 3);
    const out = temporaryFolder();
    const damage: [string, (out: string) => void][] = [
      ['log/tile/0/001', (o) => flip(logFile(o, 'tile/0/001'))],
      ['log/tile', (o) => flip(logFile(o, 'tile/1/000.p/2'))],
      ['log-entries/001 entry 3', (o) => replace(logFile(o, 'tile/entries/001'), 'seq":259', 'seq":958')],
      ['log-entries/000', (o) => truncateSync(logFile(o, 'tile/entries/000'), 5000)],
      ['log-entries/000', (o) => unlinkSync(logFile(o, 'tile/entries/000'))],
      ['log/tile/0/000', (o) => unlinkSync(logFile(o, 'tile/0/000'))],
      ['log/tile/0/009', (o) => writeFileSync(join(o, 'log/tile/0/009'), '')],
      ['log/notes.txt', (o) => writeFileSync(join(o, 'log/notes.txt'), '')],
      ['log-entries/002.gz', (o) => writeFileSync(logFile(o, 'tile/entries/002.gz'), '')],
      ['log-entries/000.gz', (o) => writeFileSync(logFile(o, 'tile/entries/000.gz'), 'no gzip')],
      [
        'log-entries/000.gz',
        (o) => writeFileSync(logFile(o, 'tile/entries/000.gz'), gzipSync('other entries')),
      ],
      ['log-entries/000.p', (o) => writeFileSync(join(o, 'log-entries/000.p'), '')],
      ['log/public/v2/000', (o) => unlinkSync(logFile(o, 'public/v2/000'))],
      ['log/public/v2/001', (o) => replace(logFile(o, 'public/v2/001'), 'salt":"', 'salt":"x')],
      ['log/public/v2/009', (o) => writeFileSync(logFile(o, 'public/v2/009'), '')],
      ['log/public/notes.txt', (o) => writeFileSync(logFile(o, 'public/notes.txt'), '')],
      ['log/checkpoint size', () => {}],
      ['log/checkpoint', (o) => flip(logFile(o, 'checkpoint'), -3)],
      ['log/checkpoint', (o) => rmSync(join(o, 'log'), { recursive: true })],
    ];
    await publishLog(out, ledger, end);
    expect(await problemsOf(out, end)).toEqual([]);
    for (const [place, harm] of damage) {
      const copy = temporaryFolder();
      cpSync(out, copy, { recursive: true });
      harm(copy);
      const claimed = place === 'log/checkpoint size' ? { ...factsOf(end), size: 704 } : factsOf(end);
      const places = (await checkLog(copy, claimed, [signer.verifier])).map((problem) => problem.place);
      expect([place, places.join('\n')]).toEqual([place, expect.stringContaining(place)]);
    }
  });

  test('reports a partial file that is not the beginning of its tile', async () => {
    const { ledger, ends } = await ledgerOf(300, 20);
    const out = temporaryFolder();
    for (const end of ends) await publishLog(out, ledger, end);
    flip(logFile(out, 'tile/0/001.p/44'));
    expect(await problemsOf(out, ends[1]!)).toMatchObject([{ place: 'log/tile/0/001.p/44' }]);
  });
});

function flip(file: string, at = 100): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : Math.min(at, bytes.length - 1)]! ^= 1;
  writeFileSync(file, bytes);
}

function replace(file: string, from: string, to: string): void {
  const bytes = readFileSync(file, 'latin1');
  expect(bytes).toContain(from);
  writeFileSync(file, bytes.replace(from, to), 'latin1');
}
