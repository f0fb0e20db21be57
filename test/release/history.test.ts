import { execFileSync } from 'node:child_process';
import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { type HistorySource, openHistory } from '../../pipeline/release/history/history.ts';
import { eventsIn, parseRowEvents } from '../../pipeline/release/history/row-events.ts';
import { readRowEvents } from '../../pipeline/release/history/segment-file.ts';
import { openStaging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { MINTS, timeOf, tinyFacts } from './publish-tiny.ts';
import { temporaryFolder } from './temporary-folder.ts';

const JSON_ARRAY: HistorySource = {
  ...MINTS,
  path: 'economy/all.json',
  mediaType: 'application/json',
  separator: ',\n',
};

/** The result of zlib with `info`: the bytes, and how many it read up to the end of the stream. */
interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

interface Run {
  rows: string[];
  head?: string;
  tail?: string;
}

/**
 * Publishes one release after each run; the rows of a run come in events of one to three rows. Gives the
 * last release's folder.
 */
async function publishRuns(out: string, source: HistorySource, runs: Run[], segmentBytes: number) {
  let count = 0;
  for (const { rows, head = '', tail = '' } of runs) {
    await using staging = await openStaging(out, await readCurrent(out), { reuse: true });
    const history = await openHistory(staging, source, { segmentBytes });
    for (let at = 0; at < rows.length; at += 1 + (at % 3)) {
      history.add(rows.slice(at, at + 1 + (at % 3)), timeOf(count + at));
      await history.drain();
    }
    count += rows.length;
    expect(history.rows).toBe(count);
    await history.finish(head, tail);
    await staging.publish({ facts: tinyFacts(count), state: '{}' });
  }
  return (await readCurrent(out))!;
}

/** The same by plain concatenation. */
function plain(source: HistorySource, rows: string[], head = '', tail = ''): string {
  return head + rows.toReversed().join(source.separator) + tail;
}

describe('a history', () => {
  const row = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => `${text}\n`);
  const runs = fc.array(fc.array(row, { maxLength: 25 }), { minLength: 1, maxLength: 4 });

  test('has the bytes of its rows, newest first, however runs divide them, as does its gzip encoding', async () => {
    const property = fc.asyncProperty(
      runs,
      fc.constantFrom(MINTS, JSON_ARRAY),
      fc.integer({ min: 1, max: 400 }),
      async (runs, source, limit) => {
        const out = await temporaryFolder();
        const [head, tail] = ['head,é\n', 'tail'];
        const { dir, manifest } = await publishRuns(
          out,
          source,
          runs.map((rows) => ({ rows, head, tail })),
          limit,
        );
        const wanted = plain(source, runs.flat(), head, tail);
        const path = join(dir, 'public', source.path);
        expect(await readFile(path, 'utf8')).toBe(wanted);
        const file = manifest.files.find((file) => file.path === source.path)!;
        expect(file.rows).toBe(runs.flat().length);
        if (file.encodings.gzip) expect(gunzipSync(await readFile(`${path}.gz`)).toString()).toBe(wanted);
        if (file.encodings.br)
          expect(brotliDecompressSync(await readFile(`${path}.br`)).toString()).toBe(wanted);
        expect(await verifyRelease(dir)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 10, seed: 7 });
  });

  test('has the same segments however runs divide its rows', async () => {
    const rows = Array.from({ length: 150 }, (_, i) => `${i},${'x'.repeat((i * 37) % 90)}\n`);
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 4 }),
      async (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), 150];
        const parts = ends.map((end, i) => ({ rows: rows.slice(ends[i - 1] ?? 0, end) }));
        const many = await publishRuns(await temporaryFolder(), MINTS, parts, 1000);
        const one = await publishRuns(await temporaryFolder(), MINTS, [{ rows }], 1000);
        const about = ({ manifest }: typeof one) =>
          manifest.segments[MINTS.path]!.map(({ from: _, to: __, ...segment }) => segment);
        expect(about(many)).toEqual(about(one));
        expect(about(one).length).toBeGreaterThan(5);
      },
    );
    await fc.assert(property, { numRuns: 3, seed: 7 });
  });

  test('has a single gzip member that gunzip reads to its end', async () => {
    const out = await temporaryFolder();
    const rows = Array.from({ length: 2000 }, (_, i) => `2025-12-01,${i},${(i * 7919) % 1009},é\n`);
    const { dir } = await publishRuns(out, MINTS, [{ rows, head: 'a,b,c,d\n' }], 4000);
    const gz = join(dir, `public/${MINTS.path}.gz`);
    const wanted = Buffer.from(plain(MINTS, rows, 'a,b,c,d\n'));
    expect(execFileSync('gunzip', ['-c', gz])).toEqual(wanted);
    execFileSync('gzip', ['-t', gz]);
    const member = await readFile(gz);
    const { buffer, engine } = inflateRawSync(member.subarray(10), { info: true }) as unknown as Inflated;
    expect(buffer).toEqual(wanted);
    expect(engine.bytesWritten, 'one member, with nothing behind it').toBe(member.length - 10 - 8);
    const size = (await stat(gz)).size;
    expect(size).toBeLessThan(1.2 * gzipSync(wanted).length);
  });

  test('without rows consists of its head and tail', async () => {
    const { dir, manifest } = await publishRuns(
      await temporaryFolder(),
      JSON_ARRAY,
      [{ rows: [], head: '[', tail: ']\n' }],
      100,
    );
    expect(await readFile(join(dir, 'public', JSON_ARRAY.path), 'utf8')).toBe('[]\n');
    expect(manifest.segments[JSON_ARRAY.path]).toEqual([]);
    expect(await verifyRelease(dir)).toEqual([]);
  });

  describe('keeps the events of its rows beside them', () => {
    /** Publishes rows `from` to `end`, of which each third shares its event with the next. */
    async function publish(out: string, from: number, end: number) {
      await using staging = await openStaging(out, await readCurrent(out), { reuse: true });
      const history = await openHistory(staging, MINTS, { segmentBytes: 100 });
      for (let row = from; row < end; row += 1)
        history.add([`${row}\n`], timeOf(row), [row - Number(row % 3 === 1), 5 * row]);
      await history.finish('', '');
      await staging.publish({ facts: tinyFacts(end), state: '{}' });
      const { dir, manifest } = (await readCurrent(out))!;
      return { dir, segments: manifest.segments[MINTS.path]! };
    }

    test('newest first, the same however runs divide them', async () => {
      const [one, many] = [await temporaryFolder(), await temporaryFolder()];
      const { dir, segments } = await publish(one, 0, 100);
      const ends = [3, 4, 60, 99, 100];
      for (const [index, end] of ends.entries()) await publish(many, ends[index - 1] ?? 0, end);
      expect((await readCurrent(many))!.manifest.segments).toEqual(
        (await readCurrent(one))!.manifest.segments,
      );
      expect(segments.length).toBeGreaterThan(2);
      const all = await Promise.all(segments.map((segment) => readRowEvents(dir, segment)));
      const wanted = Array.from({ length: 100 }, (_, row) => [row - Number(row % 3 === 1), 5 * row]);
      expect(all.flat().map((line) => eventsIn(line!))).toEqual(wanted.toReversed());
    });

    test('and refuses them where they are missing, or differ from what was published', async () => {
      const out = await temporaryFolder();
      const { dir, segments } = await publish(out, 0, 50);
      expect(await verifyRelease(dir)).toEqual([]);
      const newest = `${segments[0]!.file}.events`;
      await appendFile(join(dir, newest), '7\n');
      expect((await verifyRelease(dir)).map(({ place }) => place)).toEqual([newest]);
      await expect(publish(out, 50, 51)).rejects.toMatchObject({
        code: 'release_invalid',
        place: join(dir, newest),
      });
      await rm(join(dir, newest));
      await expect(publish(out, 50, 51)).rejects.toMatchObject({
        code: 'release_invalid',
        place: join(dir, newest),
      });
    });

    test.each(['1\n', '1\n2\n3\n', '1\n\n', '1\n-2\n', '1\n2,\n', '1\nx\n', '1\n12345678901234567\n', ''])(
      '%j are not those of two rows',
      (text) => {
        expect(() => parseRowEvents(text, 2, 'here')).toThrow(/here: expected events of 2 rows/);
      },
    );
  });

  test('accepts a row longer than a segment', async () => {
    const rows = ['short\n', `${'long '.repeat(100_000)}\n`, 'short again\n'];
    const { dir, manifest } = await publishRuns(await temporaryFolder(), MINTS, [{ rows }], 1000);
    expect(await readFile(join(dir, 'public', MINTS.path), 'utf8')).toBe(plain(MINTS, rows));
    expect(manifest.segments[MINTS.path]).toHaveLength(2);
  });

  test('records the rows and the time range of each segment', async () => {
    const { manifest } = await publishRuns(
      await temporaryFolder(),
      MINTS,
      [{ rows: ['a\n', 'b\n', 'c\n'] }],
      4,
    );
    const about = manifest.segments[MINTS.path]!.map(({ file, first_row, end_row, from, to, bytes }) => ({
      file,
      first_row,
      end_row,
      from,
      to,
      bytes,
    }));
    const folder = `segments/${MINTS.path}`;
    expect(about).toEqual([
      { file: `${folder}/2-3.part`, first_row: 2, end_row: 3, from: timeOf(1), to: timeOf(1), bytes: 2 },
      { file: `${folder}/0-2.part`, first_row: 0, end_row: 2, from: timeOf(0), to: timeOf(1), bytes: 4 },
    ]);
  });
});
