import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { parseCycleRuns } from '../../../pipeline/release/history/cycle-runs.ts';
import { verifyRelease } from '../../../pipeline/release/staging/verify-release.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { publishLines } from './export-app.ts';
import { hardLines } from './ledger-lines.ts';

const LINES = hardLines(300, 4);

async function segmentsOf(out: string) {
  const { dir, manifest } = (await readCurrent(out))!;
  return { dir, segments: manifest.segments['government/ledger/export']! };
}

describe('the cycles beside a segment', () => {
  test('are those of its rows, newest first', async () => {
    const out = await temporaryFolder();
    await publishLines(out, LINES);
    const { dir, segments } = await segmentsOf(out);
    expect(segments.length).toBeGreaterThan(5);
    for (const segment of segments) {
      const bytes = await readFile(join(dir, segment.file));
      const runs = parseCycleRuns(
        await readFile(join(dir, `${segment.file}.cycles`), 'utf8'),
        bytes.length,
        '',
      );
      let begin = 0;
      let newest = segment.end_row;
      for (const { cycle, bytes: length } of runs) {
        const rows = bytes.subarray(begin, begin + length).toString();
        const count = LINES.slice(segment.first_row, newest).filter(({ hash }) => rows.includes(hash)).length;
        const expected = LINES.slice(newest - count, newest);
        expect(new Set(expected.map((line) => line.cycle))).toEqual(new Set([cycle]));
        newest -= count;
        begin += length;
      }
      expect([begin, newest]).toEqual([bytes.length, segment.first_row]);
    }
  });

  test('are the same however the events are divided among runs', async () => {
    const [one, many] = [await temporaryFolder(), await temporaryFolder()];
    await publishLines(one, LINES);
    for (const events of [1, 2, 40, 150, 151, 300]) await publishLines(many, LINES.slice(0, events));
    expect((await segmentsOf(many)).segments).toEqual((await segmentsOf(one)).segments);
  });

  test('belong to the release: a changed one is found, and so is a missing one by the next run', async () => {
    const out = await temporaryFolder();
    await publishLines(out, LINES);
    const { dir, segments } = await segmentsOf(out);
    expect(await verifyRelease(dir)).toEqual([]);
    const cycles = `${segments.at(-1)!.file}.cycles`;
    await appendFile(join(dir, cycles), 'C-1,1\n');
    expect((await verifyRelease(dir)).map(({ place }) => place)).toEqual([cycles]);
    expect(await failureOf(() => publishLines(out, hardLines(301, 4)))).toMatchObject({
      code: 'release_invalid',
    });
  });

  test('of the newest segment are read again by the next run, and refused where they are of other rows', async () => {
    const out = await temporaryFolder();
    await publishLines(out, LINES.slice(0, 10), 1e6);
    const { dir, segments } = await segmentsOf(out);
    await writeFile(join(dir, `${segments[0]!.file}.cycles`), 'C-0,10\n');
    const failure = await failureOf(() => publishLines(out, LINES.slice(0, 11), 1e6));
    expect(failure).toMatchObject({ code: 'release_invalid' });
  });

  test.each([['C-1,99\n'], ['C-1,101\n'], ['C-1,100\nC-2,0\n'], ['x,100\n'], ['C-1,1e2,\nC-1,0\n'], ['']])(
    '%j are not those of 100 bytes',
    async (text) => {
      const failure = await failureOf(async () => parseCycleRuns(text, 100, 'here'));
      expect(failure).toMatchObject({ code: 'release_invalid', place: 'here' });
    },
  );
});
